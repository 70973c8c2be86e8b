//! Retention: deletes old sessions in small steps, so that other writers are not blocked.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::{StoreReader, StoreWriter};

/// How much of an old session is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PruneExtent {
    /// The whole session.
    #[default]
    Everything,
    /// Only the raw events. Prompts, activities and decisions stay.
    RawEvents,
}

/// A retention policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Ended sessions whose last event is before this time are deleted.
    pub before: Millis,
    /// How much of them is deleted.
    pub extent: PruneExtent,
    /// Keep sessions with unacknowledged alarms.
    pub keep_alarmed: bool,
    /// Keep sessions with a denied call, as an audit trail.
    pub keep_denied: bool,
    /// Keep sessions that a person has given a title.
    pub keep_titled: bool,
}

impl Retention {
    /// Deletes everything before `before`, except sessions with unacknowledged alarms or a person's title.
    pub fn before(before: Millis) -> Self {
        Self {
            before,
            extent: PruneExtent::Everything,
            keep_alarmed: true,
            keep_denied: false,
            keep_titled: true,
        }
    }
}

/// What one step deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PruneReport {
    /// Sessions that were deleted, or whose raw events were.
    pub sessions: u64,
    /// Raw events.
    pub events: u64,
    /// More remains to be deleted.
    pub more: bool,
}

impl StoreReader {
    /// What [`StoreWriter::prune`] would delete.
    pub fn prunable(&self, retention: &Retention) -> Result<PruneReport, Error> {
        let sql = format!(
            "WITH old AS (SELECT s.pk FROM sessions AS s WHERE {})
             SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM events WHERE session_pk IN (SELECT pk FROM old))
               + (SELECT count(*) FROM events WHERE session_pk IS NULL AND at < ?1)",
            condition(retention)
        );
        let found = self.first(&sql, [retention.before], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let (sessions, events) = found.unwrap_or_default();
        Ok(PruneReport {
            sessions,
            events,
            more: sessions + events > 0,
        })
    }
}

impl StoreWriter {
    /// Deletes about `rows` rows at most. Call it again while [`PruneReport::more`] is set.
    pub fn prune(&mut self, retention: &Retention, rows: usize) -> Result<PruneReport, Error> {
        let transaction = self.begin()?;
        let pruned = prune(transaction.db(), retention, rows.max(1));
        let pruned = pruned.map_err(|error| transaction.writer.failed(error))?;
        transaction.commit()?;
        Ok(pruned)
    }

    /// Returns at most `pages` free pages to the file system; the result is the number of free pages left.
    pub fn reclaim(&mut self, pages: u32) -> Result<u64, Error> {
        let db = &self.reader.connection;
        let done = || -> Result<u64, ErrorKind> {
            db.execute_batch("INSERT INTO search (search, rank) VALUES ('merge', 200)")?;
            let mut vacuum = db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
            // Each row is one returned page.
            let mut steps = vacuum.query([])?;
            while steps.next()?.is_some() {}
            db.execute_batch("PRAGMA optimize")?;
            Ok(db.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
        };
        done().map_err(|error| self.failed(error))
    }
}

fn prune(db: &Connection, retention: &Retention, rows: usize) -> Result<PruneReport, ErrorKind> {
    let mut pruned = PruneReport::default();
    let mut left = rows;
    while left > 0 {
        let Some(session) = next_session(db, retention)? else {
            left = prune_sessionless(db, retention, left, &mut pruned)?;
            pruned.more = left == 0;
            return Ok(pruned);
        };
        // Marks the session, so that a late event does not rebuild half of it.
        let sql = "UPDATE sessions SET pruned_to = ?2 WHERE pk = ?1";
        db.prepare_cached(sql)?
            .execute((session, retention.before))?;
        let deleted = delete_events(db, "session_pk = ?1", session, left)?;
        pruned.events += count(deleted);
        if deleted == left {
            break;
        }
        left -= deleted.max(1);
        if retention.extent == PruneExtent::Everything {
            let deleted = delete_some(db, "activities", "pk", session, left.max(1))?;
            if deleted >= left.max(1) {
                break;
            }
            left = left.saturating_sub(deleted);
            db.prepare_cached("DELETE FROM sessions WHERE pk = ?1")?
                .execute([session])?;
        }
        pruned.sessions += 1;
    }
    pruned.more = true;
    Ok(pruned)
}

/// The session with the oldest last event that has something to prune.
fn next_session(db: &Connection, retention: &Retention) -> Result<Option<i64>, ErrorKind> {
    let sql = format!(
        "SELECT s.pk FROM sessions AS s WHERE {} ORDER BY s.last_at, s.pk LIMIT 1",
        condition(retention)
    );
    let mut query = db.prepare_cached(&sql)?;
    let pk = query.query_row([retention.before], |row| row.get(0));
    Ok(pk.optional()?)
}

/// The SQL condition for sessions to prune; `?1` is the time.
fn condition(retention: &Retention) -> String {
    let mut sql = String::from("s.last_at < ?1 AND s.status = 'completed'");
    let mut and = |wanted: bool, condition: &str| {
        if wanted {
            sql.push_str(" AND ");
            sql.push_str(condition);
        }
    };
    and(
        retention.extent == PruneExtent::RawEvents,
        "EXISTS (SELECT 1 FROM events AS e WHERE e.session_pk = s.pk)",
    );
    and(retention.keep_titled, "s.title_by IS NOT 'person'");
    and(
        retention.keep_alarmed,
        "NOT EXISTS (SELECT 1 FROM alarms AS a WHERE a.session_pk = s.pk AND a.acknowledged_at IS NULL)",
    );
    and(
        retention.keep_denied,
        "NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.session_pk = s.pk AND d.verdict IN ('deny', 'halt'))",
    );
    sql
}

/// Prunes rows without a session; returns what is left of the row budget.
fn prune_sessionless(
    db: &Connection,
    retention: &Retention,
    rows: usize,
    pruned: &mut PruneReport,
) -> Result<usize, ErrorKind> {
    let which = "session_pk IS NULL AND at < ?1";
    let events = delete_events(db, which, retention.before.0, rows)?;
    pruned.events += count(events);
    let left = rows - events;
    if left == 0 {
        return Ok(0);
    }
    let sql = "DELETE FROM hook_runs WHERE pk IN (
                 SELECT h.pk FROM hook_runs AS h WHERE h.at < ?1
                   AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.id = h.event_id)
                   AND NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.event_id = h.event_id) LIMIT ?2)";
    let runs = db
        .prepare_cached(sql)?
        .execute((retention.before, limit(left)))?;
    for table in ["decisions", "notifications", "usage"] {
        let sql = format!("DELETE FROM {table} WHERE session_pk IS NULL AND at < ?1");
        db.prepare_cached(&sql)?.execute([retention.before])?;
    }
    Ok(left - runs)
}

/// Deletes events and their hook runs, except hook runs whose decision stays.
fn delete_events(db: &Connection, which: &str, key: i64, rows: usize) -> Result<usize, ErrorKind> {
    let list = format!("SELECT seq FROM events WHERE {which} ORDER BY seq LIMIT ?2");
    let runs = format!(
        "DELETE FROM hook_runs WHERE event_id IN (SELECT id FROM events WHERE seq IN ({list}))
           AND NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.event_id = hook_runs.event_id)"
    );
    db.prepare_cached(&runs)?.execute((key, limit(rows)))?;
    let sql = format!("DELETE FROM events WHERE seq IN ({list})");
    Ok(db.prepare_cached(&sql)?.execute((key, limit(rows)))?)
}

fn delete_some(
    db: &Connection,
    table: &str,
    pk: &str,
    session: i64,
    rows: usize,
) -> Result<usize, ErrorKind> {
    let sql = format!(
        "DELETE FROM {table} WHERE {pk} IN (SELECT {pk} FROM {table} WHERE session_pk = ?1 LIMIT ?2)"
    );
    Ok(db.prepare_cached(&sql)?.execute((session, limit(rows)))?)
}

fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
