//! Memories: facts about a project, with their provenance.

use becket_guard::redact::redact_text;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector::{NewVector, insert_vector};
use super::{CorpusKind, project_key, stored_enum};
use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::StoreReader;
use crate::write::WriteTransaction;

stored_enum! {
    /// The type of a memory.
    MemoryKind {
        /// A pitfall.
        Gotcha = "gotcha",
        /// A decision and its reason.
        Decision = "decision",
        /// A bug and its fix.
        BugFix = "bug_fix",
        /// How something works.
        Discovery = "discovery",
        /// A trade-off that was made.
        TradeOff = "trade_off",
        /// The summary of a session.
        SessionSummary = "session_summary",
        /// A plan.
        Plan = "plan",
    }
}

impl MemoryKind {
    /// The types that agents and language models choose from. Becket itself writes the others.
    pub fn reportable() -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|kind| kind.is_reportable())
    }

    /// Whether agents and language models may choose this type.
    pub fn is_reportable(self) -> bool {
        match self {
            Self::Gotcha | Self::Decision | Self::BugFix | Self::Discovery | Self::TradeOff => true,
            Self::SessionSummary | Self::Plan => false,
        }
    }
}

stored_enum! {
    /// The status of a memory.
    MemoryStatus {
        /// Valid.
        Active = "active",
        /// Its problem is solved.
        Resolved = "resolved",
        /// Replaced by another memory.
        Superseded = "superseded",
        /// Looks like a prompt injection. Only people see it; it is never injected.
        Quarantined = "quarantined",
    }
}

stored_enum! {
    /// The source of a memory, which determines how far it is trusted.
    Trust {
        /// A person.
        User = "user",
        /// An agent.
        Agent = "agent",
        /// The output of a tool.
        Tool = "tool",
    }
}

/// A memory to add.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewMemory<'m> {
    /// The memory's id. Adding the same id twice has no effect.
    pub id: &'m str,
    /// The project's directory.
    pub project: &'m str,
    /// The type.
    pub kind: MemoryKind,
    /// The text.
    pub text: &'m str,
    /// What it applies to: a file or a component.
    pub context: Option<&'m str>,
    /// From 1 to 10; other values are clamped.
    pub importance: u8,
    /// The status.
    pub status: MemoryStatus,
    /// The source.
    pub trust: Trust,
    /// Ranked first, and never aged.
    pub pinned: bool,
    /// When it expires.
    pub expires: Option<Millis>,
    /// The agent it comes from.
    pub agent: Option<&'m str>,
    /// The session it comes from.
    pub session: Option<&'m str>,
    /// The events it comes from.
    pub events: &'m [&'m str],
    /// The files it is about.
    pub files: &'m [&'m str],
    /// The commit at which it was true.
    pub commit: Option<&'m str>,
    /// When it was learnt.
    pub created: Millis,
}

impl<'m> NewMemory<'m> {
    /// An active memory of medium importance from an agent.
    pub fn new(
        id: &'m str,
        project: &'m str,
        kind: MemoryKind,
        text: &'m str,
        created: Millis,
    ) -> Self {
        Self {
            id,
            project,
            kind,
            text,
            context: None,
            importance: 5,
            status: MemoryStatus::Active,
            trust: Trust::Agent,
            pinned: false,
            expires: None,
            agent: None,
            session: None,
            events: &[],
            files: &[],
            commit: None,
            created,
        }
    }
}

/// The result of adding a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedMemory {
    /// The memory's id; an existing one if the project already has the same memory.
    pub id: String,
    /// The row id.
    pub pk: i64,
    /// `false` if the memory existed.
    pub new: bool,
}

/// Changes of a memory's metadata; `None` leaves a field unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryChange<'m> {
    /// The status.
    pub status: Option<MemoryStatus>,
    /// The id of the memory that replaces it. Sets the status to superseded.
    pub superseded_by: Option<&'m str>,
    /// The importance.
    pub importance: Option<u8>,
    /// Whether it is ranked first.
    pub pinned: Option<bool>,
    /// When it expires; `Some(None)`: never.
    pub expires: Option<Option<Millis>>,
}

/// Selects memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryFilter<'q> {
    /// The project's directory; `None`: all projects.
    pub project: Option<&'q str>,
    /// The type.
    pub kind: Option<MemoryKind>,
    /// The status.
    pub status: Option<MemoryStatus>,
    /// The session it comes from.
    pub session: Option<&'q str>,
    /// A file it is about.
    pub file: Option<&'q str>,
    /// The most memories; clamped to 1 to 1000.
    pub limit: usize,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct MemoryRow {
    #[serde(skip)]
    pub pk: i64,
    pub id: String,
    pub project: String,
    #[serde(rename = "type")]
    pub kind: MemoryKind,
    pub text: String,
    pub context: Option<String>,
    pub importance: u8,
    pub status: MemoryStatus,
    pub trust: Trust,
    pub pinned: bool,
    pub expires: Option<Millis>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub events: Vec<String>,
    pub files: Vec<String>,
    pub commit: Option<String>,
    pub created: Millis,
    pub superseded_by: Option<String>,
}

/// The prefix of a `meta` key that lists what a memory contradicts, as a JSON array of ids. The memory's id
/// follows.
pub const CONTRADICTS: &str = "learn/contradicts/";

impl WriteTransaction<'_> {
    /// Adds a memory, with its vector if already computed. If the project has the same memory, that one is
    /// confirmed instead.
    pub fn add_memory(
        &mut self,
        memory: &NewMemory<'_>,
        vector: Option<NewVector<'_>>,
    ) -> Result<AddedMemory, Error> {
        self.with_connection(|db| insert_memory(db, memory, vector))
    }

    /// Changes a memory's metadata; `false` if there is no such memory.
    pub fn change_memory(&mut self, id: &str, change: &MemoryChange<'_>) -> Result<bool, Error> {
        if let Some(by) = change.superseded_by
            && self.leads_to(by, id)?
        {
            let why = format!("memory `{id}` cannot supersede itself");
            return Err(self.writer.failed(ErrorKind::Refused(why)));
        }
        let status = match change.superseded_by {
            Some(_) => Some(MemoryStatus::Superseded),
            None => change.status,
        };
        let sql = "UPDATE memories SET status = coalesce(?2, status),
                     superseded_by = CASE WHEN coalesce(?2, 'superseded') = 'superseded' THEN coalesce(?3, superseded_by) END,
                     importance = coalesce(?4, importance), pinned = coalesce(?5, pinned),
                     expires = CASE WHEN ?6 THEN ?7 ELSE expires END WHERE id = ?1";
        let values = params![
            id,
            status.map(MemoryStatus::word),
            change.superseded_by,
            change.importance.map(|one| one.clamp(1, 10)),
            change.pinned,
            change.expires.is_some(),
            change.expires.flatten(),
        ];
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute(values)? > 0))
    }

    /// Records that a memory was stated again: it gets the higher trust of both and all of their events and files.
    /// `false` if there is no such memory.
    pub fn confirm_memory(
        &mut self,
        id: &str,
        trust: Trust,
        events: &[&str],
        files: &[&str],
    ) -> Result<bool, Error> {
        self.with_connection(|db| {
            let sql = "SELECT pk FROM memories WHERE id = ?1";
            let pk = db.prepare_cached(sql)?.query_row([id], |row| row.get(0));
            let Some(pk) = pk.optional()? else {
                return Ok(false);
            };
            confirm(db, pk, trust, events, files)?;
            Ok(true)
        })
    }

    /// Adds to the list of memories that a memory contradicts.
    pub fn add_contradictions(&mut self, id: &str, others: &[String]) -> Result<(), Error> {
        let sql =
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value =
                     (SELECT json_group_array(value) FROM (SELECT value FROM json_each(meta.value)
                        UNION SELECT value FROM json_each(excluded.value)))";
        let others = serde_json::json!(others).to_string();
        self.with_connection(|db| {
            let values = (format!("{CONTRADICTS}{id}"), others);
            db.prepare_cached(sql)?.execute(values).map(drop)
        })
    }

    /// Whether following `superseded_by` from one memory leads to another.
    fn leads_to(&mut self, from: &str, to: &str) -> Result<bool, Error> {
        let sql = "WITH RECURSIVE chain (id) AS (
                     SELECT ?1 UNION SELECT m.superseded_by FROM chain JOIN memories AS m ON m.id = chain.id
                     WHERE m.superseded_by IS NOT NULL
                   ) SELECT 1 FROM chain WHERE id = ?2";
        self.with_connection(|db| db.prepare_cached(sql)?.exists((from, to)))
    }

    /// Deletes a memory and everything derived from it; `false` if there is no such memory.
    ///
    /// Memories that it superseded are linked to its own successor; without one, they become resolved.
    pub fn forget_memory(&mut self, id: &str) -> Result<bool, Error> {
        self.with_connection(|db| {
            let unlink = "UPDATE memories SET superseded_by = heir.id, status = iif(heir.id IS NULL AND status = 'superseded', 'resolved', status)
                          FROM (SELECT superseded_by AS id FROM memories WHERE id = ?1) AS heir WHERE superseded_by = ?1";
            db.prepare_cached(unlink)?.execute([id])?;
            let own = "DELETE FROM meta WHERE key = ?1";
            db.prepare_cached(own)?
                .execute([format!("{CONTRADICTS}{id}")])?;
            let of_others = "UPDATE meta SET value = (SELECT json_group_array(value) FROM json_each(meta.value) WHERE value <> ?2)
                             WHERE substr(key, 1, length(?1)) = ?1 AND json_valid(value) AND instr(value, ?2)";
            db.prepare_cached(of_others)?.execute((CONTRADICTS, id))?;
            let sql = "DELETE FROM memories WHERE id = ?1";
            Ok(db.prepare_cached(sql)?.execute([id])? > 0)
        })
    }
}

fn insert_memory(
    db: &Connection,
    memory: &NewMemory<'_>,
    vector: Option<NewVector<'_>>,
) -> rusqlite::Result<AddedMemory> {
    let project = project_key(db, memory.project, memory.created)?;
    let text = redact_text(memory.text);
    let context = memory.context.map(redact_text);
    let hash = content_hash(memory.kind, &text, context.as_deref(), memory.session);
    let known = "SELECT id, pk, content_hash = ?3 FROM memories
                 WHERE id = ?1 OR (project_pk = ?2 AND content_hash = ?3)";
    let row = db
        .prepare_cached(known)?
        .query_row((memory.id, project, &hash), |row| {
            let known = AddedMemory {
                id: row.get(0)?,
                pk: row.get(1)?,
                new: false,
            };
            Ok((known, row.get(2)?))
        });
    if let Some((known, says_the_same)) = row.optional()? {
        if says_the_same {
            confirm(db, known.pk, memory.trust, memory.events, memory.files)?;
        }
        return Ok(known);
    }
    let sql = "INSERT INTO memories (id, project_pk, type, text, context, importance, status, trust, pinned, expires, agent,
                 session, events, files, commit_id, created, content_hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
    db.prepare_cached(sql)?.execute(params![
        memory.id,
        project,
        memory.kind.word(),
        text,
        context,
        memory.importance.clamp(1, 10),
        memory.status.word(),
        memory.trust.word(),
        memory.pinned,
        memory.expires,
        memory.agent.map(redact_text),
        memory.session.map(redact_text),
        redacted_list(memory.events),
        redacted_list(memory.files),
        memory.commit.map(redact_text),
        memory.created,
        hash,
    ])?;
    let pk = db.last_insert_rowid();
    if let Some(vector) = vector {
        insert_vector(db, CorpusKind::Memory, pk, vector)?;
    }
    Ok(AddedMemory {
        id: memory.id.to_owned(),
        pk,
        new: true,
    })
}

/// The most events, and the most files, that are stored per memory.
const MAX_SOURCES: usize = 100;

fn confirm(
    db: &Connection,
    pk: i64,
    trust: Trust,
    events: &[&str],
    files: &[&str],
) -> rusqlite::Result<()> {
    let sql = "SELECT trust, events, files FROM memories WHERE pk = ?1";
    let before: (Trust, String, String) = db
        .prepare_cached(sql)?
        .query_row([pk], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let trust = if trust.rank() > before.0.rank() {
        trust
    } else {
        before.0
    };
    let after = (
        trust,
        extended_list(&before.1, events),
        extended_list(&before.2, files),
    );
    if after == before {
        return Ok(());
    }
    let sql = "UPDATE memories SET trust = ?2, events = ?3, files = ?4 WHERE pk = ?1";
    let values = (pk, after.0.word(), after.1, after.2);
    db.prepare_cached(sql)?.execute(values).map(drop)
}

/// A stored list with more texts appended, without duplicates.
fn extended_list(json: &str, more: &[&str]) -> String {
    let mut all = parse_list(json);
    for text in more {
        let text = redact_text(text);
        if all.len() < MAX_SOURCES && !all.iter().any(|known| *known == text) {
            all.push(text.into_owned());
        }
    }
    serde_json::json!(all).to_string()
}

impl Trust {
    /// A higher rank is trusted more.
    pub fn rank(self) -> u8 {
        match self {
            Self::Tool => 0,
            Self::Agent => 1,
            Self::User => 2,
        }
    }
}

/// Encodes a list. The texts come from callers, so they are redacted.
fn redacted_list(texts: &[&str]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| redact_text(text)).collect();
    serde_json::json!(texts).to_string()
}

/// Equal for memories with the same content. A session summary also depends on its session.
pub(super) fn content_hash(
    kind: MemoryKind,
    text: &str,
    context: Option<&str>,
    session: Option<&str>,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let session = session.filter(|_| kind == MemoryKind::SessionSummary);
    let parts = [kind.word(), text.trim(), context.unwrap_or_default()];
    for part in parts.into_iter().chain(session) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

pub(super) const MEMORY: &str = "SELECT m.pk, m.id, p.path, m.type, m.text, m.context, m.importance, m.status, m.trust, m.pinned, m.expires,
  m.agent, m.session, m.events, m.files, m.commit_id, m.created, m.superseded_by
  FROM memories AS m JOIN projects AS p ON p.pk = m.project_pk";

impl StoreReader {
    /// One memory.
    pub fn memory(&self, id: &str) -> Result<Option<MemoryRow>, Error> {
        self.first(&format!("{MEMORY} WHERE m.id = ?1"), [id], memory)
    }

    /// Memories, pinned ones first, then latest first.
    pub fn memories(&self, filter: &MemoryFilter<'_>) -> Result<Vec<MemoryRow>, Error> {
        let mut sql = format!("{MEMORY} WHERE 1");
        let mut values: Vec<Value> = Vec::new();
        let mut and = |condition: &str, value: Option<&str>| {
            if let Some(value) = value {
                sql.push_str(condition);
                values.push(Value::Text(value.to_owned()));
            }
        };
        and(" AND p.path = ?", filter.project);
        and(" AND m.type = ?", filter.kind.map(MemoryKind::word));
        and(" AND m.status = ?", filter.status.map(MemoryStatus::word));
        and(" AND m.session = ?", filter.session);
        and(
            " AND EXISTS (SELECT 1 FROM json_each(m.files) WHERE value = ?)",
            filter.file,
        );
        let limit = filter.limit.clamp(1, 1000);
        sql.push_str(&format!(
            " ORDER BY m.pinned DESC, m.created DESC, m.pk DESC LIMIT {limit}"
        ));
        self.all(&sql, params_from_iter(values), memory)
    }

    /// Memories of all projects after a row id, in row order.
    pub(crate) fn memories_after(&self, pk: i64, limit: usize) -> Result<Vec<MemoryRow>, Error> {
        let sql = format!("{MEMORY} WHERE m.pk > ?1 ORDER BY m.pk LIMIT {limit}");
        self.all(&sql, [pk], memory)
    }

    /// Memories by row id, in no particular order. Deleted rows are omitted.
    pub fn memories_by_pk(&self, pks: &[i64]) -> Result<Vec<MemoryRow>, Error> {
        let sql = format!("{MEMORY} WHERE m.pk IN (SELECT value FROM json_each(?1))");
        self.all(&sql, [serde_json::Value::from(pks).to_string()], memory)
    }
}

pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    Ok(MemoryRow {
        pk: row.get(0)?,
        id: row.get(1)?,
        project: row.get(2)?,
        kind: row.get(3)?,
        text: row.get(4)?,
        context: row.get(5)?,
        importance: row.get(6)?,
        status: row.get(7)?,
        trust: row.get(8)?,
        pinned: row.get(9)?,
        expires: row.get(10)?,
        agent: row.get(11)?,
        session: row.get(12)?,
        events: parse_list(&row.get::<_, String>(13)?),
        files: parse_list(&row.get::<_, String>(14)?),
        commit: row.get(15)?,
        created: row.get(16)?,
        superseded_by: row.get(17)?,
    })
}

/// Decodes a stored list of texts.
pub(super) fn parse_list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
