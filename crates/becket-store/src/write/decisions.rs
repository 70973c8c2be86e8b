//! Decision rows, and whether agents obeyed them.
//!
//! Only the agent can prevent a call. If a call was denied and the agent reports that it ran, the store raises an
//! alarm. Decisions and reports are matched by call id here; if ids do not match, the `match_outcomes` module
//! compares inputs.

use rusqlite::{OptionalExtension, params};

use super::transaction::{CachedSession, SqlResult, WriteTransaction};
use crate::millis::Millis;
use crate::record::{CallOutcome, ParsedEvent};

/// The columns of a decision that matching needs.
pub(super) struct CallDecision {
    pub(super) event_id: String,
    pub(super) at: Millis,
    pub(super) kind: String,
    pub(super) agent: String,
    pub(super) tool: Option<String>,
    pub(super) verdict: String,
    /// The agent's id for the call, if it sends one.
    pub(super) call_id: Option<String>,
}

/// The report of a call's outcome.
#[derive(Debug, Clone)]
pub(super) struct OutcomeReport {
    pub(super) id: String,
    pub(super) at: Millis,
    pub(super) outcome: CallOutcome,
    pub(super) by: MatchedBy,
}

/// How a report was matched to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchedBy {
    Id,
    Input,
}

impl CallDecision {
    /// Whether the call was forbidden. A denial after the call (`PostToolUse`) concerns its result only.
    pub(super) fn is_denied(&self) -> bool {
        asks_permission(&self.kind) && is_denial(&self.verdict)
    }
}

/// Whether an event of this kind asks hooks for permission.
pub(super) fn asks_permission(kind: &str) -> bool {
    matches!(kind, "PreToolUse" | "PermissionRequest")
}

pub(super) fn is_denial(verdict: &str) -> bool {
    matches!(verdict, "deny" | "halt")
}

impl WriteTransaction<'_> {
    /// Inserts the hook runs and the decision of an event.
    pub(super) fn insert_decision(
        &self,
        parsed: &ParsedEvent,
        session: Option<i64>,
        project: Option<i64>,
    ) -> SqlResult<()> {
        for run in &parsed.hook_runs {
            self.insert_hook_run(run)?;
        }
        let Some(decided) = &parsed.decision else {
            return Ok(());
        };
        let sql = "INSERT OR IGNORE INTO decisions
                     (event_id, session_pk, project_pk, at, kind, agent, tool, call_id, subagent, verdict, reason,
                      hook, rewritten, lost, outcome)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'open')";
        self.db().prepare_cached(sql)?.execute(params![
            parsed.position.id,
            session,
            project,
            parsed.position.at,
            parsed.kind,
            parsed.agent,
            parsed.tool,
            parsed.call_id,
            parsed.subagent,
            decided.verdict,
            decided.reason,
            decided.hook,
            decided.rewritten,
            decided.lost,
        ])?;
        Ok(())
    }

    /// Matches the decisions and the outcome of an event's call, in whichever order they arrive.
    pub(super) fn match_outcomes(
        &mut self,
        parsed: &ParsedEvent,
        cached: &mut CachedSession,
    ) -> SqlResult<()> {
        if parsed.outcome.is_none() && !asks_permission(&parsed.kind) && parsed.decision.is_none() {
            return Ok(());
        }
        if let Some(call) = &parsed.call_id
            && (parsed.decision.is_some() || parsed.outcome.is_some())
        {
            self.match_outcomes_by_id(cached.pk, Some(call))?;
        }
        let has_denial = self.has_denial(parsed, cached)?;
        if has_denial || parsed.call_id.is_none() {
            self.match_outcomes_by_input(parsed, cached.pk)?;
        }
        Ok(())
    }

    /// Whether a call of the session was denied. Most sessions have none; the answer is cached in the header.
    fn has_denial(&self, parsed: &ParsedEvent, cached: &mut CachedSession) -> SqlResult<bool> {
        let decided = parsed.decision.as_ref();
        let is_one =
            asks_permission(&parsed.kind) && decided.is_some_and(|it| is_denial(&it.verdict));
        let has = match cached.header.has_denial {
            _ if is_one => true,
            Some(known) => known,
            None => self.has_any_denial(cached.pk)?,
        };
        cached.header.has_denial = Some(has);
        Ok(has)
    }

    /// Matches all decisions and outcomes of a session.
    pub(super) fn match_session_outcomes(&mut self, session: i64) -> SqlResult<()> {
        self.match_outcomes_by_id(session, None)?;
        self.match_session_inputs(session)
    }

    /// Matches calls that were not denied by id. Denied calls also need their input: see
    /// [`Self::match_outcomes_by_input`].
    fn match_outcomes_by_id(&mut self, session: i64, call: Option<&str>) -> SqlResult<()> {
        for decision in self.decisions_on(session, call)? {
            if !decision.is_denied() {
                let outcome = self.outcome_of(session, &decision)?;
                self.record_outcome(session, &decision, outcome.as_ref())?;
            }
        }
        Ok(())
    }

    /// Stores the outcome of a call and raises or withdraws its alarm.
    pub(super) fn record_outcome(
        &mut self,
        session: i64,
        decision: &CallDecision,
        outcome: Option<&OutcomeReport>,
    ) -> SqlResult<()> {
        let sql = "UPDATE decisions SET outcome = ?2, outcome_at = ?3, outcome_id = ?4 WHERE event_id = ?1";
        self.db().prepare_cached(sql)?.execute((
            &decision.event_id,
            outcome.map_or("open", |outcome| outcome.outcome.word()),
            outcome.map(|outcome| outcome.at),
            outcome.map(|outcome| &outcome.id),
        ))?;
        self.update_alarm(session, decision, outcome)
    }

    fn decisions_on(&self, session: i64, call: Option<&str>) -> SqlResult<Vec<CallDecision>> {
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
            Ok(CallDecision {
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

    /// The first outcome report after the decision. Some agents restart their call ids in each turn, so the report
    /// must be of the same turn or the same input.
    fn outcome_of(
        &self,
        session: i64,
        decision: &CallDecision,
    ) -> SqlResult<Option<OutcomeReport>> {
        self.outcome_by_id(session, decision.call_id.as_deref(), &decision.event_id)
    }

    /// The first outcome report with this call id after an event.
    pub(super) fn outcome_by_id(
        &self,
        session: i64,
        call: Option<&str>,
        event: &str,
    ) -> SqlResult<Option<OutcomeReport>> {
        let sql = "SELECT o.id, o.at, o.kind FROM events AS d JOIN events AS o
                     ON o.session_pk = ?1 AND o.call_id = ?2
                   WHERE d.id = ?3 AND (o.at, o.id) >= (d.at, d.id)
                     AND o.kind IN ('PostToolUse', 'PostToolUseFailure', 'PermissionDenied')
                     AND (o.batch_pk IS d.batch_pk OR o.call_hash = d.call_hash)
                   ORDER BY o.at, o.id LIMIT 1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row((session, call, event), |row| {
            let kind: String = row.get(2)?;
            Ok(OutcomeReport {
                id: row.get(0)?,
                at: row.get(1)?,
                outcome: CallOutcome::of_kind(&kind).unwrap_or(CallOutcome::Refused),
                by: MatchedBy::Id,
            })
        });
        Ok(row.optional()?)
    }

    /// A reported failure may be the agent's way to report the denial; only a reported success raises the alarm.
    fn update_alarm(
        &mut self,
        session: i64,
        decision: &CallDecision,
        outcome: Option<&OutcomeReport>,
    ) -> SqlResult<()> {
        let id = format!("denied-call-ran:{}", decision.event_id);
        let ran =
            outcome.filter(|outcome| decision.is_denied() && outcome.outcome == CallOutcome::Ran);
        let Some(ran) = ran else {
            let sql = "DELETE FROM alarms WHERE id = ?1 AND acknowledged_at IS NULL";
            self.db().prepare_cached(sql)?.execute([id])?;
            return Ok(());
        };
        let tool = decision.tool.as_deref().unwrap_or("a tool");
        let which = match ran.by {
            MatchedBy::Id => "although the call",
            MatchedBy::Input => "although a call with the same input",
        };
        let message = format!(
            "{} ran {tool} at {}, {which} was denied at {}",
            decision.agent,
            ran.at.to_text(),
            decision.at.to_text()
        );
        let known = "SELECT 1 FROM alarms WHERE id = ?1";
        let known = self.db().prepare_cached(known)?.exists([&id])?;
        let sql = "INSERT INTO alarms (id, at, kind, session_pk, event_id, message)
                   VALUES (?1, ?2, 'denied_call_ran', ?3, ?4, ?5)
                   ON CONFLICT (id) DO UPDATE SET at = ?2, message = ?5";
        let values = (&id, ran.at, session, &decision.event_id, message);
        self.db().prepare_cached(sql)?.execute(values)?;
        if !known {
            self.report.alarms.insert(id);
        }
        Ok(())
    }
}
