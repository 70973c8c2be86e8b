//! Matches outcomes to denied calls by input: same session, same tool, same input.
//!
//! Some agents send no call ids, some send them only before the call, and an agent that works around a hook repeats
//! a denied call under a new id. An equal input proves less than an equal id. So a report counts against a denial
//! only if nothing else explains it: first a permission event with the report's own id, then an allowed call with
//! the same input that is still open. The next decision on the same input, such as a person's approval, ends the
//! search.

use std::collections::BTreeSet;

use super::decisions::{CallDecision, MatchedBy, OutcomeReport, asks_permission, is_denial};
use super::missing_hooks::TELEMETRY_ID_PREFIX;
use super::transaction::{SqlResult, WriteTransaction};
use crate::millis::Millis;
use crate::record::{CallOutcome, ParsedEvent};

/// An event of a call with the given input.
struct CallEvent {
    id: String,
    at: Millis,
    kind: String,
    verdict: Option<String>,
    batch: Option<i64>,
    call_id: Option<String>,
    /// Whether it duplicates another event, which then holds the outcome.
    is_duplicate: bool,
    /// The decision on the event, if any.
    decided: Option<RecordedDecision>,
    by_id: IdMatch,
}

/// The result of matching an event by its call id.
enum IdMatch {
    Unmatched,
    /// A permission event has its outcome, or an outcome has its permission event.
    Matched(Option<OutcomeReport>),
}

/// A stored decision and its outcome so far.
struct RecordedDecision {
    agent: String,
    tool: Option<String>,
    verdict: String,
    outcome_id: Option<String>,
}

/// Which calls with an input to match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallScope {
    /// Calls without an id.
    WithoutId,
    /// All calls, because one of them was denied.
    All,
}

/// The SQL condition for denied calls of a session.
const DENIED: &str = "d.session_pk = ?1 AND d.verdict IN ('deny', 'halt') AND d.kind IN ('PreToolUse', 'PermissionRequest')";

impl WriteTransaction<'_> {
    /// Matches decisions and outcomes that share an input with the event's call.
    pub(super) fn match_outcomes_by_input(
        &mut self,
        parsed: &ParsedEvent,
        session: i64,
    ) -> SqlResult<()> {
        let denied = self.denied_inputs(session)?;
        for input in self.inputs_of(parsed, session, !denied.is_empty())? {
            if denied.contains(&input) {
                self.match_input(session, &input, CallScope::All)?;
            } else if parsed.call_id.is_none() {
                self.match_input(session, &input, CallScope::WithoutId)?;
            }
        }
        Ok(())
    }

    /// Matches all inputs of a session.
    pub(super) fn match_session_inputs(&mut self, session: i64) -> SqlResult<()> {
        let denied = self.denied_inputs(session)?;
        let sql = "SELECT DISTINCT call_hash FROM events
                   WHERE session_pk = ?1 AND call_id IS NULL AND call_hash IS NOT NULL";
        for input in self.inputs(sql, [session])?.difference(&denied) {
            self.match_input(session, input, CallScope::WithoutId)?;
        }
        let mut denied = denied.iter();
        denied.try_for_each(|input| self.match_input(session, input, CallScope::All))
    }

    /// The inputs of the event's call. If any call was denied, also inputs of other events with the same call id,
    /// as after a rewrite.
    fn inputs_of(
        &self,
        parsed: &ParsedEvent,
        session: i64,
        is_any_denied: bool,
    ) -> SqlResult<BTreeSet<String>> {
        let mut inputs = match &parsed.call_id {
            Some(call) if is_any_denied => {
                let sql = "SELECT DISTINCT call_hash FROM events
                           WHERE session_pk = ?1 AND call_id = ?2 AND call_hash IS NOT NULL";
                self.inputs(sql, (session, call))?
            }
            _ => BTreeSet::new(),
        };
        inputs.extend(parsed.call_hash.clone());
        Ok(inputs)
    }

    pub(super) fn has_any_denial(&self, session: i64) -> SqlResult<bool> {
        let sql = format!("SELECT 1 FROM decisions AS d WHERE {DENIED}");
        Ok(self.db().prepare_cached(&sql)?.exists([session])?)
    }

    /// The inputs of denied calls. Most sessions have none.
    fn denied_inputs(&self, session: i64) -> SqlResult<BTreeSet<String>> {
        let sql = format!(
            "SELECT e.call_hash FROM decisions AS d JOIN events AS e ON e.id = d.event_id
             WHERE {DENIED} AND e.call_hash IS NOT NULL"
        );
        self.inputs(&sql, [session])
    }

    fn inputs(&self, sql: &str, values: impl rusqlite::Params) -> SqlResult<BTreeSet<String>> {
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn match_input(&mut self, session: i64, input: &str, calls: CallScope) -> SqlResult<()> {
        let events = self.call_events(session, input, calls)?;
        let mut outcomes = outcomes_by_input(&events);
        for (event, by_input) in events.into_iter().zip(&mut outcomes) {
            let Some(recorded) = event.decided else {
                continue;
            };
            let decision = CallDecision {
                event_id: event.id,
                at: event.at,
                kind: event.kind,
                agent: recorded.agent,
                tool: recorded.tool,
                verdict: recorded.verdict,
                call_id: event.call_id,
            };
            // An allowed call with an id is matched by its id only.
            if decision.call_id.is_some() && !decision.is_denied() {
                continue;
            }
            let outcome = match event.by_id {
                _ if event.is_duplicate => None,
                IdMatch::Matched(outcome) => outcome,
                IdMatch::Unmatched => by_input.take(),
            };
            if recorded.outcome_id.as_ref() != outcome.as_ref().map(|outcome| &outcome.id) {
                self.record_outcome(session, &decision, outcome.as_ref())?;
            }
        }
        Ok(())
    }

    fn call_events(
        &self,
        session: i64,
        input: &str,
        calls: CallScope,
    ) -> SqlResult<Vec<CallEvent>> {
        let which = match calls {
            CallScope::WithoutId => "AND e.call_id IS NULL",
            CallScope::All => "",
        };
        let sql = format!(
            "SELECT e.id, e.at, e.kind, e.verdict, e.batch_pk, d.agent, d.tool, d.verdict, d.outcome_id, e.call_id,
               e.duplicate_of IS NOT NULL
             FROM events AS e LEFT JOIN decisions AS d ON d.event_id = e.id
             WHERE e.session_pk = ?1 AND e.call_hash = ?2 {which}
               AND (e.duplicate_of IS NULL OR d.outcome_id IS NOT NULL)
             ORDER BY e.at, e.id"
        );
        let mut query = self.db().prepare_cached(&sql)?;
        let rows = query.query_map((session, input), |row| {
            let agent: Option<String> = row.get(5)?;
            let decided = match agent {
                Some(agent) => Some(RecordedDecision {
                    agent,
                    tool: row.get(6)?,
                    verdict: row.get(7)?,
                    outcome_id: row.get(8)?,
                }),
                None => None,
            };
            Ok(CallEvent {
                id: row.get(0)?,
                at: row.get(1)?,
                kind: row.get(2)?,
                verdict: row.get(3)?,
                batch: row.get(4)?,
                call_id: row.get(9)?,
                is_duplicate: row.get(10)?,
                decided,
                by_id: IdMatch::Unmatched,
            })
        })?;
        let mut events = rows.collect::<Result<Vec<_>, _>>()?;
        drop(query);
        for event in &mut events {
            event.by_id = self.match_by_id(session, event)?;
        }
        Ok(events)
    }

    fn match_by_id(&self, session: i64, event: &CallEvent) -> SqlResult<IdMatch> {
        let Some(call) = &event.call_id else {
            return Ok(IdMatch::Unmatched);
        };
        if CallOutcome::of_kind(&event.kind).is_none() {
            let outcome = self.outcome_by_id(session, Some(call), &event.id)?;
            return Ok(outcome.map_or(IdMatch::Unmatched, |outcome| {
                IdMatch::Matched(Some(outcome))
            }));
        }
        // Telemetry may overtake hooks, whose records wait in the spool: assume that the permission event will
        // arrive.
        let has_permission = event.id.starts_with(TELEMETRY_ID_PREFIX)
            || self.has_permission_event(session, call, &event.id)?;
        Ok(if has_permission {
            IdMatch::Matched(None)
        } else {
            IdMatch::Unmatched
        })
    }

    /// Whether there was a permission event for a reported call, in the same turn or with the same input.
    fn has_permission_event(&self, session: i64, call: &str, report: &str) -> SqlResult<bool> {
        let sql =
            "SELECT 1 FROM events AS o JOIN events AS d ON d.session_pk = ?1 AND d.call_id = ?2
                   WHERE o.id = ?3 AND (o.at, o.id) >= (d.at, d.id)
                     AND d.kind IN ('PreToolUse', 'PermissionRequest')
                     AND (o.batch_pk IS d.batch_pk OR o.call_hash = d.call_hash)";
        let mut query = self.db().prepare_cached(sql)?;
        Ok(query.exists((session, call, report))?)
    }
}

/// For each permission event, the outcome of its call.
fn outcomes_by_input(events: &[CallEvent]) -> Vec<Option<OutcomeReport>> {
    let mut outcomes = vec![None; events.len()];
    let mut open = OpenCalls::default();
    let counted = events.iter().enumerate();
    for (index, event) in counted.filter(|(_, event)| !event.is_duplicate) {
        open.enter_batch(event.batch);
        let is_matched = matches!(event.by_id, IdMatch::Matched(_));
        if let Some(outcome) = CallOutcome::of_kind(&event.kind) {
            if !is_matched && let Some(call) = open.take_match() {
                outcomes[call] = Some(OutcomeReport {
                    id: event.id.clone(),
                    at: event.at,
                    outcome,
                    by: MatchedBy::Input,
                });
            }
        } else if let Some(outcome) = outcome_of_denied_request(events, index) {
            outcomes[index] = Some(outcome);
        } else if asks_permission(&event.kind)
            && let Some(verdict) = &event.verdict
        {
            open.decide(&event.kind, verdict, (!is_matched).then_some(index));
        }
    }
    outcomes
}

/// The outcome of a call that was allowed with an id and then denied without one, as some agents send the id only
/// with the first event. If several calls with the input are open, it is unknown which one was meant.
fn outcome_of_denied_request(events: &[CallEvent], index: usize) -> Option<OutcomeReport> {
    let denial = &events[index];
    let is_one = denial.kind == "PermissionRequest" && denial.call_id.is_none();
    if !is_one || !denial.verdict.as_deref().is_some_and(is_denial) {
        return None;
    }
    let mut under_way = events[..index].iter().filter(|event| {
        let has_ended = matches!(&event.by_id, IdMatch::Matched(Some(outcome)) if (outcome.at, &outcome.id) < (denial.at, &denial.id));
        event.kind == "PreToolUse"
            && !event.is_duplicate
            && event.call_id.is_some()
            && event.batch == denial.batch
            && !event.verdict.as_deref().is_some_and(is_denial)
            && !has_ended
    });
    match (under_way.next(), under_way.next()) {
        (Some(event), None) => match &event.by_id {
            IdMatch::Matched(Some(outcome)) => Some(OutcomeReport {
                by: MatchedBy::Input,
                ..outcome.clone()
            }),
            _ => None,
        },
        _ => None,
    }
}

/// Open calls with one input, as indexes into the events.
#[derive(Default)]
struct OpenCalls {
    batch: Option<i64>,
    let_through: Vec<usize>,
    denied: Option<usize>,
}

impl OpenCalls {
    /// Allowed calls of an earlier turn that were never reported no longer count.
    fn enter_batch(&mut self, batch: Option<i64>) {
        if self.batch != batch {
            self.batch = batch;
            self.let_through.clear();
        }
    }

    /// A new decision ends an earlier denial. `waits` is the event's index, unless its outcome was matched by id.
    fn decide(&mut self, kind: &str, verdict: &str, waits: Option<usize>) {
        if kind == "PermissionRequest" {
            // The second permission event of a call that was just allowed.
            self.let_through.pop();
        }
        self.denied = None;
        match verdict {
            "deny" | "halt" => self.denied = waits,
            _ => self.let_through.extend(waits),
        }
    }

    /// The call that a report most likely belongs to.
    fn take_match(&mut self) -> Option<usize> {
        self.let_through.pop().or_else(|| self.denied.take())
    }
}
