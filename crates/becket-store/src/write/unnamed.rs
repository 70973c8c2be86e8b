//! Outcomes of calls that have no ids: the same session, the same tool, the same input.
//!
//! Sameness of input proves less than an id, so a report is held against a denial only where nothing else
//! explains it: a call with that input that was let through and not yet heard of explains it first, and with the
//! next decision on the input, a person's perhaps, the matter is over.

use super::decisions::{Ended, Pending, asks};
use super::group::{Group, Sql};
use crate::millis::Millis;
use crate::record::{Observed, Outcome};

/// An event that has to do with calls with one input.
struct Step {
    id: String,
    at: Millis,
    kind: String,
    verdict: Option<String>,
    batch: Option<i64>,
    /// Whether something was decided that an outcome is kept with, and which.
    decided: Option<Known>,
}

/// A decision, with what is known of its outcome.
struct Known {
    agent: String,
    tool: Option<String>,
    verdict: String,
    outcome_id: Option<String>,
}

impl Group<'_> {
    /// Brings decisions and reports together that have the input of this event's call.
    pub(super) fn reconcile_unnamed(&mut self, seen: &Observed, session: i64) -> Sql<()> {
        let matters = seen.outcome.is_some() || asks(&seen.kind);
        match &seen.call_hash {
            Some(input) if matters => self.reconcile_input(session, input),
            _ => Ok(()),
        }
    }

    /// The same for all inputs of a session.
    pub(super) fn reconcile_all_unnamed(&mut self, session: i64) -> Sql<()> {
        let sql = "SELECT DISTINCT call_hash FROM events
                   WHERE session_pk = ?1 AND call_id IS NULL AND call_hash IS NOT NULL";
        let mut query = self.db().prepare_cached(sql)?;
        let inputs: Vec<String> = query
            .query_map([session], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        drop(query);
        inputs
            .iter()
            .try_for_each(|input| self.reconcile_input(session, input))
    }

    fn reconcile_input(&mut self, session: i64, input: &str) -> Sql<()> {
        let steps = self.steps(session, input)?;
        let mut ends = endings(&steps);
        for (step, ended) in steps.into_iter().zip(&mut ends) {
            let (ended, Some(known)) = (ended.take(), step.decided) else {
                continue;
            };
            if known.outcome_id.as_ref() == ended.as_ref().map(|ended| &ended.id) {
                continue;
            }
            let pending = Pending {
                event_id: step.id,
                at: step.at,
                kind: step.kind,
                agent: known.agent,
                tool: known.tool,
                verdict: known.verdict,
                call_id: None,
            };
            self.settle(session, &pending, ended.as_ref())?;
        }
        Ok(())
    }

    fn steps(&self, session: i64, input: &str) -> Sql<Vec<Step>> {
        let sql = "SELECT e.id, e.at, e.kind, e.verdict, e.batch_pk, d.agent, d.tool, d.verdict, d.outcome_id
                   FROM events AS e LEFT JOIN decisions AS d ON d.event_id = e.id
                   WHERE e.session_pk = ?1 AND e.call_hash = ?2 AND e.call_id IS NULL AND e.duplicate_of IS NULL
                   ORDER BY e.at, e.id";
        let mut query = self.db().prepare_cached(sql)?;
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
                decided,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// What became of each call, at the place of the event that asked about it.
fn endings(steps: &[Step]) -> Vec<Option<Ended>> {
    let mut ends = vec![None; steps.len()];
    let mut open = Open::default();
    for (place, step) in steps.iter().enumerate() {
        open.begin(step.batch);
        if let Some(outcome) = Outcome::of_kind(&step.kind) {
            if let Some(call) = open.explained() {
                ends[call] = Some(Ended {
                    id: step.id.clone(),
                    at: step.at,
                    outcome,
                });
            }
        } else if asks(&step.kind)
            && let Some(verdict) = &step.verdict
        {
            open.decide(place, &step.kind, verdict);
        }
    }
    ends
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

    /// The decision ends what was denied before.
    fn decide(&mut self, place: usize, kind: &str, verdict: &str) {
        if kind == "PermissionRequest" {
            // The second question about a call that was let through a moment ago.
            self.let_through.pop();
        }
        self.denied = None;
        match verdict {
            "deny" | "halt" => self.denied = Some(place),
            _ => self.let_through.push(place),
        }
    }

    /// The call that a report is most likely of.
    fn explained(&mut self) -> Option<usize> {
        self.let_through.pop().or_else(|| self.denied.take())
    }
}
