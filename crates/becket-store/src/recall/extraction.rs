//! The queue of turns and sessions that wait for memory extraction.

use std::time::Duration;

use becket_guard::redact::redact_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;
use crate::write::WriteTransaction;

/// The key prefix of a session's end in the queue; the end time, `:` and the session id follow.
pub const SESSION_END_PREFIX: &str = "end:";

/// A turn, or the end of a session, to extract memories from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionJob {
    /// The row id in the queue.
    pub pk: i64,
    /// The batch, or the key of a session's end.
    pub batch: String,
    /// The session.
    pub session: String,
    /// The number of attempts, including this one.
    pub attempts: u32,
}

/// A turn, or the end of a session, whose extraction failed for good
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct FailedExtraction {
    /// The id for a retry
    #[serde(rename = "id")]
    pub pk: i64,
    /// The turn, or the key of the session's end in the queue
    pub batch: String,
    /// The session
    pub session: String,
    /// The number of attempts
    pub attempts: u32,
    /// The last error
    pub error: Option<String>,
}

/// The number of jobs in the queue, by state
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Extractions")]
pub struct ExtractionCounts {
    /// Waiting
    pub waiting: u64,
    /// Running
    pub running: u64,
    /// Done
    pub done: u64,
    /// Failed for good
    pub failed: u64,
}

impl WriteTransaction<'_> {
    /// Adds a turn to the queue; `false` if it was already queued.
    pub fn enqueue_extraction(
        &mut self,
        batch: &str,
        session: &str,
        at: Millis,
    ) -> Result<bool, Error> {
        let sql = "INSERT INTO extractions (batch, session, state, next_at) VALUES (?1, ?2, 'waiting', ?3)
                   ON CONFLICT (batch) DO NOTHING";
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute((batch, session, at))? > 0))
    }

    /// Claims the job that has been due longest. If the claimer does not finish it within its `lease`, the job
    /// becomes due again.
    pub fn claim_extraction(
        &mut self,
        now: Millis,
        lease: Duration,
    ) -> Result<Option<ExtractionJob>, Error> {
        let sql = "UPDATE extractions SET state = 'running', attempts = attempts + 1, next_at = ?2
                   WHERE pk = (SELECT pk FROM extractions WHERE state IN ('waiting', 'running') AND next_at <= ?1
                               ORDER BY next_at, pk LIMIT 1)
                   RETURNING pk, batch, session, attempts";
        self.with_connection(|db| {
            let mut query = db.prepare_cached(sql)?;
            let mut rows = query.query((now, now.plus(lease)))?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            Ok(Some(ExtractionJob {
                pk: row.get(0)?,
                batch: row.get(1)?,
                session: row.get(2)?,
                attempts: row.get(3)?,
            }))
        })
    }

    /// Marks a job as done.
    pub fn finish_extraction(&mut self, pk: i64) -> Result<bool, Error> {
        let sql = "UPDATE extractions SET state = 'done', error = NULL WHERE pk = ?1";
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute([pk])? > 0))
    }

    /// Records a failed attempt. `again` is the time of the next attempt; `None` gives up.
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
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute(values)? > 0))
    }
}

impl WriteTransaction<'_> {
    /// Puts a failed job back into the queue; `false` if there is no such job.
    pub fn retry_extraction(&mut self, pk: i64, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', attempts = 0, next_at = ?2
                   WHERE pk = ?1 AND state = 'failed'";
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute((pk, at))? > 0))
    }

    /// Puts all failed jobs back into the queue and returns their number.
    pub fn retry_extractions(&mut self, at: Millis) -> Result<usize, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', attempts = 0, next_at = ?1 WHERE state = 'failed'";
        self.with_connection(|db| db.prepare_cached(sql)?.execute([at]))
    }

    /// Makes claimed jobs due again whose worker is gone. Call it only while no other worker processes the queue.
    pub fn release_extractions(&mut self, at: Millis) -> Result<usize, Error> {
        let sql = "UPDATE extractions SET state = 'waiting', next_at = ?1 WHERE state = 'running'";
        self.with_connection(|db| db.prepare_cached(sql)?.execute([at]))
    }
}

impl StoreReader {
    /// Jobs that failed for good, latest first.
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

    /// The last error of the next waiting job that has failed before.
    pub fn last_extraction_error(&self) -> Result<Option<String>, Error> {
        let sql = "SELECT error FROM extractions WHERE state = 'waiting' AND error IS NOT NULL ORDER BY next_at, pk LIMIT 1";
        self.first(sql, [], |row| row.get(0))
    }

    /// Sessions that ended since a time and whose end was never queued, oldest first, with their end time.
    pub fn unqueued_session_ends(
        &self,
        since: Millis,
        limit: usize,
    ) -> Result<Vec<(String, Millis)>, Error> {
        let sql = "SELECT s.id, coalesce(s.ended_at, s.last_at) AS ended FROM sessions AS s
                   WHERE s.status = 'completed' AND s.last_at >= ?1 AND NOT EXISTS
                     (SELECT 1 FROM extractions AS x WHERE x.batch = ?2 || coalesce(s.ended_at, s.last_at) || ':' || s.id)
                   ORDER BY s.last_at, s.pk LIMIT ?3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(sql, (since, SESSION_END_PREFIX, limit), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    /// When the next job is due.
    pub fn next_extraction(&self) -> Result<Option<Millis>, Error> {
        let sql = "SELECT min(next_at) FROM extractions WHERE state IN ('waiting', 'running')";
        Ok(self.first(sql, [], |row| row.get(0))?.flatten())
    }

    /// The number of jobs by state.
    pub fn extractions(&self) -> Result<ExtractionCounts, Error> {
        let sql = "SELECT state, count(*) FROM extractions GROUP BY state";
        let rows: Vec<(String, i64)> = self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut numbers = ExtractionCounts::default();
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
