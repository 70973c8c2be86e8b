//! Fills the queue with ended turns and sessions.

use std::time::Duration;

use becket_store::{
    Error, IngestReport, Millis, SESSION_END_PREFIX, SessionHead, WriteTransaction,
};

use super::store_access::{StoreAccess, StoreAccessError};

/// Late events of a turn arrive within this time.
const SETTLE_DELAY: Duration = Duration::from_secs(5);

/// Older session ends are ignored.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Enqueues an ended turn; returns whether it is new.
pub fn enqueue_turn(
    group: &mut WriteTransaction<'_>,
    batch: &str,
    session: &str,
    now: Millis,
) -> Result<bool, Error> {
    group.enqueue_extraction(batch, session, now.plus(SETTLE_DELAY))
}

/// Enqueues the end of a session; returns whether it is new. A resumed session gets another end.
pub fn enqueue_session_end(
    group: &mut WriteTransaction<'_>,
    session: &str,
    ended: Millis,
    now: Millis,
) -> Result<bool, Error> {
    // After its last turn, if both end at the same time.
    let due = now.plus(SETTLE_DELAY).plus(Duration::from_millis(1));
    group.enqueue_extraction(
        &format!("{SESSION_END_PREFIX}{}:{session}", ended.0),
        session,
        due,
    )
}

/// Whether a job is a session end.
pub(super) fn is_session_end(batch: &str, session: &str) -> bool {
    let rest = batch
        .strip_prefix(SESSION_END_PREFIX)
        .and_then(|rest| rest.split_once(':'));
    rest.is_some_and(|(time, of)| of == session && time.parse::<i64>().is_ok())
}

/// Enqueues the turns and sessions that an ingest ended; returns how many.
pub fn enqueue_ended(
    store: &impl StoreAccess,
    report: &IngestReport,
    now: Millis,
) -> Result<usize, StoreAccessError> {
    let (mut turns, mut ends) = (Vec::new(), Vec::new());
    for batch in &report.ended_batches {
        if let Some(row) = store.read(|reader| reader.batch(batch))? {
            turns.push((row.id, row.session));
        }
    }
    for session in &report.ended_sessions {
        ends.extend(
            store
                .read(|reader| reader.session_head(session))?
                .and_then(ended),
        );
    }
    enqueue(store, turns, ends, now)
}

/// Backfill: enqueues ended turns and sessions that were never queued, at most `most` of each. If that many were added,
/// there may be more.
pub fn backfill_queue(
    store: &impl StoreAccess,
    now: Millis,
    most: usize,
) -> Result<usize, StoreAccessError> {
    let turns = store.read(|reader| reader.unprocessed_batches(most))?;
    let turns = turns.into_iter().map(|row| (row.id, row.session)).collect();
    let since = now.minus(MAX_AGE);
    let ends = store.read(|reader| reader.unqueued_session_ends(since, most))?;
    enqueue(store, turns, ends, now)
}

fn ended(session: SessionHead) -> Option<(String, Millis)> {
    (session.status == "completed")
        .then(|| (session.id, session.ended_at.unwrap_or(session.last_at)))
}

fn enqueue(
    store: &impl StoreAccess,
    turns: Vec<(String, String)>,
    ends: Vec<(String, Millis)>,
    now: Millis,
) -> Result<usize, StoreAccessError> {
    if turns.is_empty() && ends.is_empty() {
        return Ok(0);
    }
    store.write(move |group| {
        let mut added = 0;
        for (batch, session) in &turns {
            added += usize::from(enqueue_turn(group, batch, session, now)?);
        }
        for (session, at) in &ends {
            added += usize::from(enqueue_session_end(group, session, *at, now)?);
        }
        Ok(added)
    })
}
