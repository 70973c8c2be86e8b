//! Events in the order in which they were stored, for those who follow along.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{Scope, Where, limited, text};
use super::shape;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Reader;

/// Which events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFilter<'q> {
    /// When, where, by whom.
    pub scope: Scope<'q>,
    /// The id of a session.
    pub session: Option<&'q str>,
    /// The canonical name of an event.
    pub kind: Option<&'q str>,
    /// `allow`, `ask`, `deny`, `halt`, `none`, and `rewrite` for those with another input; several with commas between.
    pub verdict: Option<&'q str>,
    /// How many.
    pub limit: usize,
}

impl Default for EventFilter<'_> {
    /// A hundred of all.
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            session: None,
            kind: None,
            verdict: None,
            limit: 100,
        }
    }
}

impl EventFilter<'_> {
    fn which(&self) -> Where {
        Where::default()
            .scope(&self.scope, "e")
            .and("s.id = ?", text(self.session))
            .and("e.kind = ?", text(self.kind))
            .verdicts("coalesce(e.verdict, 'none')", REWRITTEN, self.verdict)
    }

    /// Whether anything is asked for that an index of few columns knows.
    fn is_narrow(&self) -> bool {
        self.session.is_none()
            && (self.kind.is_some() || self.verdict.is_some() || self.scope != Scope::default())
    }
}

/// Whether hooks gave a call another input.
const REWRITTEN: &str = "e.seq IN (SELECT o.seq FROM decisions AS d JOIN events AS o ON o.id = d.event_id WHERE d.rewritten <> 0)";

/// An event, and its place in the stream.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct StreamedEvent {
    /// Grows with each event that is stored, and is never used again.
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
    /// What could not be understood.
    pub problem: Option<String>,
    /// What the client recorded, as JSON.
    #[serde(serialize_with = "shape::json")]
    #[schemars(with = "Value")]
    pub record: String,
}

const EVENT: &str =
    "SELECT e.seq, e.id, e.at, e.kind, e.agent, s.id, p.path, b.id, e.subagent, e.tool, e.call_id,
  e.verdict, e.duplicate_of, e.problem, e.record
  FROM events AS e LEFT JOIN sessions AS s ON s.pk = e.session_pk
  LEFT JOIN projects AS p ON p.pk = e.project_pk LEFT JOIN batches AS b ON b.pk = e.batch_pk";

impl Reader {
    /// The place of the latest event that ever was, also if it is gone by now; zero if there was none.
    pub fn last_seq(&self) -> Result<i64, Error> {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
        Ok(self.first(sql, [], |row| row.get(0))?.unwrap_or(0))
    }

    /// The events after a place in the stream.
    pub fn events_since(&self, seq: i64, limit: usize) -> Result<Vec<StreamedEvent>, Error> {
        let filter = EventFilter {
            limit,
            ..EventFilter::default()
        };
        self.events_after(seq, &filter)
    }

    /// Some of the events after a place in the stream.
    pub fn events_after(
        &self,
        seq: i64,
        filter: &EventFilter<'_>,
    ) -> Result<Vec<StreamedEvent>, Error> {
        let which = filter.which().and("e.seq > ?", Some(seq));
        let sql = format!(
            "{EVENT} {} ORDER BY e.seq LIMIT {}",
            which.sql(),
            limited(filter.limit)
        );
        self.all(&sql, params_from_iter(which.values), event)
    }

    /// The latest of some events, in the order of the stream.
    pub fn latest_events(&self, filter: &EventFilter<'_>) -> Result<Vec<StreamedEvent>, Error> {
        self.events_before(i64::MAX, filter)
    }

    /// The latest of some events before a place in the stream, in its order.
    pub fn events_before(
        &self,
        seq: i64,
        filter: &EventFilter<'_>,
    ) -> Result<Vec<StreamedEvent>, Error> {
        let which = filter.which().and("e.seq < ?", Some(seq));
        let limit = limited(filter.limit);
        let sql = if filter.is_narrow() {
            // What is rare is looked for in an index and not in the records, which are much larger.
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
