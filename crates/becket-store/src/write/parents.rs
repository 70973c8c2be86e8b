//! Finds the parents of sessions whose events do not name them.
//!
//! A link depends only on events, never on a session's current state, so it does not depend on the order in which
//! they arrive. A parent always began before its child; so there are no cycles.

use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use super::transaction::{SqlResult, WriteTransaction};
use crate::millis::Millis;

/// A session that ended at most this long before a cleared session began is its parent.
const CLEAR_WINDOW: Duration = Duration::from_secs(5);

/// Two processes report the end and the start, so the end may be dated slightly later.
const CLOCK_SLACK: Duration = Duration::from_secs(1);

/// Without such an end, the parent is the session with the last prompt, if it is not older than this.
const LAST_PROMPT_WINDOW: Duration = Duration::from_secs(24 * 3600);

/// A subagent's parent is the session with the last event at most this long before.
const SPAWN_WINDOW: Duration = Duration::from_secs(30);

/// A session whose parent is unknown.
struct ChildSession {
    pk: i64,
    link: String,
    at: Millis,
    project: Option<i64>,
    agent: String,
}

impl WriteTransaction<'_> {
    /// Finds the parents of all sessions that the new events may affect.
    pub(super) fn link_parents(&mut self) -> SqlResult<()> {
        let Some(earliest) = self.earliest_event.take() else {
            return Ok(());
        };
        for child in self.children_since(earliest.minus(CLOCK_SLACK))? {
            let parent = match child.link.as_str() {
                "clear" => self.cleared_by(&child)?,
                _ => self.spawned_by(&child)?,
            };
            let (parent, why) = parent.unzip();
            let sql = "UPDATE sessions SET parent = ?2, parent_reason = ?3 WHERE pk = ?1";
            self.db()
                .prepare_cached(sql)?
                .execute((child.pk, parent, why))?;
        }
        Ok(())
    }

    fn children_since(&self, at: Millis) -> SqlResult<Vec<ChildSession>> {
        let sql = "SELECT pk, link, started_at, project_pk,
                     (SELECT e.agent FROM events AS e WHERE e.session_pk = s.pk ORDER BY e.at, e.id LIMIT 1)
                   FROM sessions AS s
                   WHERE link IS NOT NULL AND started_at >= ?1 AND parent_reason IS NOT 'manual' AND pruned_to IS NULL";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([at], |row| {
            Ok(ChildSession {
                pk: row.get(0)?,
                link: row.get(1)?,
                at: row.get(2)?,
                project: row.get(3)?,
                agent: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn cleared_by(&self, child: &ChildSession) -> SqlResult<Option<(String, &'static str)>> {
        let just = (child.at.minus(CLEAR_WINDOW), child.at.plus(CLOCK_SLACK));
        if let Some((parent, _)) = self.latest_event(child, "e.kind = 'SessionEnd'", just)? {
            return Ok(Some((parent, "clear")));
        }
        let day = (child.at.minus(LAST_PROMPT_WINDOW), child.at);
        let Some((parent, at)) = self.latest_event(child, "e.kind = 'UserPromptSubmit'", day)?
        else {
            return Ok(None);
        };
        let sql = "SELECT 1 FROM events AS e JOIN sessions AS c ON c.pk = e.session_pk
                   WHERE c.id = ?1 AND e.kind = 'SessionEnd' AND e.at BETWEEN ?2 AND ?3";
        let over = self
            .db()
            .prepare_cached(sql)?
            .exists((&parent, at, child.at))?;
        let why = if over { "inferred" } else { "clear_active" };
        Ok(Some((parent, why)))
    }

    fn spawned_by(&self, child: &ChildSession) -> SqlResult<Option<(String, &'static str)>> {
        let just = (child.at.minus(SPAWN_WINDOW), child.at);
        let found = self.latest_event(child, "c.link IS NOT 'subagent'", just)?;
        Ok(found.map(|(parent, _)| (parent, "subagent")))
    }

    /// The session of the latest event of the same agent in the same project, and its time.
    fn latest_event(
        &self,
        child: &ChildSession,
        which: &str,
        (from, to): (Millis, Millis),
    ) -> SqlResult<Option<(String, Millis)>> {
        let sql = format!(
            "SELECT c.id, e.at FROM events AS e JOIN sessions AS c ON c.pk = e.session_pk
             WHERE e.project_pk IS ?1 AND e.at BETWEEN ?2 AND ?3 AND e.agent = ?4 AND e.session_pk <> ?5
               AND c.started_at < ?6 AND {which}
             ORDER BY e.at DESC, e.id DESC LIMIT 1"
        );
        let values = params![child.project, from, to, child.agent, child.pk, child.at];
        let mut query = self.db().prepare_cached(&sql)?;
        let row = query.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(row.optional()?)
    }
}
