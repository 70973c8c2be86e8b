//! Decisions, and whether they were heeded.
//!
//! Nobody but the agent can keep a call from happening. So when a call was denied and the agent reports
//! that it ran, the two are brought together by the call's id and an alarm is raised. Where ids do not bring
//! them together, the call's input does: see the `unnamed` module.

use rusqlite::{OptionalExtension, params};

use super::group::{Group, Sql, Work};
use crate::millis::Millis;
use crate::record::{Observed, Outcome};

/// A decision on a call, as far as its outcome needs it.
pub(super) struct Pending {
    pub(super) event_id: String,
    pub(super) at: Millis,
    pub(super) kind: String,
    pub(super) agent: String,
    pub(super) tool: Option<String>,
    pub(super) verdict: String,
    /// The agent's id for the call, where it gives one.
    pub(super) call_id: Option<String>,
}

/// What became of a call.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) id: String,
    pub(super) at: Millis,
    pub(super) outcome: Outcome,
    pub(super) by: By,
}

/// What brings a report and a decision together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Id,
    Input,
}

impl Pending {
    /// A hook that objects to a result has nothing against the call having run.
    pub(super) fn is_denied(&self) -> bool {
        asks(&self.kind) && denies(&self.verdict)
    }
}

/// Whether hooks are asked by events of this kind if a call may run.
pub(super) fn asks(kind: &str) -> bool {
    matches!(kind, "PreToolUse" | "PermissionRequest")
}

pub(super) fn denies(verdict: &str) -> bool {
    matches!(verdict, "deny" | "halt")
}

impl Group<'_> {
    /// What hooks said of an event, and what was decided.
    pub(super) fn insert_verdicts(
        &self,
        seen: &Observed,
        session: Option<i64>,
        project: Option<i64>,
    ) -> Sql<()> {
        for run in &seen.hooks {
            self.insert_hook_run(run)?;
        }
        let Some(decided) = &seen.decided else {
            return Ok(());
        };
        let sql = "INSERT OR IGNORE INTO decisions
                     (event_id, session_pk, project_pk, at, kind, agent, tool, call_id, subagent, verdict, reason,
                      hook, rewritten, lost, outcome)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'open')";
        self.db().prepare_cached(sql)?.execute(params![
            seen.position.id,
            session,
            project,
            seen.position.at,
            seen.kind,
            seen.agent,
            seen.tool,
            seen.call_id,
            seen.subagent,
            decided.verdict,
            decided.reason,
            decided.hook,
            decided.rewritten,
            decided.lost,
        ])?;
        Ok(())
    }

    /// Brings decisions and outcomes of an event's call together, whichever came first.
    pub(super) fn reconcile(&mut self, seen: &Observed, work: &mut Work) -> Sql<()> {
        if seen.outcome.is_none() && !asks(&seen.kind) && seen.decided.is_none() {
            return Ok(());
        }
        if let Some(call) = &seen.call_id
            && (seen.decided.is_some() || seen.outcome.is_some())
        {
            self.reconcile_where(work.pk, Some(call))?;
        }
        let has_denial = self.has_denial(seen, work)?;
        if has_denial || seen.call_id.is_none() {
            self.reconcile_inputs_of(seen, work.pk)?;
        }
        Ok(())
    }

    /// Whether a call of the session was denied. Most sessions have no such call, and are asked once.
    fn has_denial(&self, seen: &Observed, work: &mut Work) -> Sql<bool> {
        let decided = seen.decided.as_ref();
        let is_one = asks(&seen.kind) && decided.is_some_and(|it| denies(&it.verdict));
        let has = match work.header.has_denial {
            _ if is_one => true,
            Some(known) => known,
            None => self.is_any_denied(work.pk)?,
        };
        work.header.has_denial = Some(has);
        Ok(has)
    }

    /// The same for all calls of a session.
    pub(super) fn reconcile_session(&mut self, session: i64) -> Sql<()> {
        self.reconcile_where(session, None)?;
        self.reconcile_all_inputs(session)
    }

    /// What was denied is looked at with its input: see [`Self::reconcile_inputs_of`].
    fn reconcile_where(&mut self, session: i64, call: Option<&str>) -> Sql<()> {
        for pending in self.decisions_on(session, call)? {
            if !pending.is_denied() {
                let ended = self.ending_of(session, &pending)?;
                self.settle(session, &pending, ended.as_ref())?;
            }
        }
        Ok(())
    }

    /// Notes what became of a call, and raises or takes back the alarm.
    pub(super) fn settle(
        &mut self,
        session: i64,
        pending: &Pending,
        ended: Option<&Ended>,
    ) -> Sql<()> {
        let sql = "UPDATE decisions SET outcome = ?2, outcome_at = ?3, outcome_id = ?4 WHERE event_id = ?1";
        self.db().prepare_cached(sql)?.execute((
            &pending.event_id,
            ended.map_or("open", |ended| ended.outcome.word()),
            ended.map(|ended| ended.at),
            ended.map(|ended| &ended.id),
        ))?;
        self.alarm(session, pending, ended)
    }

    fn decisions_on(&self, session: i64, call: Option<&str>) -> Sql<Vec<Pending>> {
        let sql = match call {
            Some(_) => {
                "SELECT event_id, at, agent, tool, verdict, call_id, kind FROM decisions WHERE session_pk = ?1 AND call_id = ?2"
            }
            None => {
                "SELECT event_id, at, agent, tool, verdict, call_id, kind FROM decisions WHERE session_pk = ?1 AND call_id IS NOT ?2"
            }
        };
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map((session, call), |row| {
            Ok(Pending {
                event_id: row.get(0)?,
                at: row.get(1)?,
                agent: row.get(2)?,
                tool: row.get(3)?,
                verdict: row.get(4)?,
                call_id: row.get(5)?,
                kind: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The first report after the decision on what became of the call. Some agents count their calls
    /// anew in each turn: the report has to be of the same turn or of the same input.
    fn ending_of(&self, session: i64, pending: &Pending) -> Sql<Option<Ended>> {
        self.ending_by_id(session, pending.call_id.as_deref(), &pending.event_id)
    }

    /// The same, of the call that an event asks about.
    pub(super) fn ending_by_id(
        &self,
        session: i64,
        call: Option<&str>,
        event: &str,
    ) -> Sql<Option<Ended>> {
        let sql = "SELECT o.id, o.at, o.kind FROM events AS d JOIN events AS o
                     ON o.session_pk = ?1 AND o.call_id = ?2
                   WHERE d.id = ?3 AND (o.at, o.id) >= (d.at, d.id)
                     AND o.kind IN ('PostToolUse', 'PostToolUseFailure', 'PermissionDenied')
                     AND (o.batch_pk IS d.batch_pk OR o.call_hash = d.call_hash)
                   ORDER BY o.at, o.id LIMIT 1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row((session, call, event), |row| {
            let kind: String = row.get(2)?;
            Ok(Ended {
                id: row.get(0)?,
                at: row.get(1)?,
                outcome: Outcome::of_kind(&kind).unwrap_or(Outcome::Refused),
                by: By::Id,
            })
        });
        Ok(row.optional()?)
    }

    /// An agent that reports a failure may well mean the denial; one that reports success has not
    /// heeded it.
    fn alarm(&mut self, session: i64, pending: &Pending, ended: Option<&Ended>) -> Sql<()> {
        let id = format!("denied-call-ran:{}", pending.event_id);
        let ran = ended.filter(|ended| pending.is_denied() && ended.outcome == Outcome::Ran);
        let Some(ran) = ran else {
            let sql = "DELETE FROM alarms WHERE id = ?1 AND acknowledged_at IS NULL";
            self.db().prepare_cached(sql)?.execute([id])?;
            return Ok(());
        };
        let tool = pending.tool.as_deref().unwrap_or("a tool");
        let which = match ran.by {
            By::Id => "which",
            By::Input => "with an input that",
        };
        let message = format!(
            "{} ran {tool} at {}, {which} was denied at {}",
            pending.agent,
            ran.at.to_text(),
            pending.at.to_text()
        );
        let known = "SELECT 1 FROM alarms WHERE id = ?1";
        let known = self.db().prepare_cached(known)?.exists([&id])?;
        let sql = "INSERT INTO alarms (id, at, kind, session_pk, event_id, message)
                   VALUES (?1, ?2, 'denied_call_ran', ?3, ?4, ?5)
                   ON CONFLICT (id) DO UPDATE SET at = ?2, message = ?5";
        let values = (&id, ran.at, session, &pending.event_id, message);
        self.db().prepare_cached(sql)?.execute(values)?;
        if !known {
            self.report.alarms.insert(id);
        }
        Ok(())
    }
}
