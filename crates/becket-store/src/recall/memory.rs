//! Memories: what was learnt, from whom, about which files.

use becket_guard::redact::redact_text;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector::{NewVector, insert_vector};
use super::{Shelf, project_key, words};
use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::Reader;
use crate::write::Group;

words! {
    /// What sort of thing was learnt.
    MemoryKind {
        /// Something that bites.
        Gotcha = "gotcha",
        /// Something that was decided.
        Decision = "decision",
        /// Something that was broken, and how it was mended.
        BugFix = "bug_fix",
        /// How something works.
        Discovery = "discovery",
        /// What was given up for what.
        TradeOff = "trade_off",
        /// What a session was about.
        SessionSummary = "session_summary",
        /// What is to be done.
        Plan = "plan",
    }
}

words! {
    /// Whether a memory still holds.
    MemoryStatus {
        /// It does.
        Active = "active",
        /// It was about a problem that is gone.
        Resolved = "resolved",
        /// Another one says it better.
        Superseded = "superseded",
        /// It looks like an instruction that nobody gave; it is shown to people only.
        Quarantined = "quarantined",
    }
}

words! {
    /// Who said it.
    Trust {
        /// A person.
        User = "user",
        /// An agent.
        Agent = "agent",
        /// The output of a tool.
        Tool = "tool",
    }
}

/// A memory to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewMemory<'m> {
    /// Its id; told twice, it counts once.
    pub id: &'m str,
    /// The project's directory.
    pub project: &'m str,
    /// What sort it is.
    pub kind: MemoryKind,
    /// What was learnt.
    pub text: &'m str,
    /// Where it belongs: a file, a part of the program.
    pub context: Option<&'m str>,
    /// From 1 to 10; what is outside counts as the nearer end.
    pub importance: u8,
    /// Whether it holds.
    pub status: MemoryStatus,
    /// Who said it.
    pub trust: Trust,
    /// It is shown first, and does not grow old.
    pub pinned: bool,
    /// When it stops being true.
    pub expires: Option<Millis>,
    /// The agent that it came from.
    pub agent: Option<&'m str>,
    /// The session that it came from.
    pub session: Option<&'m str>,
    /// The events that it came from.
    pub events: &'m [&'m str],
    /// The files that it is about.
    pub files: &'m [&'m str],
    /// The commit that it was true at.
    pub commit: Option<&'m str>,
    /// When it was learnt.
    pub created: Millis,
}

impl<'m> NewMemory<'m> {
    /// An active memory of middling importance that an agent told.
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

/// What became of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedMemory {
    /// The id under which it is known: another one, if the same had been learnt before.
    pub id: String,
    /// Its row.
    pub pk: i64,
    /// It was not known before.
    pub new: bool,
}

/// What is to be different about a memory; `None` leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryChange<'m> {
    /// Whether it holds.
    pub status: Option<MemoryStatus>,
    /// The id of the one that takes its place; it is superseded then.
    pub superseded_by: Option<&'m str>,
    /// How important it is.
    pub importance: Option<u8>,
    /// Whether it is shown first.
    pub pinned: Option<bool>,
    /// When it stops being true; `Some(None)`: never.
    pub expires: Option<Option<Millis>>,
}

/// Which memories are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryFilter<'q> {
    /// The project's directory; `None`: all.
    pub project: Option<&'q str>,
    /// What sort.
    pub kind: Option<MemoryKind>,
    /// Whether it holds.
    pub status: Option<MemoryStatus>,
    /// The session that it came from.
    pub session: Option<&'q str>,
    /// A file that it is about.
    pub file: Option<&'q str>,
    /// How many; at least one and at most a thousand.
    pub limit: usize,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
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

/// What a memory speaks against is noted under this and its id, as a JSON array of ids.
pub const CONTRADICTS: &str = "learn/contradicts/";

impl Group<'_> {
    /// Keeps a memory, with its vector if there is one already. What a project has learnt before
    /// it does not learn twice.
    pub fn add_memory(
        &mut self,
        memory: &NewMemory<'_>,
        vector: Option<NewVector<'_>>,
    ) -> Result<AddedMemory, Error> {
        self.recall(|db| insert_memory(db, memory, vector))
    }

    /// Changes a memory; whether there is such a memory.
    pub fn change_memory(&mut self, id: &str, change: &MemoryChange<'_>) -> Result<bool, Error> {
        if let Some(by) = change.superseded_by
            && self.leads_to(by, id)?
        {
            let why = format!("memory `{id}` cannot take its own place");
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
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute(values)? > 0))
    }

    /// Notes that somebody said it again: it is trusted like the one of them who is trusted most, and came from all that
    /// it came from. Whether there is such a memory.
    pub fn confirm_memory(
        &mut self,
        id: &str,
        trust: Trust,
        events: &[&str],
        files: &[&str],
    ) -> Result<bool, Error> {
        self.recall(|db| {
            let sql = "SELECT pk FROM memories WHERE id = ?1";
            let pk = db.prepare_cached(sql)?.query_row([id], |row| row.get(0));
            let Some(pk) = pk.optional()? else {
                return Ok(false);
            };
            confirm(db, pk, trust, events, files)?;
            Ok(true)
        })
    }

    /// Notes what a memory speaks against, beside what was noted before.
    pub fn add_contradictions(&mut self, id: &str, others: &[String]) -> Result<(), Error> {
        let sql =
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value =
                     (SELECT json_group_array(value) FROM (SELECT value FROM json_each(meta.value)
                        UNION SELECT value FROM json_each(excluded.value)))";
        let others = serde_json::json!(others).to_string();
        self.recall(|db| {
            let values = (format!("{CONTRADICTS}{id}"), others);
            db.prepare_cached(sql)?.execute(values).map(drop)
        })
    }

    /// Whether one memory is another, or was superseded by it in the end.
    fn leads_to(&mut self, from: &str, to: &str) -> Result<bool, Error> {
        let sql = "WITH RECURSIVE chain (id) AS (
                     SELECT ?1 UNION SELECT m.superseded_by FROM chain JOIN memories AS m ON m.id = chain.id
                     WHERE m.superseded_by IS NOT NULL
                   ) SELECT 1 FROM chain WHERE id = ?2";
        self.recall(|db| db.prepare_cached(sql)?.exists((from, to)))
    }

    /// Removes a memory with everything that was made from it; whether there was one.
    ///
    /// Whose place it had taken passes to the memory that has taken its own; where there is none, it is done with.
    pub fn forget_memory(&mut self, id: &str) -> Result<bool, Error> {
        self.recall(|db| {
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
        list_of(memory.events),
        list_of(memory.files),
        memory.commit.map(redact_text),
        memory.created,
        hash,
    ])?;
    let pk = db.last_insert_rowid();
    if let Some(vector) = vector {
        insert_vector(db, Shelf::Memory, pk, vector)?;
    }
    Ok(AddedMemory {
        id: memory.id.to_owned(),
        pk,
        new: true,
    })
}

/// As many events, and as many files, of a memory are kept track of.
const MOST_SOURCES: usize = 100;

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
    let after = (trust, with(&before.1, events), with(&before.2, files));
    if after == before {
        return Ok(());
    }
    let sql = "UPDATE memories SET trust = ?2, events = ?3, files = ?4 WHERE pk = ?1";
    let values = (pk, after.0.word(), after.1, after.2);
    db.prepare_cached(sql)?.execute(values).map(drop)
}

/// A list, as it is stored, with more texts behind; each is in it once.
fn with(json: &str, more: &[&str]) -> String {
    let mut all = list(json);
    for text in more {
        let text = redact_text(text);
        if all.len() < MOST_SOURCES && !all.iter().any(|known| *known == text) {
            all.push(text.into_owned());
        }
    }
    serde_json::json!(all).to_string()
}

impl Trust {
    /// The higher, the more it is worth.
    pub fn rank(self) -> u8 {
        match self {
            Self::Tool => 0,
            Self::Agent => 1,
            Self::User => 2,
        }
    }
}

/// Whoever tells something may put anything anywhere.
fn list_of(texts: &[&str]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| redact_text(text)).collect();
    serde_json::json!(texts).to_string()
}

/// The same for what says the same. What a session was is said of that session alone.
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

impl Reader {
    /// One memory.
    pub fn memory(&self, id: &str) -> Result<Option<MemoryRow>, Error> {
        self.first(&format!("{MEMORY} WHERE m.id = ?1"), [id], memory)
    }

    /// Memories, pinned ones first, then the latest.
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

    /// Memories of all projects in the order of their rows, after one of them.
    pub(crate) fn memories_after(&self, pk: i64, limit: usize) -> Result<Vec<MemoryRow>, Error> {
        let sql = format!("{MEMORY} WHERE m.pk > ?1 ORDER BY m.pk LIMIT {limit}");
        self.all(&sql, [pk], memory)
    }

    /// Memories by their rows, in no particular order. Rows that are gone are left out.
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
        events: list(&row.get::<_, String>(13)?),
        files: list(&row.get::<_, String>(14)?),
        commit: row.get(15)?,
        created: row.get(16)?,
        superseded_by: row.get(17)?,
    })
}

/// A list of texts, as it is stored.
pub(super) fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
