//! Outcomes of calls that no id brings together with a decision: the same session, the same tool, the same input.
//!
//! Some agents give their calls no ids, some give them to the question and not to the report, and an agent that goes
//! around a hook gives what was denied another one. Sameness of input proves less than an id, so a report is held against
//! a denial only where nothing else explains it: a question with the id of the report explains it, then a call with that
//! input that was let through and not yet heard of, and with the next decision on the input, a person's perhaps, the
//! matter is over.

use std::collections::BTreeSet;

use super::decisions::{By, Ended, Pending, asks, denies};
use super::group::{Group, Sql};
use super::silence::TELEMETRY;
use crate::millis::Millis;
use crate::record::{Observed, Outcome};

/// An event that has to do with calls with one input.
struct Step {
    id: String,
    at: Millis,
    kind: String,
    verdict: Option<String>,
    batch: Option<i64>,
    call_id: Option<String>,
    /// Whether another event tells the same. What became of a call is kept with that one.
    is_duplicate: bool,
    /// Whether something was decided that an outcome is kept with, and which.
    decided: Option<Known>,
    by_id: ById,
}

/// What the id of an event's call brings it together with.
enum ById {
    Nothing,
    /// The question has an answer, or the report a question.
    Settled(Option<Ended>),
}

/// A decision, with what is known of its outcome.
struct Known {
    agent: String,
    tool: Option<String>,
    verdict: String,
    outcome_id: Option<String>,
}

/// Which events with an input are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// Those without ids, for what became of them.
    Unnamed,
    /// All, where one of them was denied.
    All,
}

/// What was denied, among the decisions of a session.
const DENIED: &str = "d.session_pk = ?1 AND d.verdict IN ('deny', 'halt') AND d.kind IN ('PreToolUse', 'PermissionRequest')";

impl Group<'_> {
    /// Brings decisions and reports together that have an input of this event's call.
    pub(super) fn reconcile_inputs_of(&mut self, seen: &Observed, session: i64) -> Sql<()> {
        let denied = self.denied_inputs(session)?;
        for input in self.inputs_of(seen, session, !denied.is_empty())? {
            if denied.contains(&input) {
                self.reconcile_input(session, &input, Calls::All)?;
            } else if seen.call_id.is_none() {
                self.reconcile_input(session, &input, Calls::Unnamed)?;
            }
        }
        Ok(())
    }

    /// The same for all inputs of a session.
    pub(super) fn reconcile_all_inputs(&mut self, session: i64) -> Sql<()> {
        let denied = self.denied_inputs(session)?;
        let sql = "SELECT DISTINCT call_hash FROM events
                   WHERE session_pk = ?1 AND call_id IS NULL AND call_hash IS NOT NULL";
        for input in self.inputs(sql, [session])?.difference(&denied) {
            self.reconcile_input(session, input, Calls::Unnamed)?;
        }
        let mut denied = denied.iter();
        denied.try_for_each(|input| self.reconcile_input(session, input, Calls::All))
    }

    /// The input of the event's call; and where it matters, others that were told of with its id, as when a hook has
    /// rewritten it.
    fn inputs_of(
        &self,
        seen: &Observed,
        session: i64,
        is_any_denied: bool,
    ) -> Sql<BTreeSet<String>> {
        let mut inputs = match &seen.call_id {
            Some(call) if is_any_denied => {
                let sql = "SELECT DISTINCT call_hash FROM events
                           WHERE session_pk = ?1 AND call_id = ?2 AND call_hash IS NOT NULL";
                self.inputs(sql, (session, call))?
            }
            _ => BTreeSet::new(),
        };
        inputs.extend(seen.call_hash.clone());
        Ok(inputs)
    }

    pub(super) fn is_any_denied(&self, session: i64) -> Sql<bool> {
        let sql = format!("SELECT 1 FROM decisions AS d WHERE {DENIED}");
        Ok(self.db().prepare_cached(&sql)?.exists([session])?)
    }

    /// Denials are few in a session, and most have none.
    fn denied_inputs(&self, session: i64) -> Sql<BTreeSet<String>> {
        let sql = format!(
            "SELECT e.call_hash FROM decisions AS d JOIN events AS e ON e.id = d.event_id
             WHERE {DENIED} AND e.call_hash IS NOT NULL"
        );
        self.inputs(&sql, [session])
    }

    fn inputs(&self, sql: &str, values: impl rusqlite::Params) -> Sql<BTreeSet<String>> {
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn reconcile_input(&mut self, session: i64, input: &str, calls: Calls) -> Sql<()> {
        let steps = self.steps(session, input, calls)?;
        let mut ends = endings(&steps);
        for (step, by_input) in steps.into_iter().zip(&mut ends) {
            let Some(known) = step.decided else {
                continue;
            };
            let pending = Pending {
                event_id: step.id,
                at: step.at,
                kind: step.kind,
                agent: known.agent,
                tool: known.tool,
                verdict: known.verdict,
                call_id: step.call_id,
            };
            // What was let through under an id is told of under it, or not at all.
            if pending.call_id.is_some() && !pending.is_denied() {
                continue;
            }
            let ended = match step.by_id {
                _ if step.is_duplicate => None,
                ById::Settled(ended) => ended,
                ById::Nothing => by_input.take(),
            };
            if known.outcome_id.as_ref() != ended.as_ref().map(|ended| &ended.id) {
                self.settle(session, &pending, ended.as_ref())?;
            }
        }
        Ok(())
    }

    fn steps(&self, session: i64, input: &str, calls: Calls) -> Sql<Vec<Step>> {
        let which = match calls {
            Calls::Unnamed => "AND e.call_id IS NULL",
            Calls::All => "",
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
                Some(agent) => Some(Known {
                    agent,
                    tool: row.get(6)?,
                    verdict: row.get(7)?,
                    outcome_id: row.get(8)?,
                }),
                None => None,
            };
            Ok(Step {
                id: row.get(0)?,
                at: row.get(1)?,
                kind: row.get(2)?,
                verdict: row.get(3)?,
                batch: row.get(4)?,
                call_id: row.get(9)?,
                is_duplicate: row.get(10)?,
                decided,
                by_id: ById::Nothing,
            })
        })?;
        let mut steps = rows.collect::<Result<Vec<_>, _>>()?;
        drop(query);
        for step in &mut steps {
            step.by_id = self.settled_by_id(session, step)?;
        }
        Ok(steps)
    }

    fn settled_by_id(&self, session: i64, step: &Step) -> Sql<ById> {
        let Some(call) = &step.call_id else {
            return Ok(ById::Nothing);
        };
        if Outcome::of_kind(&step.kind).is_none() {
            let ended = self.ending_by_id(session, Some(call), &step.id)?;
            return Ok(ended.map_or(ById::Nothing, |ended| ById::Settled(Some(ended))));
        }
        // Telemetry may be ahead of hooks, which come through the spool: its question is on the way.
        let is_asked = step.id.starts_with(TELEMETRY) || self.is_asked(session, call, &step.id)?;
        Ok(if is_asked {
            ById::Settled(None)
        } else {
            ById::Nothing
        })
    }

    /// Whether there was a question about the call that a report is of. The turn or the input has to be the same, as
    /// with the report that a question is answered by.
    fn is_asked(&self, session: i64, call: &str, report: &str) -> Sql<bool> {
        let sql =
            "SELECT 1 FROM events AS o JOIN events AS d ON d.session_pk = ?1 AND d.call_id = ?2
                   WHERE o.id = ?3 AND (o.at, o.id) >= (d.at, d.id)
                     AND d.kind IN ('PreToolUse', 'PermissionRequest')
                     AND (o.batch_pk IS d.batch_pk OR o.call_hash = d.call_hash)";
        let mut query = self.db().prepare_cached(sql)?;
        Ok(query.exists((session, call, report))?)
    }
}

/// What became of each call, at the place of the event that asked about it.
fn endings(steps: &[Step]) -> Vec<Option<Ended>> {
    let mut ends = vec![None; steps.len()];
    let mut open = Open::default();
    let counted = steps.iter().enumerate();
    for (place, step) in counted.filter(|(_, step)| !step.is_duplicate) {
        open.begin(step.batch);
        let is_settled = matches!(step.by_id, ById::Settled(_));
        if let Some(outcome) = Outcome::of_kind(&step.kind) {
            if !is_settled && let Some(call) = open.explained() {
                ends[call] = Some(Ended {
                    id: step.id.clone(),
                    at: step.at,
                    outcome,
                    by: By::Input,
                });
            }
        } else if let Some(ended) = of_the_call_in_question(steps, place) {
            ends[place] = Some(ended);
        } else if asks(&step.kind)
            && let Some(verdict) = &step.verdict
        {
            open.decide(&step.kind, verdict, (!is_settled).then_some(place));
        }
    }
    ends
}

/// What became of a call that was let through with its id, and then denied without it: some agents give it to the first
/// question alone. Where several calls with the input are under way, nobody knows which of them was meant.
fn of_the_call_in_question(steps: &[Step], place: usize) -> Option<Ended> {
    let denial = &steps[place];
    let is_one = denial.kind == "PermissionRequest" && denial.call_id.is_none();
    if !is_one || !denial.verdict.as_deref().is_some_and(denies) {
        return None;
    }
    let mut under_way = steps[..place].iter().filter(|step| {
        let has_ended = matches!(&step.by_id, ById::Settled(Some(ended)) if (ended.at, &ended.id) < (denial.at, &denial.id));
        step.kind == "PreToolUse"
            && !step.is_duplicate
            && step.call_id.is_some()
            && step.batch == denial.batch
            && !step.verdict.as_deref().is_some_and(denies)
            && !has_ended
    });
    match (under_way.next(), under_way.next()) {
        (Some(step), None) => match &step.by_id {
            ById::Settled(Some(ended)) => Some(Ended {
                by: By::Input,
                ..ended.clone()
            }),
            _ => None,
        },
        _ => None,
    }
}

/// Calls with one input that nothing was heard of yet, as places in the course of events.
#[derive(Default)]
struct Open {
    batch: Option<i64>,
    let_through: Vec<usize>,
    denied: Option<usize>,
}

impl Open {
    /// What was let through in an earlier turn and never reported is over, one way or another.
    fn begin(&mut self, batch: Option<i64>) {
        if self.batch != batch {
            self.batch = batch;
            self.let_through.clear();
        }
    }

    /// The decision ends what was denied before, and waits for a report itself unless its id has brought one.
    fn decide(&mut self, kind: &str, verdict: &str, waits: Option<usize>) {
        if kind == "PermissionRequest" {
            // The second question about a call that was let through a moment ago.
            self.let_through.pop();
        }
        self.denied = None;
        match verdict {
            "deny" | "halt" => self.denied = waits,
            _ => self.let_through.extend(waits),
        }
    }

    /// The call that a report is most likely of.
    fn explained(&mut self) -> Option<usize> {
        self.let_through.pop().or_else(|| self.denied.take())
    }
}
