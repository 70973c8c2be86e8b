//! What goes into the queue: turns that are over, and ends of sessions.

use std::time::Duration;

use becket_store::{END_OF_SESSION, Error, Group, IngestReport, Millis, SessionHead};

use super::desk::{Desk, DeskError};

/// Late events of a turn come within moments.
const SETTLING: Duration = Duration::from_secs(5);

/// Ends of sessions longer ago than this are left alone.
const LONG_AGO: Duration = Duration::from_secs(7 * 24 * 3600);

/// Puts a turn that is over into the queue; whether it was not in it.
pub fn enqueue_turn(
    group: &mut Group<'_>,
    batch: &str,
    session: &str,
    now: Millis,
) -> Result<bool, Error> {
    group.enqueue_extraction(batch, session, now.plus(SETTLING))
}

/// Puts the end of a session into the queue; whether it was not in it. A session that goes on and ends again has
/// another end.
pub fn enqueue_session_end(
    group: &mut Group<'_>,
    session: &str,
    ended: Millis,
    now: Millis,
) -> Result<bool, Error> {
    // After its last turn, if both end at the same moment.
    let due = now.plus(SETTLING).plus(Duration::from_millis(1));
    group.enqueue_extraction(
        &format!("{END_OF_SESSION}{}:{session}", ended.0),
        session,
        due,
    )
}

/// Whether a job is the end of its session.
pub(super) fn is_end(batch: &str, session: &str) -> bool {
    let rest = batch
        .strip_prefix(END_OF_SESSION)
        .and_then(|rest| rest.split_once(':'));
    rest.is_some_and(|(time, of)| of == session && time.parse::<i64>().is_ok())
}

/// After records were stored: puts the turns and sessions that are over since into the queue, and tells how many.
pub fn enqueue_ended(
    desk: &impl Desk,
    report: &IngestReport,
    now: Millis,
) -> Result<usize, DeskError> {
    let (mut turns, mut ends) = (Vec::new(), Vec::new());
    for batch in &report.ended_batches {
        if let Some(row) = desk.read(|reader| reader.batch(batch))? {
            turns.push((row.id, row.session));
        }
    }
    for session in &report.ended_sessions {
        ends.extend(
            desk.read(|reader| reader.session_head(session))?
                .and_then(ended),
        );
    }
    enqueue(desk, turns, ends, now)
}

/// Puts into the queue what is over and never was in it: turns of before, sessions that never said goodbye. At most so
/// many turns and so many ends: whoever adds as many as that may find more.
pub fn catch_up(desk: &impl Desk, now: Millis, most: usize) -> Result<usize, DeskError> {
    let turns = desk.read(|reader| reader.unprocessed_batches(most))?;
    let turns = turns.into_iter().map(|row| (row.id, row.session)).collect();
    let since = now.minus(LONG_AGO);
    let ends = desk.read(|reader| reader.unqueued_ends(since, most))?;
    enqueue(desk, turns, ends, now)
}

fn ended(session: SessionHead) -> Option<(String, Millis)> {
    (session.status == "completed")
        .then(|| (session.id, session.ended_at.unwrap_or(session.last_at)))
}

fn enqueue(
    desk: &impl Desk,
    turns: Vec<(String, String)>,
    ends: Vec<(String, Millis)>,
    now: Millis,
) -> Result<usize, DeskError> {
    if turns.is_empty() && ends.is_empty() {
        return Ok(0);
    }
    desk.write(move |group| {
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
