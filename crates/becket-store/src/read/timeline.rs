//! The timeline of one session, turn by turn.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::lists::{DECISION, DecisionRow, decision};
use super::search::{ACTIVITY, ActivityRow, activity};
use super::serialize;
use super::sessions::{BatchRow, SessionRow};
use super::stats::ActivityStats;
use crate::describe::describe_record;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

/// A session and its events.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Timeline {
    /// The session.
    pub session: SessionRow,
    /// Events before the first prompt; only on the first page.
    pub before: Vec<TimelineEntry>,
    /// Turns, in order.
    pub batches: Vec<BatchDetail>,
    /// The number of the first batch of the next page; `None` at the end.
    pub next: Option<u32>,
}

/// A batch and its events.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BatchDetail {
    /// The batch, with prompt, answer and plan.
    pub batch: BatchRow,
    /// Its statistics.
    pub stats: ActivityStats,
    /// The agent's own events, in order.
    pub entries: Vec<TimelineEntry>,
    /// Its subagents' events, subagents in the order of their first event.
    pub subagents: Vec<SubagentDetail>,
}

/// The events of a subagent.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct SubagentDetail {
    /// The agent's id for the subagent.
    pub id: String,
    /// Events, in order.
    pub entries: Vec<TimelineEntry>,
}

/// An entry of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Entry")]
pub struct TimelineEntry {
    /// The event's id.
    pub event_id: String,
    /// When it happened.
    pub at: Millis,
    /// The event's canonical name.
    pub kind: String,
    /// The activity, the decision or the bare event.
    pub what: EntryContent,
    /// A one-line description; activities contain their own.
    pub about: Option<String>,
    /// Context that hooks injected.
    pub context: Option<String>,
    /// The tool input as rewritten by hooks, as JSON.
    #[serde(serialize_with = "serialize::optional_json")]
    #[schemars(with = "Option<Value>")]
    pub updated_input: Option<String>,
    /// The hooks that ran for it.
    pub hooks: Vec<HookRunRow>,
    #[serde(skip)]
    subagent: Option<String>,
}

/// The content of a timeline entry.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "What")]
pub enum EntryContent {
    /// An activity: a tool call, a thought, an answer.
    Activity(Box<ActivityRow>),
    /// A decision of the hooks.
    Decision(Box<DecisionRow>),
    /// An event with neither: a start, an end, a notification, a call without a decision.
    Event {
        /// The tool of the event's call.
        tool: Option<String>,
        /// Why the event could not be parsed.
        problem: Option<String>,
    },
}

/// A hook run.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct HookRunRow {
    pub event_id: String,
    pub at: Millis,
    pub hook: String,
    pub rule: Option<String>,
    pub verdict: String,
    pub ms: Option<i64>,
    pub ending: Option<String>,
    pub error: Option<String>,
    pub reason: Option<String>,
    pub output: Option<String>,
    /// The agent did not wait for it (`async`).
    pub detached: bool,
}

/// The parts of an entry that are only in the event's record.
#[derive(Default)]
struct RecordExtras {
    about: Option<String>,
    context: Option<String>,
    updated_input: Option<String>,
}

impl RecordExtras {
    fn of(record: &str, is_done: bool) -> Self {
        let Ok(record) = serde_json::from_str::<Value>(record) else {
            return Self::default();
        };
        let decision = &record["decision"];
        let input = decision.get("updated_input");
        Self {
            about: describe_record(&record).filter(|_| !is_done),
            context: decision["context"].as_str().map(str::to_owned),
            updated_input: input
                .filter(|input| !input.is_null())
                .map(ToString::to_string),
        }
    }
}

impl StoreReader {
    /// The timeline of a session: `most` batches beginning with number `from`; the first is 1.
    pub fn timeline(
        &self,
        session: &str,
        from: u32,
        most: usize,
    ) -> Result<Option<Timeline>, Error> {
        let Some(row) = self.session(session)? else {
            return Ok(None);
        };
        let (batches, next) = self.turns(session, from, most)?;
        let before = match from {
            0 | 1 => self.entries(
                "e.batch_pk IS NULL AND e.session_pk = (SELECT pk FROM sessions WHERE id = ?1)",
                session,
            )?,
            _ => Vec::new(),
        };
        Ok(Some(Timeline {
            session: row,
            before,
            batches,
            next,
        }))
    }

    /// Only the batches of a timeline, and the number of the next one.
    pub fn turns(
        &self,
        session: &str,
        from: u32,
        most: usize,
    ) -> Result<(Vec<BatchDetail>, Option<u32>), Error> {
        let mut rows = self.batches_from(session, from, most.saturating_add(1))?;
        let next = rows.get(most).map(|batch| batch.number);
        rows.truncate(most);
        let batches = rows.into_iter().map(|batch| self.batch_detail(batch));
        Ok((batches.collect::<Result<_, _>>()?, next))
    }

    fn batch_detail(&self, batch: BatchRow) -> Result<BatchDetail, Error> {
        let of = "e.batch_pk = (SELECT pk FROM batches WHERE id = ?1)";
        let (mut own, mut subagents): (Vec<TimelineEntry>, Vec<SubagentDetail>) =
            Default::default();
        for entry in self.entries(of, &batch.id)? {
            let subagent = entry.subagent.clone().filter(|id| *id != batch.session);
            let Some(id) = subagent else {
                own.push(entry);
                continue;
            };
            match subagents.iter_mut().find(|known| known.id == id) {
                Some(known) => known.entries.push(entry),
                None => subagents.push(SubagentDetail {
                    id,
                    entries: vec![entry],
                }),
            }
        }
        Ok(BatchDetail {
            stats: self.batch_stats(&batch.id)?,
            entries: own,
            subagents,
            batch,
        })
    }

    /// Events in order, with their activities, decisions and hook runs; without duplicates.
    fn entries(&self, of: &str, key: &str) -> Result<Vec<TimelineEntry>, Error> {
        let list = format!("SELECT e.id FROM events AS e WHERE {of}");
        let sql = format!("{ACTIVITY} WHERE a.id IN ({list})");
        let rows = self.all(&sql, [key], activity)?;
        let mut activities: HashMap<String, ActivityRow> =
            rows.into_iter().map(|row| (row.id.clone(), row)).collect();
        let sql = format!("{DECISION} WHERE d.event_id IN ({list})");
        let rows = self.all(&sql, [key], decision)?;
        let mut decisions: HashMap<String, DecisionRow> = rows
            .into_iter()
            .map(|row| (row.event_id.clone(), row))
            .collect();
        let mut runs: HashMap<String, Vec<HookRunRow>> = HashMap::new();
        for run in self.hook_runs_where(&format!("h.event_id IN ({list})"), key)? {
            runs.entry(run.event_id.clone()).or_default().push(run);
        }
        let sql = format!(
            "SELECT e.id, e.at, e.kind, e.subagent, e.tool, e.problem, e.record FROM events AS e
             WHERE {of} AND e.duplicate_of IS NULL ORDER BY e.at, e.id"
        );
        self.all(&sql, [key], |row| {
            let id: String = row.get(0)?;
            let is_done = activities.contains_key(&id);
            // Most records have nothing to add, so they are not parsed.
            let extras = if !is_done || decisions.contains_key(&id) {
                RecordExtras::of(&row.get::<_, String>(6)?, is_done)
            } else {
                RecordExtras::default()
            };
            let done = activities
                .remove(&id)
                .map(|row| EntryContent::Activity(Box::new(row)));
            let decided = || {
                decisions
                    .remove(&id)
                    .map(|row| EntryContent::Decision(Box::new(row)))
            };
            let what = match done.or_else(decided) {
                Some(what) => what,
                None => EntryContent::Event {
                    tool: row.get(4)?,
                    problem: row.get(5)?,
                },
            };
            Ok(TimelineEntry {
                at: row.get(1)?,
                kind: row.get(2)?,
                subagent: row.get(3)?,
                what,
                about: extras.about,
                context: extras.context,
                updated_input: extras.updated_input,
                hooks: runs.remove(&id).unwrap_or_default(),
                event_id: id,
            })
        })
    }

    /// The hook runs of an event.
    pub fn hook_runs(&self, event: &str) -> Result<Vec<HookRunRow>, Error> {
        self.hook_runs_where("h.event_id = ?1", event)
    }

    fn hook_runs_where(&self, which: &str, key: &str) -> Result<Vec<HookRunRow>, Error> {
        let sql = format!(
            "SELECT h.event_id, h.at, h.hook, h.rule, h.verdict, h.ms, h.ending, h.error, h.reason, h.output, h.detached
             FROM hook_runs AS h WHERE {which} ORDER BY h.at, h.detached, h.pk"
        );
        self.all(&sql, [key], |row| {
            Ok(HookRunRow {
                event_id: row.get(0)?,
                at: row.get(1)?,
                hook: row.get(2)?,
                rule: row.get(3)?,
                verdict: row.get(4)?,
                ms: row.get(5)?,
                ending: row.get(6)?,
                error: row.get(7)?,
                reason: row.get(8)?,
                output: row.get(9)?,
                detached: row.get(10)?,
            })
        })
    }
}
