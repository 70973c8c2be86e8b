//! Parents of sessions that do not name them.
//!
//! A link follows from events alone and never from what a session happens to look like at the
//! moment, so that it is the same whatever order they arrive in. A parent always began before
//! its child; hence there are no circles.

use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use super::group::{Group, Sql};
use crate::millis::Millis;

/// A session that ended this long before another began with a cleared context was the one that was cleared.
const JUST_ENDED: Duration = Duration::from_secs(5);

/// The two are reported by two processes: the end may be dated a moment later.
const SLACK: Duration = Duration::from_secs(1);

/// Without such an end, it was the one that was last prompted, if that is not longer ago than this.
const LAST_PROMPTED: Duration = Duration::from_secs(24 * 3600);

/// A subagent's session was started by one that was heard of this shortly before.
const JUST_HEARD: Duration = Duration::from_secs(30);

/// A session whose parent is to be found.
struct Child {
    pk: i64,
    link: String,
    at: Millis,
    project: Option<i64>,
    agent: String,
}

impl Group<'_> {
    /// Finds the parents of all sessions that the new events may have something to say about.
    pub(super) fn relink(&mut self) -> Sql<()> {
        let Some(earliest) = self.earliest.take() else {
            return Ok(());
        };
        for child in self.children_since(earliest.minus(SLACK))? {
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

    fn children_since(&self, at: Millis) -> Sql<Vec<Child>> {
        let sql = "SELECT pk, link, started_at, project_pk,
                     (SELECT e.agent FROM events AS e WHERE e.session_pk = s.pk ORDER BY e.at, e.id LIMIT 1)
                   FROM sessions AS s
                   WHERE link IS NOT NULL AND started_at >= ?1 AND parent_reason IS NOT 'manual' AND pruned_to IS NULL";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([at], |row| {
            Ok(Child {
                pk: row.get(0)?,
                link: row.get(1)?,
                at: row.get(2)?,
                project: row.get(3)?,
                agent: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn cleared_by(&self, child: &Child) -> Sql<Option<(String, &'static str)>> {
        let just = (child.at.minus(JUST_ENDED), child.at.plus(SLACK));
        if let Some((parent, _)) = self.latest_event(child, "e.kind = 'SessionEnd'", just)? {
            return Ok(Some((parent, "clear")));
        }
        let day = (child.at.minus(LAST_PROMPTED), child.at);
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

    fn spawned_by(&self, child: &Child) -> Sql<Option<(String, &'static str)>> {
        let just = (child.at.minus(JUST_HEARD), child.at);
        let found = self.latest_event(child, "c.link IS NOT 'subagent'", just)?;
        Ok(found.map(|(parent, _)| (parent, "subagent")))
    }

    /// The session of the latest event of the same agent in the same project, and when that was.
    fn latest_event(
        &self,
        child: &Child,
        which: &str,
        (from, to): (Millis, Millis),
    ) -> Sql<Option<(String, Millis)>> {
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
