//! Events in storage order, for streaming.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{QueryScope, WhereClause, clamp_limit, text};
use super::serialize;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

/// Selects events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFilter<'q> {
    /// Time span, project and agent.
    pub scope: QueryScope<'q>,
    /// A session id.
    pub session: Option<&'q str>,
    /// The canonical name of an event.
    pub kind: Option<&'q str>,
    /// `allow`, `ask`, `deny`, `halt`, `none`, or `rewrite` for rewritten inputs; comma-separated.
    pub verdict: Option<&'q str>,
    /// The most events.
    pub limit: usize,
}

impl Default for EventFilter<'_> {
    /// One hundred events.
    fn default() -> Self {
        Self {
            scope: QueryScope::default(),
            session: None,
            kind: None,
            verdict: None,
            limit: 100,
        }
    }
}

impl EventFilter<'_> {
    fn which(&self) -> WhereClause {
        WhereClause::default()
            .scope(&self.scope, "e")
            .and("s.id = ?", text(self.session))
            .and("e.kind = ?", text(self.kind))
            .verdicts("coalesce(e.verdict, 'none')", REWRITTEN, self.verdict)
    }

    /// Whether the covering index on `events` can answer the filter.
    fn is_narrow(&self) -> bool {
        self.session.is_none()
            && (self.kind.is_some()
                || self.verdict.is_some()
                || self.scope != QueryScope::default())
    }
}

/// Events whose input hooks rewrote.
const REWRITTEN: &str = "e.seq IN (SELECT o.seq FROM decisions AS d JOIN events AS o ON o.id = d.event_id WHERE d.rewritten <> 0)";

/// An event with its sequence number.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct StreamedEvent {
    /// The sequence number. It increases with every stored event and is never reused.
    pub seq: i64,
    pub id: String,
    pub at: Millis,
    pub kind: String,
    pub agent: String,
    pub session: Option<String>,
    pub project: Option<String>,
    pub batch: Option<String>,
    pub subagent: Option<String>,
    pub tool: Option<String>,
    pub call_id: Option<String>,
    pub verdict: Option<String>,
    pub duplicate_of: Option<String>,
    /// Why the event could not be parsed.
    pub problem: Option<String>,
    /// The client's record, as JSON.
    #[serde(serialize_with = "serialize::json")]
    #[schemars(with = "Value")]
    pub record: String,
}

const EVENT: &str =
    "SELECT e.seq, e.id, e.at, e.kind, e.agent, s.id, p.path, b.id, e.subagent, e.tool, e.call_id,
  e.verdict, e.duplicate_of, e.problem, e.record
  FROM events AS e LEFT JOIN sessions AS s ON s.pk = e.session_pk
  LEFT JOIN projects AS p ON p.pk = e.project_pk LEFT JOIN batches AS b ON b.pk = e.batch_pk";

impl StoreReader {
    /// The highest sequence number ever used, even if its event is pruned; zero for an empty store.
    pub fn last_seq(&self) -> Result<i64, Error> {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
        Ok(self.first(sql, [], |row| row.get(0))?.unwrap_or(0))
    }

    /// Events after a sequence number.
    pub fn events_since(&self, seq: i64, limit: usize) -> Result<Vec<StreamedEvent>, Error> {
        let filter = EventFilter {
            limit,
            ..EventFilter::default()
        };
        self.events_after(seq, &filter)
    }

    /// Events after a sequence number that pass a filter.
    pub fn events_after(
        &self,
        seq: i64,
        filter: &EventFilter<'_>,
    ) -> Result<Vec<StreamedEvent>, Error> {
        let which = filter.which().and("e.seq > ?", Some(seq));
        let sql = format!(
            "{EVENT} {} ORDER BY e.seq LIMIT {}",
            which.sql(),
            clamp_limit(filter.limit)
        );
        self.all(&sql, params_from_iter(which.values), event)
    }

    /// The latest events that pass a filter, in sequence order.
    pub fn latest_events(&self, filter: &EventFilter<'_>) -> Result<Vec<StreamedEvent>, Error> {
        self.events_before(i64::MAX, filter)
    }

    /// The latest events before a sequence number that pass a filter, in sequence order.
    pub fn events_before(
        &self,
        seq: i64,
        filter: &EventFilter<'_>,
    ) -> Result<Vec<StreamedEvent>, Error> {
        let which = filter.which().and("e.seq < ?", Some(seq));
        let limit = clamp_limit(filter.limit);
        let sql = if filter.is_narrow() {
            // Rare events are looked up in the index first: scanning it is much cheaper than scanning the records.
            format!(
                "{EVENT} WHERE e.seq IN (SELECT e.seq FROM events AS e INDEXED BY events_by_time {}
                 ORDER BY e.seq DESC LIMIT {limit}) ORDER BY e.seq DESC",
                which.sql()
            )
        } else {
            format!("{EVENT} {} ORDER BY e.seq DESC LIMIT {limit}", which.sql())
        };
        let mut events = self.all(&sql, params_from_iter(which.values), event)?;
        events.reverse();
        Ok(events)
    }

    /// One event.
    pub fn event(&self, id: &str) -> Result<Option<StreamedEvent>, Error> {
        self.first(&format!("{EVENT} WHERE e.id = ?1"), [id], event)
    }
}

fn event(row: &Row<'_>) -> rusqlite::Result<StreamedEvent> {
    Ok(StreamedEvent {
        seq: row.get(0)?,
        id: row.get(1)?,
        at: row.get(2)?,
        kind: row.get(3)?,
        agent: row.get(4)?,
        session: row.get(5)?,
        project: row.get(6)?,
        batch: row.get(7)?,
        subagent: row.get(8)?,
        tool: row.get(9)?,
        call_id: row.get(10)?,
        verdict: row.get(11)?,
        duplicate_of: row.get(12)?,
        problem: row.get(13)?,
        record: row.get(14)?,
    })
}
