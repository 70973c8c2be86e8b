//! Ends turns and sessions that never ended, because the agent was killed or sends no such event.
//!
//! Idleness is measured from the last event, not from the beginning: a turn may take hours. The end is a synthetic
//! event at the time of the last event, so it keeps its position when late events arrive, and later activity
//! reopens the turn.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::transaction::{SqlResult, WriteTransaction};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreWriter;
use crate::record::event::OWN_SHAPE;
use crate::record::parse;
use crate::record::turn_effect::IDLE_EVENT;

/// How long a turn or a session may be idle before it is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleTimeouts {
    /// For a turn.
    pub turn: Duration,
    /// For a session.
    pub session: Duration,
}

impl Default for IdleTimeouts {
    /// Five minutes and one hour.
    fn default() -> Self {
        Self {
            turn: Duration::from_secs(300),
            session: Duration::from_secs(3600),
        }
    }
}

/// The turns and sessions that were ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecoveryReport {
    /// Batch ids.
    pub batches: Vec<String>,
    /// Session ids.
    pub sessions: Vec<String>,
}

struct IdleSession {
    session: String,
    agent: String,
    last_at: Millis,
}

impl StoreWriter {
    /// Ends idle turns and sessions. Deletes nothing.
    pub fn recover(
        &mut self,
        now: Millis,
        timeouts: IdleTimeouts,
    ) -> Result<RecoveryReport, Error> {
        self.recover_except(now, timeouts, &BTreeSet::new())
    }

    /// Like [`StoreWriter::recover`], except for sessions whose records are still arriving, however old they are:
    /// during a backlog, each record would reopen the turn or session that this call ended.
    pub fn recover_except(
        &mut self,
        now: Millis,
        timeouts: IdleTimeouts,
        arriving: &BTreeSet<String>,
    ) -> Result<RecoveryReport, Error> {
        let mut transaction = self.begin()?;
        let mut recovered = RecoveryReport::default();
        let done = transaction.recover_into(now, timeouts, arriving, &mut recovered);
        done.map_err(|error| transaction.writer.failed(error))?;
        let report = transaction.commit()?;
        recovered.batches = report.ended_batches.into_iter().collect();
        Ok(recovered)
    }
}

impl WriteTransaction<'_> {
    fn recover_into(
        &mut self,
        now: Millis,
        timeouts: IdleTimeouts,
        arriving: &BTreeSet<String>,
        out: &mut RecoveryReport,
    ) -> SqlResult<()> {
        let is_quiet = |idle: &IdleSession| !arriving.contains(&idle.session);
        let whole =
            "SELECT id, agent, last_at FROM sessions WHERE status = 'active' AND last_at < ?1";
        let sessions = self.idle_sessions(whole, now.minus(timeouts.session))?;
        for idle in sessions.into_iter().filter(is_quiet) {
            self.end_idle(&idle, true)?;
            out.sessions.push(idle.session);
        }
        let turns = "SELECT s.id, s.agent, s.last_at FROM sessions AS s JOIN batches AS b ON b.session_pk = s.pk
                     WHERE s.status = 'active' AND b.status = 'active' AND s.last_at < ?1";
        let sessions = self.idle_sessions(turns, now.minus(timeouts.turn))?;
        for idle in sessions.into_iter().filter(is_quiet) {
            self.end_idle(&idle, false)?;
        }
        Ok(())
    }

    fn idle_sessions(&mut self, sql: &str, before: Millis) -> SqlResult<Vec<IdleSession>> {
        self.flush()?;
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([before], |row| {
            Ok(IdleSession {
                session: row.get(0)?,
                agent: row.get(1)?,
                last_at: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn end_idle(&mut self, idle: &IdleSession, whole: bool) -> SqlResult<()> {
        let scope = if whole { "session" } else { "turn" };
        // Sorts after all other ids of the same millisecond.
        let id = format!("~idle:{scope}:{}:{}", idle.session, idle.last_at.0);
        let record = json!({
            "v": 1, "id": id, "ts": idle.last_at.to_text(), "agent": idle.agent, "event": IDLE_EVENT,
            "session": idle.session, OWN_SHAPE.0: OWN_SHAPE.1,
            "payload": { "hook_event_name": IDLE_EVENT, "session_id": idle.session, "whole": whole },
        });
        let line = record.to_string();
        self.store_record(&parse(&line, idle.last_at), &line)
    }
}
