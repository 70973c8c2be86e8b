//! Forgetting what is old, a little at a time so that nobody waits.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::{Reader, Writer};

/// How much of an old session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// All of it.
    #[default]
    Everything,
    /// The raw events. What was concluded from them stays: prompts, activities, decisions.
    RawEvents,
}

/// What is kept for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Sessions that were last heard of before this go, if they have ended.
    pub before: Millis,
    /// How much of them.
    pub extent: Extent,
    /// Keep sessions with alarms that nobody has seen.
    pub keep_alarmed: bool,
    /// Keep sessions in which something was denied: the trail of an audit.
    pub keep_denied: bool,
    /// Keep sessions that a person gave a title.
    pub keep_titled: bool,
}

impl Retention {
    /// Everything older than `before`, but for unseen alarms and what a person gave a title.
    pub fn before(before: Millis) -> Self {
        Self {
            before,
            extent: Extent::Everything,
            keep_alarmed: true,
            keep_denied: false,
            keep_titled: true,
        }
    }
}

/// What went in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pruned {
    /// Sessions that are gone altogether, or whose raw events are.
    pub sessions: u64,
    /// Raw events.
    pub events: u64,
    /// There is more to do.
    pub more: bool,
}

impl Reader {
    /// What [`Writer::prune`] would remove.
    pub fn prunable(&self, retention: &Retention) -> Result<Pruned, Error> {
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
        Ok(Pruned {
            sessions,
            events,
            more: sessions + events > 0,
        })
    }
}

impl Writer {
    /// Removes what is old, at most about `rows` rows of it. Call again while there is [`Pruned::more`].
    pub fn prune(&mut self, retention: &Retention, rows: usize) -> Result<Pruned, Error> {
        let group = self.begin()?;
        let pruned = prune(group.db(), retention, rows.max(1));
        let pruned = pruned.map_err(|error| group.writer.failed(error))?;
        group.commit()?;
        Ok(pruned)
    }

    /// Gives back at most this many unused pages of the file, and tells how many are left.
    pub fn reclaim(&mut self, pages: u32) -> Result<u64, Error> {
        let db = &self.reader.connection;
        let done = || -> Result<u64, ErrorKind> {
            db.execute_batch("INSERT INTO search (search, rank) VALUES ('merge', 200)")?;
            let mut vacuum = db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
            // Each step gives back a page.
            let mut steps = vacuum.query([])?;
            while steps.next()?.is_some() {}
            db.execute_batch("PRAGMA optimize")?;
            Ok(db.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
        };
        done().map_err(|error| self.failed(error))
    }
}

fn prune(db: &Connection, retention: &Retention, rows: usize) -> Result<Pruned, ErrorKind> {
    let mut pruned = Pruned::default();
    let mut left = rows;
    while left > 0 {
        let Some(session) = next_session(db, retention)? else {
            left = prune_loose(db, retention, left, &mut pruned)?;
            pruned.more = left == 0;
            return Ok(pruned);
        };
        // Late events must not bring back half of it.
        let sql = "UPDATE sessions SET pruned_to = ?2 WHERE pk = ?1";
        db.prepare_cached(sql)?
            .execute((session, retention.before))?;
        let gone = delete_events(db, "session_pk = ?1", session, left)?;
        pruned.events += count(gone);
        if gone == left {
            break;
        }
        left -= gone.max(1);
        if retention.extent == Extent::Everything {
            let gone = delete_some(db, "activities", "pk", session, left.max(1))?;
            if gone >= left.max(1) {
                break;
            }
            left = left.saturating_sub(gone);
            db.prepare_cached("DELETE FROM sessions WHERE pk = ?1")?
                .execute([session])?;
        }
        pruned.sessions += 1;
    }
    pruned.more = true;
    Ok(pruned)
}

/// The session that was silent longest and has something to prune.
fn next_session(db: &Connection, retention: &Retention) -> Result<Option<i64>, ErrorKind> {
    let sql = format!(
        "SELECT s.pk FROM sessions AS s WHERE {} ORDER BY s.last_at, s.pk LIMIT 1",
        condition(retention)
    );
    let mut query = db.prepare_cached(&sql)?;
    let pk = query.query_row([retention.before], |row| row.get(0));
    Ok(pk.optional()?)
}

/// Which sessions have something to prune; `?1` is the time.
fn condition(retention: &Retention) -> String {
    let mut sql = String::from("s.last_at < ?1 AND s.status = 'completed'");
    let mut and = |wanted: bool, condition: &str| {
        if wanted {
            sql.push_str(" AND ");
            sql.push_str(condition);
        }
    };
    and(
        retention.extent == Extent::RawEvents,
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

/// What belongs to no session; tells what is left of the budget.
fn prune_loose(
    db: &Connection,
    retention: &Retention,
    rows: usize,
    pruned: &mut Pruned,
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

/// Events, and the hook runs that go with them unless their decision stays.
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
