//! Keeping sessions and batches in step with events, in order or not.

use rusqlite::{OptionalExtension, params};

use super::group::{Group, Sql, Work};
use crate::millis::Millis;
use crate::record::{self, Observed, Read};
use crate::session::{Change, Course, Mark, Placed, Position};

/// Where an event came to stand.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub(super) pk: Option<i64>,
    pub(super) duplicate_of: Option<String>,
}

/// What is to be done with an event that others should have come after.
enum Late {
    /// It belongs here and changes nothing else.
    Place(Option<(i64, String)>),
    /// It may change what was concluded from those others.
    Rebuild,
}

/// The batch that an event falls into by its time.
struct Around {
    pk: i64,
    id: String,
    ended_at: Option<Millis>,
    ended_by: Option<String>,
    repeats: i64,
}

/// An event as far as the course of a session needs it.
struct Light {
    position: Position,
    mark: Option<Mark>,
    batch_pk: Option<i64>,
    duplicate_of: Option<String>,
}

/// Whether what a change brings about is news.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    News,
    Again,
}

impl Group<'_> {
    /// Stores an event and takes it into the course of its session.
    pub(super) fn fold(
        &mut self,
        work: &mut Work,
        seen: &Observed,
        line: &str,
        project: Option<i64>,
    ) -> Sql<Folded> {
        let (pk, position, mark) = (work.pk, &seen.position, seen.mark.as_ref());
        if work.course.is_before(position) {
            let placed = work.course.step(position, mark);
            let batch = self.apply(work, position, &placed, Telling::News)?;
            self.insert_event(seen, line, Some(pk), project, batch)?;
            return Ok(Folded {
                pk: batch,
                duplicate_of: placed.duplicate_of,
            });
        }
        match self.late(work, seen)? {
            Late::Place(around) => {
                let batch = around.as_ref().map(|(pk, _)| *pk);
                self.insert_event(seen, line, Some(pk), project, batch)?;
                if let Some((batch, id)) = around {
                    work.course.touch(&id, position.at, mark);
                    let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE pk = ?1";
                    self.db()
                        .prepare_cached(sql)?
                        .execute((batch, position.at))?;
                }
                Ok(Folded {
                    pk: batch,
                    duplicate_of: None,
                })
            }
            Late::Rebuild => {
                self.insert_event(seen, line, Some(pk), project, None)?;
                self.rebuild(work)?;
                self.folded(&position.id)
            }
        }
    }

    fn folded(&self, id: &str) -> Sql<Folded> {
        let sql = "SELECT batch_pk, duplicate_of FROM events WHERE id = ?1";
        let row = self.db().prepare_cached(sql)?.query_row([id], |row| {
            Ok(Folded {
                pk: row.get(0)?,
                duplicate_of: row.get(1)?,
            })
        })?;
        Ok(row)
    }

    fn late(&self, work: &Work, seen: &Observed) -> Sql<Late> {
        let at = seen.position.at;
        let around = self.around(work.pk, &seen.position)?;
        let place = |around: Option<Around>| Late::Place(around.map(|a| (a.pk, a.id)));
        if work.pruned_to.is_some() {
            return Ok(place(around));
        }
        Ok(match (&seen.mark, around) {
            (None, None) => Late::Place(None),
            // Without a stop, a batch ended when it was last heard of, which would now be later.
            (None, Some(around)) if around.lasted_until(at) || around.was_stopped() => {
                place(Some(around))
            }
            // Work after a prompt makes the same prompt a new one. And work while a batch was over makes
            // it go on sooner, so that a stop, an end or an answer which came too late then counts now.
            (Some(Mark::Act { plan: false }), Some(around))
                if around.lasted_beyond(at)
                    && around.repeats == 0
                    && !work.course.was_reopened(&around.id) =>
            {
                place(Some(around))
            }
            _ => Late::Rebuild,
        })
    }

    fn around(&self, session: i64, position: &Position) -> Sql<Option<Around>> {
        let sql = "SELECT pk, id, ended_at, ended_by, repeats FROM batches
                   WHERE session_pk = ?1 AND (started_at, id) <= (?2, ?3)
                   ORDER BY started_at DESC, id DESC LIMIT 1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row((session, position.at, &position.id), |row| {
            Ok(Around {
                pk: row.get(0)?,
                id: row.get(1)?,
                ended_at: row.get(2)?,
                ended_by: row.get(3)?,
                repeats: row.get(4)?,
            })
        });
        Ok(row.optional()?)
    }

    /// Concludes everything again. Batches keep their rows, and with them what was added later.
    fn rebuild(&mut self, work: &mut Work) -> Sql<()> {
        let stale = "UPDATE batches SET stale = 1 WHERE session_pk = ?1";
        self.db().prepare_cached(stale)?.execute([work.pk])?;
        work.course = Course::default();
        work.latest_pk = None;
        for event in self.events_of(work.pk)? {
            let placed = work.course.step(&event.position, event.mark.as_ref());
            let batch = self.apply(work, &event.position, &placed, Telling::Again)?;
            if batch != event.batch_pk {
                self.move_event(&event.position.id, batch)?;
            }
            let decides = matches!(event.mark, Some(Mark::Prompt { .. } | Mark::Compact));
            if decides && placed.duplicate_of != event.duplicate_of {
                self.revise_duplicate(
                    work.pk,
                    &event.position.id,
                    placed.duplicate_of.as_deref(),
                    batch,
                )?;
            }
        }
        let gone = "DELETE FROM batches WHERE session_pk = ?1 AND stale = 1";
        self.db().prepare_cached(gone)?.execute([work.pk])?;
        self.join_all_channels(work.pk)?;
        self.reconcile_session(work.pk)
    }

    fn events_of(&self, session: i64) -> Sql<Vec<Light>> {
        let sql = "SELECT at, id, mark, batch_pk, duplicate_of FROM events WHERE session_pk = ?1 ORDER BY at, id";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([session], |row| {
            let mark: Option<String> = row.get(2)?;
            Ok(Light {
                position: Position {
                    at: row.get(0)?,
                    id: row.get(1)?,
                },
                // A mark of a version that is not ours means nothing to us.
                mark: mark.and_then(|text| serde_json::from_str(&text).ok()),
                batch_pk: row.get(3)?,
                duplicate_of: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn move_event(&self, id: &str, batch: Option<i64>) -> Sql<()> {
        for sql in [
            "UPDATE events SET batch_pk = ?2 WHERE id = ?1",
            "UPDATE activities SET batch_pk = ?2 WHERE id = ?1",
        ] {
            self.db().prepare_cached(sql)?.execute((id, batch))?;
        }
        Ok(())
    }

    /// What was the first report of something is the second, or the other way round.
    pub(super) fn revise_duplicate(
        &mut self,
        session: i64,
        id: &str,
        first: Option<&str>,
        batch: Option<i64>,
    ) -> Sql<()> {
        self.mark_duplicate(id, first)?;
        let had = "SELECT 1 FROM activities WHERE id = ?1";
        let has_activity = self.db().prepare_cached(had)?.exists([id])?;
        if first.is_some() {
            self.flush_words()?;
            let gone = "DELETE FROM activities WHERE id = ?1";
            self.db().prepare_cached(gone)?.execute([id])?;
        } else if !has_activity {
            let sql = "SELECT record FROM events WHERE id = ?1";
            let line: String = self
                .db()
                .prepare_cached(sql)?
                .query_row([id], |row| row.get(0))?;
            if let Read::Event(seen) = record::read(&line, Millis(0)) {
                self.insert_activity(&seen, session, batch)?;
            }
        }
        Ok(())
    }

    /// Writes what an event changes, and tells the key of its batch.
    fn apply(
        &mut self,
        work: &mut Work,
        position: &Position,
        placed: &Placed,
        telling: Telling,
    ) -> Sql<Option<i64>> {
        for change in &placed.changes {
            self.change(work, position, change)?;
            if let (Change::Close { id, .. }, Telling::News) = (change, telling) {
                self.report.ended_batches.insert(id.clone());
            }
            if let Change::Reopen { id } = change {
                self.report.ended_batches.remove(id);
            }
        }
        let Some(id) = &placed.batch else {
            return Ok(None);
        };
        if work.latest_pk.as_ref().is_none_or(|(known, _)| known != id) {
            let sql = "SELECT pk FROM batches WHERE id = ?1";
            let pk = self
                .db()
                .prepare_cached(sql)?
                .query_row([id], |row| row.get(0))?;
            work.latest_pk = Some((id.clone(), pk));
        }
        Ok(work.latest_pk.as_ref().map(|(_, pk)| *pk))
    }

    fn change(&self, work: &mut Work, position: &Position, change: &Change) -> Sql<()> {
        let db = self.db();
        let set = |what: &str, id: &str| {
            let sql = format!("UPDATE batches SET {what} WHERE id = ?1");
            db.prepare_cached(&sql)?.execute([id])
        };
        let point = |what: &str, id: &str| {
            let sql = format!("UPDATE batches SET {what} = ?2 WHERE id = ?1");
            db.prepare_cached(&sql)?.execute((id, &position.id))
        };
        match change {
            Change::Open { number, source } => {
                let pk = self.open_batch(work.pk, position, *number, source.word())?;
                work.latest_pk = Some((position.id.clone(), pk));
            }
            Change::Close {
                id,
                at,
                last_at,
                by,
            } => {
                let sql = "UPDATE batches SET status = 'completed', ended_at = ?2, last_at = ?3, ended_by = ?4 WHERE id = ?1";
                db.prepare_cached(sql)?
                    .execute((id, at, last_at, by.word()))?;
            }
            Change::Heard { id, last_at } => {
                let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE id = ?1";
                db.prepare_cached(sql)?.execute((id, last_at))?;
            }
            Change::Reopen { id } => {
                set("status = 'active', ended_at = NULL, ended_by = NULL", id)?;
            }
            Change::Respond { id } => {
                point("response_id", id)?;
            }
            Change::Plan { id } => {
                point("plan_id", id)?;
            }
            Change::Repeat { id } => {
                set("repeats = repeats + 1", id)?;
            }
            Change::Tell { id, source } => {
                let sql = "UPDATE batches SET source = ?2, plan_id = CASE ?2 WHEN 'plan' THEN ?3 ELSE plan_id END WHERE id = ?1";
                db.prepare_cached(sql)?
                    .execute((id, source.word(), &position.id))?;
            }
        }
        Ok(())
    }

    fn open_batch(&self, session: i64, position: &Position, number: u32, source: &str) -> Sql<i64> {
        // A prompt that carries a plan is its own plan.
        let sql = "INSERT INTO batches (id, session_pk, number, source, status, started_at, last_at, plan_id)
                   VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?5, CASE ?4 WHEN 'plan' THEN ?1 END)
                   ON CONFLICT (id) DO UPDATE SET number = ?3, source = ?4, status = 'active', started_at = ?5,
                     last_at = ?5, ended_at = NULL, ended_by = NULL, response_id = NULL,
                     plan_id = CASE ?4 WHEN 'plan' THEN ?1 END, repeats = 0, stale = 0
                   RETURNING pk";
        let values = (&position.id, session, number, source, position.at);
        Ok(self
            .db()
            .prepare_cached(sql)?
            .query_row(values, |row| row.get(0))?)
    }

    pub(super) fn flush_sessions(&mut self) -> Sql<()> {
        let db = &self.writer.reader.connection;
        for (id, work) in self.sessions.iter_mut().filter(|(_, work)| work.dirty) {
            let (header, course) = (&work.header, &work.course);
            let parent = header.parent();
            let ended = course.ended();
            let json = |text: serde_json::Result<String>| text.unwrap_or_default();
            let sql = "UPDATE sessions SET agent = ?2, project_pk = ?3, status = ?4, source = ?5, started_at = ?6,
                         last_at = ?7, ended_at = ?8, end_reason = ?9, transcript = ?10,
                         parent = CASE WHEN parent_reason IS 'manual' OR ?13 IS NOT NULL THEN parent ELSE ?11 END,
                         parent_reason = CASE WHEN parent_reason IS 'manual' OR ?13 IS NOT NULL THEN parent_reason ELSE ?12 END,
                         link = ?13, header = ?14, course = ?15
                       WHERE pk = ?1";
            db.prepare_cached(sql)?.execute(params![
                work.pk,
                header.agent(),
                header.project(),
                if ended.is_some() {
                    "completed"
                } else {
                    "active"
                },
                header.source(),
                header.started_at(),
                header.last_at(),
                ended.map(|ended| ended.at),
                ended.and_then(|ended| ended.reason.as_deref()),
                header.transcript(),
                parent.map(|(id, _)| id),
                parent.map(|(_, why)| why),
                header.link().map(crate::session::Link::word),
                json(serde_json::to_string(header)),
                json(serde_json::to_string(course)),
            ])?;
            if ended.is_some() {
                self.report.ended_sessions.insert(id.clone());
            } else {
                self.report.ended_sessions.remove(id);
            }
            if let Some((id, at)) = course.latest() {
                let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE id = ?1";
                db.prepare_cached(sql)?.execute((id, at))?;
            }
            work.dirty = false;
        }
        Ok(())
    }
}

impl Around {
    fn lasted_until(&self, at: Millis) -> bool {
        self.ended_at.is_none_or(|end| at <= end)
    }

    fn lasted_beyond(&self, at: Millis) -> bool {
        self.ended_at.is_none_or(|end| at < end)
    }

    fn was_stopped(&self) -> bool {
        matches!(self.ended_by.as_deref(), Some("stop" | "failure"))
    }
}
