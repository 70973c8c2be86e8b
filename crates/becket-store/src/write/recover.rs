//! Turns and sessions that never ended: the agent was killed, or has no event for it.
//!
//! Measured from what was last heard of them and never from their beginning: a turn may take hours.
//! The end that is assumed is an event like any other, at the time of the last one, so that it keeps its
//! place when more arrives late; and it is taken back when the agent is heard of again.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::group::{Group, Sql};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Writer;
use crate::record::event::OWN_SHAPE;
use crate::record::mark::IDLE;
use crate::record::read;

/// How long silence may last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Before a turn is over.
    pub turn: Duration,
    /// Before a session is.
    pub session: Duration,
}

impl Default for Patience {
    /// Five minutes and an hour.
    fn default() -> Self {
        Self {
            turn: Duration::from_secs(300),
            session: Duration::from_secs(3600),
        }
    }
}

/// What was taken to be over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Ids of batches.
    pub batches: Vec<String>,
    /// Ids of sessions.
    pub sessions: Vec<String>,
}

struct Silent {
    session: String,
    agent: String,
    last_at: Millis,
}

impl Writer {
    /// Ends what nothing was heard of for long, and deletes nothing.
    pub fn recover(&mut self, now: Millis, patience: Patience) -> Result<Recovered, Error> {
        self.recover_except(now, patience, &BTreeSet::new())
    }

    /// The same, without sessions of which records still arrive, however old these are: an end that was assumed
    /// amid a backlog would have to be taken back with each of them.
    pub fn recover_except(
        &mut self,
        now: Millis,
        patience: Patience,
        arriving: &BTreeSet<String>,
    ) -> Result<Recovered, Error> {
        let mut group = self.begin()?;
        let mut recovered = Recovered::default();
        let done = group.recover_into(now, patience, arriving, &mut recovered);
        done.map_err(|error| group.writer.failed(error))?;
        let report = group.commit()?;
        recovered.batches = report.ended_batches.into_iter().collect();
        Ok(recovered)
    }
}

impl Group<'_> {
    fn recover_into(
        &mut self,
        now: Millis,
        patience: Patience,
        arriving: &BTreeSet<String>,
        out: &mut Recovered,
    ) -> Sql<()> {
        let is_silent = |silent: &Silent| !arriving.contains(&silent.session);
        let whole =
            "SELECT id, agent, last_at FROM sessions WHERE status = 'active' AND last_at < ?1";
        let sessions = self.silent(whole, now.minus(patience.session))?;
        for silent in sessions.into_iter().filter(is_silent) {
            self.assume_over(&silent, true)?;
            out.sessions.push(silent.session);
        }
        let turns = "SELECT s.id, s.agent, s.last_at FROM sessions AS s JOIN batches AS b ON b.session_pk = s.pk
                     WHERE s.status = 'active' AND b.status = 'active' AND s.last_at < ?1";
        let sessions = self.silent(turns, now.minus(patience.turn))?;
        for silent in sessions.into_iter().filter(is_silent) {
            self.assume_over(&silent, false)?;
        }
        Ok(())
    }

    fn silent(&mut self, sql: &str, before: Millis) -> Sql<Vec<Silent>> {
        self.flush()?;
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([before], |row| {
            Ok(Silent {
                session: row.get(0)?,
                agent: row.get(1)?,
                last_at: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn assume_over(&mut self, silent: &Silent, whole: bool) -> Sql<()> {
        let scope = if whole { "session" } else { "turn" };
        // Sorts after every other id of the same millisecond.
        let id = format!("~idle:{scope}:{}:{}", silent.session, silent.last_at.0);
        let record = json!({
            "v": 1, "id": id, "ts": silent.last_at.to_text(), "agent": silent.agent, "event": IDLE,
            "session": silent.session, OWN_SHAPE.0: OWN_SHAPE.1,
            "payload": { "hook_event_name": IDLE, "session_id": silent.session, "whole": whole },
        });
        let line = record.to_string();
        self.take(&read(&line, silent.last_at), &line)
    }
}
