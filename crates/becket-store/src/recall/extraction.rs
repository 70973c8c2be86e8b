//! The queue of turns from which something may be learnt yet.

use std::time::Duration;

use becket_guard::redact::redact_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::millis::Millis;
use crate::open::Reader;
use crate::write::Group;

/// The end of a session is in the queue under this, its time and `:` and the session's id.
pub const END_OF_SESSION: &str = "end:";

/// A turn to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// Its place in the queue.
    pub pk: i64,
    /// The batch.
    pub batch: String,
    /// The session.
    pub session: String,
    /// How often it was tried, this time included.
    pub attempts: u32,
}

/// A turn, or the end of a session, that was given up
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct FailedExtraction {
    /// What it is retried by
    #[serde(rename = "id")]
    pub pk: i64,
    /// The turn, or what the end of the session is called in the queue
    pub batch: String,
    /// The session
    pub session: String,
    /// How often it was tried
    pub attempts: u32,
    /// What went wrong last
    pub error: Option<String>,
}

/// The queue in numbers
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
pub struct Extractions {
    /// To be learnt from
    pub waiting: u64,
    /// Being learnt from
    pub running: u64,
    /// Learnt from
    pub done: u64,
    /// Given up
    pub failed: u64,
}

impl Group<'_> {
    /// Puts a turn into the queue; whether it was not in it.
    pub fn enqueue_extraction(
        &mut self,
        batch: &str,
        session: &str,
        at: Millis,
    ) -> Result<bool, Error> {
        let sql = "INSERT INTO extractions (batch, session, state, next_at) VALUES (?1, ?2, 'waiting', ?3)
                   ON CONFLICT (batch) DO NOTHING";
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute((batch, session, at))? > 0))
    }

    /// Takes the turn that is due longest. Who takes one and says nothing of it within `patience` has
    /// lost it: it is due again.
    pub fn claim_extraction(
        &mut self,
        now: Millis,
        patience: Duration,
    ) -> Result<Option<Extraction>, Error> {
        let sql = "UPDATE extractions SET state = 'running', attempts = attempts + 1, next_at = ?2
                   WHERE pk = (SELECT pk FROM extractions WHERE state IN ('waiting', 'running') AND next_at <= ?1
                               ORDER BY next_at, pk LIMIT 1)
                   RETURNING pk, batch, session, attempts";
        self.recall(|db| {
            let mut query = db.prepare_cached(sql)?;
            let mut rows = query.query((now, now.plus(patience)))?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            Ok(Some(Extraction {
                pk: row.get(0)?,
                batch: row.get(1)?,
                session: row.get(2)?,
                attempts: row.get(3)?,
            }))
        })
    }

    /// Notes that a turn was learnt from.
    pub fn finish_extraction(&mut self, pk: i64) -> Result<bool, Error> {
        let sql = "UPDATE extractions SET state = 'done', error = NULL WHERE pk = ?1";
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute([pk])? > 0))
    }

    /// Notes that it did not work; `again` says when to try once more, `None` gives up.
    pub fn fail_extraction(
        &mut self,
        pk: i64,
        error: &str,
        again: Option<Millis>,
    ) -> Result<bool, Error> {
        let sql =
            "UPDATE extractions SET state = CASE WHEN ?3 IS NULL THEN 'failed' ELSE 'waiting' END,
                     error = ?2, next_at = coalesce(?3, next_at) WHERE pk = ?1";
        let values = (pk, redact_text(error), again);
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute(values)? > 0))
    }
}

impl Group<'_> {
    /// Puts a turn that was given up back into the queue; whether there was one.
    pub fn retry_extraction(&mut self, pk: i64, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', attempts = 0, next_at = ?2
                   WHERE pk = ?1 AND state = 'failed'";
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute((pk, at))? > 0))
    }

    /// Puts every turn that was given up back into the queue, and tells how many there were.
    pub fn retry_extractions(&mut self, at: Millis) -> Result<usize, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', attempts = 0, next_at = ?1 WHERE state = 'failed'";
        self.recall(|db| db.prepare_cached(sql)?.execute([at]))
    }

    /// Makes turns due that somebody took who is gone. Only for whoever knows that nobody else works through the queue.
    pub fn release_extractions(&mut self, at: Millis) -> Result<usize, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', next_at = ?1 WHERE state = 'running'";
        self.recall(|db| db.prepare_cached(sql)?.execute([at]))
    }
}

impl Reader {
    /// Turns that were given up, the latest first.
    pub fn failed_extractions(&self, limit: usize) -> Result<Vec<FailedExtraction>, Error> {
        let sql = format!(
            "SELECT pk, batch, session, attempts, error FROM extractions WHERE state = 'failed'
             ORDER BY pk DESC LIMIT {}",
            limit.clamp(1, 1000)
        );
        self.all(&sql, [], |row| {
            Ok(FailedExtraction {
                pk: row.get(0)?,
                batch: row.get(1)?,
                session: row.get(2)?,
                attempts: row.get(3)?,
                error: row.get(4)?,
            })
        })
    }

    /// Why the turn that waits and is due first was put off, if one was.
    pub fn put_off(&self) -> Result<Option<String>, Error> {
        let sql = "SELECT error FROM extractions WHERE state = 'waiting' AND error IS NOT NULL ORDER BY next_at, pk LIMIT 1";
        self.first(sql, [], |row| row.get(0))
    }

    /// Sessions that have ended since then and whose end never was in the queue, the oldest first, with its time.
    pub fn unqueued_ends(
        &self,
        since: Millis,
        limit: usize,
    ) -> Result<Vec<(String, Millis)>, Error> {
        let sql = "SELECT s.id, coalesce(s.ended_at, s.last_at) AS ended FROM sessions AS s
                   WHERE s.status = 'completed' AND s.last_at >= ?1 AND NOT EXISTS
                     (SELECT 1 FROM extractions AS x WHERE x.batch = ?2 || coalesce(s.ended_at, s.last_at) || ':' || s.id)
                   ORDER BY s.last_at, s.pk LIMIT ?3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(sql, (since, END_OF_SESSION, limit), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    /// When the next turn is due.
    pub fn next_extraction(&self) -> Result<Option<Millis>, Error> {
        let sql = "SELECT min(next_at) FROM extractions WHERE state IN ('waiting', 'running')";
        Ok(self.first(sql, [], |row| row.get(0))?.flatten())
    }

    /// The queue in numbers.
    pub fn extractions(&self) -> Result<Extractions, Error> {
        let sql = "SELECT state, count(*) FROM extractions GROUP BY state";
        let rows: Vec<(String, i64)> = self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut numbers = Extractions::default();
        for (state, count) in rows {
            let count = count.try_into().unwrap_or_default();
            match state.as_str() {
                "waiting" => numbers.waiting = count,
                "running" => numbers.running = count,
                "done" => numbers.done = count,
                _ => numbers.failed = count,
            }
        }
        Ok(numbers)
    }
}
