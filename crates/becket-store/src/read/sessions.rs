//! Queries for sessions and their batches.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;

use super::filter::{OF_PROJECT, Page, QueryScope, WhereClause, clamp_limit, page, text};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

/// Selects sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionFilter<'q> {
    /// The time span refers to a session's last event.
    pub scope: QueryScope<'q>,
    /// `active` or `completed`.
    pub status: Option<&'q str>,
    /// A parent session: selects its children.
    pub parent: Option<&'q str>,
    /// The page size.
    pub limit: usize,
    /// The cursor from the previous page.
    pub after: Option<&'q str>,
}

impl Default for SessionFilter<'_> {
    /// The latest fifty.
    fn default() -> Self {
        Self {
            scope: QueryScope::default(),
            status: None,
            parent: None,
            limit: 50,
            after: None,
        }
    }
}

/// A session without statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct SessionHead {
    pub id: String,
    pub agent: String,
    pub project: Option<String>,
    /// `active` or `completed`.
    pub status: String,
    pub started_at: Millis,
    pub last_at: Millis,
    pub ended_at: Option<Millis>,
    pub parent_reason: Option<String>,
    pub title: Option<String>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct SessionRow {
    pub id: String,
    pub agent: String,
    pub project: Option<String>,
    pub status: String,
    pub source: Option<String>,
    pub started_at: Millis,
    pub last_at: Millis,
    pub ended_at: Option<Millis>,
    pub end_reason: Option<String>,
    pub transcript: Option<String>,
    pub parent: Option<String>,
    pub parent_reason: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    /// The person's first prompt.
    pub first_prompt: Option<String>,
    pub prompts: u64,
    #[serde(rename = "activities")]
    pub tool_calls: u64,
    pub failures: u64,
    pub denied: u64,
    /// How many calls hooks referred to the person.
    pub asked: u64,
    /// How many calls hooks rewrote.
    pub rewritten: u64,
    /// How many files were read or changed.
    pub files: u64,
    /// The three most used tools.
    pub tools: Vec<String>,
    #[serde(skip)]
    pk: i64,
}

/// A batch: everything from one prompt to the next.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct BatchRow {
    pub id: String,
    pub session: String,
    pub number: u32,
    /// `user`, `plan`, `agent_notification` or `system`; a batch that contains a plan is a `plan`.
    pub source: String,
    pub status: String,
    pub started_at: Millis,
    pub last_at: Millis,
    pub ended_at: Option<Millis>,
    /// `stop`, `failure`, `prompt`, `restart`, `session_end` or `idle`.
    pub ended_by: Option<String>,
    pub prompt: Option<String>,
    pub response: Option<String>,
    pub plan_path: Option<String>,
    pub plan: Option<String>,
    pub class: Option<String>,
    pub processed_at: Option<Millis>,
}

/// The event with the prompt's text. A batch that began with redacted telemetry takes the text from the hook event
/// that reported the same prompt.
macro_rules! prompt_of_batch {
    () => {
        "CASE WHEN b.id GLOB 'otlp-*' THEN coalesce(
    (SELECT e.id FROM events AS e JOIN messages AS w ON w.event_id = e.id AND w.role = 'prompt'
     WHERE e.batch_pk = b.pk AND e.duplicate_of = b.id AND e.id NOT GLOB 'otlp-*' ORDER BY e.at, e.id LIMIT 1),
    b.id) ELSE b.id END"
    };
}

const SESSION: &str = concat!(
    "SELECT s.id, s.agent, p.path, s.status, s.source, s.started_at, s.last_at, s.ended_at,
  s.end_reason, s.transcript, s.parent, s.parent_reason, s.title, s.summary,
  (SELECT m.text FROM batches AS b JOIN messages AS m ON m.role = 'prompt' AND m.event_id = ",
    prompt_of_batch!(),
    "
   WHERE b.session_pk = s.pk AND b.source = 'user' ORDER BY b.started_at, b.id LIMIT 1),
  (SELECT count(*) FROM batches AS b WHERE b.session_pk = s.pk AND b.source <> 'system'),
  (SELECT count(*) FROM activities AS a WHERE a.session_pk = s.pk AND a.kind = 'tool'),
  (SELECT count(*) FROM activities AS a WHERE a.session_pk = s.pk AND a.success = 0),
  (SELECT count(*) FROM decisions AS d WHERE d.session_pk = s.pk AND d.verdict IN ('deny', 'halt')),
  (SELECT count(*) FROM decisions AS d WHERE d.session_pk = s.pk AND d.verdict = 'ask'),
  (SELECT count(*) FROM decisions AS d WHERE d.session_pk = s.pk AND d.rewritten <> 0),
  (SELECT count(DISTINCT f.path) FROM activities AS a JOIN files AS f ON f.activity_pk = a.pk
   WHERE a.session_pk = s.pk AND f.change <> 'named'),
  (SELECT json_group_array(tool) FROM (SELECT a.tool FROM activities AS a WHERE a.session_pk = s.pk AND a.kind = 'tool'
   GROUP BY a.tool ORDER BY count(*) DESC, a.tool LIMIT 3)),
  s.pk
  FROM sessions AS s LEFT JOIN projects AS p ON p.pk = s.project_pk"
);

const BATCH: &str = concat!(
    "SELECT b.id, s.id, b.number, CASE WHEN b.plan_id IS NULL THEN b.source ELSE 'plan' END, b.status,
  b.started_at, b.last_at, b.ended_at, b.ended_by, q.text, r.text, l.path, l.text, b.class, b.processed_at
  FROM batches AS b JOIN sessions AS s ON s.pk = b.session_pk
  LEFT JOIN messages AS q ON q.role = 'prompt' AND q.event_id = ",
    prompt_of_batch!(),
    "
  LEFT JOIN messages AS r ON r.event_id = b.response_id AND r.role = 'response'
  LEFT JOIN messages AS l ON l.event_id = b.plan_id AND l.role = 'plan'"
);

impl StoreReader {
    /// Sessions, latest first.
    pub fn sessions(&self, filter: &SessionFilter<'_>) -> Result<Page<SessionRow>, Error> {
        let limit = clamp_limit(filter.limit);
        let which = WhereClause::default()
            .span(&filter.scope, "s.last_at")
            .and("s.agent = ?", text(filter.scope.agent))
            .and(&format!("s.{OF_PROJECT}"), text(filter.scope.project))
            .and("s.status = ?", text(filter.status))
            .and("s.parent = ?", text(filter.parent))
            .after(("s.last_at", "s.pk"), filter.after);
        let sql = format!(
            "{SESSION} {} ORDER BY s.last_at DESC, s.pk DESC LIMIT {}",
            which.sql(),
            limit + 1
        );
        let rows = self.all(&sql, params_from_iter(which.values), session)?;
        Ok(page(rows, limit, |row| {
            (row.last_at, format!("#{}", row.pk))
        }))
    }

    /// One session without statistics. Counting gets slower the longer a session is.
    pub fn session_head(&self, id: &str) -> Result<Option<SessionHead>, Error> {
        let sql = "SELECT s.id, s.agent, p.path, s.status, s.started_at, s.last_at, s.ended_at, s.parent_reason, s.title
                   FROM sessions AS s LEFT JOIN projects AS p ON p.pk = s.project_pk WHERE s.id = ?1";
        self.first(sql, [id], |row| {
            Ok(SessionHead {
                id: row.get(0)?,
                agent: row.get(1)?,
                project: row.get(2)?,
                status: row.get(3)?,
                started_at: row.get(4)?,
                last_at: row.get(5)?,
                ended_at: row.get(6)?,
                parent_reason: row.get(7)?,
                title: row.get(8)?,
            })
        })
    }

    /// One session.
    pub fn session(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        self.first(&format!("{SESSION} WHERE s.id = ?1"), [id], session)
    }

    /// Ids of sessions with a given prefix, latest first.
    pub fn session_ids(&self, beginning: &str, limit: usize) -> Result<Vec<String>, Error> {
        let sql = format!(
            "SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY last_at DESC, pk DESC LIMIT {}",
            clamp_limit(limit)
        );
        self.all(&sql, [beginning], |row| row.get(0))
    }

    /// A session's ancestors, parent first. Unknown sessions are omitted.
    pub fn lineage(&self, id: &str) -> Result<Vec<SessionRow>, Error> {
        // UNION drops rows that were seen, so a cycle terminates.
        let sql = format!(
            "WITH RECURSIVE up (id, far) AS (
               SELECT ?1, 0 UNION SELECT s.parent, far + 1 FROM up JOIN sessions AS s ON s.id = up.id
               WHERE s.parent IS NOT NULL AND far < 64
             ), nearest AS (SELECT id, min(far) AS far FROM up GROUP BY id)
             {SESSION} JOIN nearest AS n ON n.id = s.id WHERE n.far > 0 ORDER BY n.far"
        );
        self.all(&sql, [id], session)
    }

    /// All batches of a session, in order.
    pub fn batches(&self, session: &str) -> Result<Vec<BatchRow>, Error> {
        let sql = format!("{BATCH} WHERE s.id = ?1 ORDER BY b.number");
        self.all(&sql, [session], batch)
    }

    /// The batches of a session from a number on, in order.
    pub(super) fn batches_from(
        &self,
        session: &str,
        number: u32,
        most: usize,
    ) -> Result<Vec<BatchRow>, Error> {
        let sql = format!("{BATCH} WHERE s.id = ?1 AND b.number >= ?2 ORDER BY b.number LIMIT ?3");
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.all(&sql, (session, number, most), batch)
    }

    /// One batch.
    pub fn batch(&self, id: &str) -> Result<Option<BatchRow>, Error> {
        self.first(&format!("{BATCH} WHERE b.id = ?1"), [id], batch)
    }

    /// The batch in progress.
    pub fn active_batch(&self, session: &str) -> Result<Option<BatchRow>, Error> {
        let sql = format!(
            "{BATCH} WHERE s.id = ?1 AND b.status = 'active' ORDER BY b.number DESC LIMIT 1"
        );
        self.first(&sql, [session], batch)
    }

    /// Whether the session's context was compacted after a time.
    pub fn was_compacted_since(&self, session: &str, at: Millis) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM events AS e JOIN sessions AS s ON s.pk = e.session_pk
                   WHERE s.id = ?1 AND e.at > ?2 AND e.subagent IS NULL
                     AND e.kind IN ('PreCompact', 'PostCompact') LIMIT 1";
        let found = self.first(sql, (session, at), |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Completed batches that memory extraction has not processed, oldest first.
    pub fn unprocessed_batches(&self, limit: usize) -> Result<Vec<BatchRow>, Error> {
        let sql = format!(
            "{BATCH} WHERE b.processed_at IS NULL AND b.status = 'completed' ORDER BY b.ended_at LIMIT {}",
            clamp_limit(limit)
        );
        self.all(&sql, [], batch)
    }
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        agent: row.get(1)?,
        project: row.get(2)?,
        status: row.get(3)?,
        source: row.get(4)?,
        started_at: row.get(5)?,
        last_at: row.get(6)?,
        ended_at: row.get(7)?,
        end_reason: row.get(8)?,
        transcript: row.get(9)?,
        parent: row.get(10)?,
        parent_reason: row.get(11)?,
        title: row.get(12)?,
        summary: row.get(13)?,
        first_prompt: row.get(14)?,
        prompts: row.get(15)?,
        tool_calls: row.get(16)?,
        failures: row.get(17)?,
        denied: row.get(18)?,
        asked: row.get(19)?,
        rewritten: row.get(20)?,
        files: row.get(21)?,
        tools: serde_json::from_str(&row.get::<_, String>(22)?).unwrap_or_default(),
        pk: row.get(23)?,
    })
}

fn batch(row: &Row<'_>) -> rusqlite::Result<BatchRow> {
    Ok(BatchRow {
        id: row.get(0)?,
        session: row.get(1)?,
        number: row.get(2)?,
        source: row.get(3)?,
        status: row.get(4)?,
        started_at: row.get(5)?,
        last_at: row.get(6)?,
        ended_at: row.get(7)?,
        ended_by: row.get(8)?,
        prompt: row.get(9)?,
        response: row.get(10)?,
        plan_path: row.get(11)?,
        plan: row.get(12)?,
        class: row.get(13)?,
        processed_at: row.get(14)?,
    })
}
