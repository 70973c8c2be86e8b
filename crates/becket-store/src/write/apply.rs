//! Applies events to the turn state and writes the resulting batch rows, whether events arrive in order or late.

use rusqlite::{OptionalExtension, params};

use super::transaction::{CachedSession, SqlResult, WriteTransaction};
use crate::millis::Millis;
use crate::record::{self, ParsedEvent, ParsedRecord};
use crate::session::{BatchChange, EventPlacement, EventPosition, TurnEffect, TurnState};

/// The batch of a stored event, and the event it duplicates.
#[derive(Debug, Default)]
pub(super) struct AppliedEvent {
    pub(super) batch_pk: Option<i64>,
    pub(super) duplicate_of: Option<String>,
}

/// What to do with an event that belongs before others.
enum LateEvent {
    /// It belongs to this batch and changes nothing else.
    Place(Option<(i64, String)>),
    /// It may change the batches after it: replay the session's events.
    Rebuild,
}

/// The batch that contains a point in time.
struct EnclosingBatch {
    pk: i64,
    id: String,
    ended_at: Option<Millis>,
    ended_by: Option<String>,
    repeats: i64,
}

/// The columns of a stored event that a replay needs.
struct ReplayedEvent {
    position: EventPosition,
    turn_effect: Option<TurnEffect>,
    batch_pk: Option<i64>,
    duplicate_of: Option<String>,
}

/// Whether changes are reported as new.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApplyMode {
    Live,
    Replay,
}

impl WriteTransaction<'_> {
    /// Stores an event and applies it to the session's turn state.
    pub(super) fn apply(
        &mut self,
        cached: &mut CachedSession,
        parsed: &ParsedEvent,
        line: &str,
        project: Option<i64>,
    ) -> SqlResult<AppliedEvent> {
        let (pk, position, turn_effect) =
            (cached.pk, &parsed.position, parsed.turn_effect.as_ref());
        if cached.turn_state.precedes(position) {
            let placement = cached.turn_state.apply(position, turn_effect);
            let batch = self.write_changes(cached, position, &placement, ApplyMode::Live)?;
            self.insert_event(parsed, line, Some(pk), project, batch)?;
            return Ok(AppliedEvent {
                batch_pk: batch,
                duplicate_of: placement.duplicate_of,
            });
        }
        match self.classify_late_event(cached, parsed)? {
            LateEvent::Place(enclosing) => {
                let batch = enclosing.as_ref().map(|(pk, _)| *pk);
                self.insert_event(parsed, line, Some(pk), project, batch)?;
                if let Some((batch, id)) = enclosing {
                    cached.turn_state.touch(&id, position.at, turn_effect);
                    let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE pk = ?1";
                    self.db()
                        .prepare_cached(sql)?
                        .execute((batch, position.at))?;
                }
                Ok(AppliedEvent {
                    batch_pk: batch,
                    duplicate_of: None,
                })
            }
            LateEvent::Rebuild => {
                self.insert_event(parsed, line, Some(pk), project, None)?;
                self.rebuild(cached)?;
                self.stored_placement(&position.id)
            }
        }
    }

    fn stored_placement(&self, id: &str) -> SqlResult<AppliedEvent> {
        let sql = "SELECT batch_pk, duplicate_of FROM events WHERE id = ?1";
        let row = self.db().prepare_cached(sql)?.query_row([id], |row| {
            Ok(AppliedEvent {
                batch_pk: row.get(0)?,
                duplicate_of: row.get(1)?,
            })
        })?;
        Ok(row)
    }

    fn classify_late_event(
        &self,
        cached: &CachedSession,
        parsed: &ParsedEvent,
    ) -> SqlResult<LateEvent> {
        let at = parsed.position.at;
        let enclosing = self.enclosing_batch(cached.pk, &parsed.position)?;
        let place = |enclosing: Option<EnclosingBatch>| {
            LateEvent::Place(enclosing.map(|batch| (batch.pk, batch.id)))
        };
        if cached.pruned_to.is_some() {
            return Ok(place(enclosing));
        }
        Ok(match (&parsed.turn_effect, enclosing) {
            (None, None) => LateEvent::Place(None),
            // A batch that did not end by a stop ended at its last event. A later event would move that end, so the
            // session is rebuilt.
            (None, Some(enclosing)) if enclosing.lasted_until(at) || enclosing.was_stopped() => {
                place(Some(enclosing))
            }
            // Two cases need a rebuild. Activity after a prompt turns a later repetition into a new prompt.
            // Activity between the end of a batch and its reopening reopens it earlier, so a stop, an end or an
            // answer that was ignored as too late would count now.
            (Some(TurnEffect::Act { plan: false }), Some(enclosing))
                if enclosing.lasted_beyond(at)
                    && enclosing.repeats == 0
                    && !cached.turn_state.was_reopened(&enclosing.id) =>
            {
                place(Some(enclosing))
            }
            _ => LateEvent::Rebuild,
        })
    }

    fn enclosing_batch(
        &self,
        session: i64,
        position: &EventPosition,
    ) -> SqlResult<Option<EnclosingBatch>> {
        let sql = "SELECT pk, id, ended_at, ended_by, repeats FROM batches
                   WHERE session_pk = ?1 AND (started_at, id) <= (?2, ?3)
                   ORDER BY started_at DESC, id DESC LIMIT 1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row((session, position.at, &position.id), |row| {
            Ok(EnclosingBatch {
                pk: row.get(0)?,
                id: row.get(1)?,
                ended_at: row.get(2)?,
                ended_by: row.get(3)?,
                repeats: row.get(4)?,
            })
        });
        Ok(row.optional()?)
    }

    /// Replays all events of a session from the beginning. Batches keep their rows and so their annotations.
    fn rebuild(&mut self, cached: &mut CachedSession) -> SqlResult<()> {
        let stale = "UPDATE batches SET stale = 1 WHERE session_pk = ?1";
        self.db().prepare_cached(stale)?.execute([cached.pk])?;
        cached.turn_state = TurnState::default();
        cached.latest_pk = None;
        for event in self.stored_events(cached.pk)? {
            let placement = cached
                .turn_state
                .apply(&event.position, event.turn_effect.as_ref());
            let batch =
                self.write_changes(cached, &event.position, &placement, ApplyMode::Replay)?;
            if batch != event.batch_pk {
                self.move_event(&event.position.id, batch)?;
            }
            let decides = matches!(
                event.turn_effect,
                Some(TurnEffect::Prompt { .. } | TurnEffect::Compact)
            );
            if decides && placement.duplicate_of != event.duplicate_of {
                self.revise_duplicate(
                    cached.pk,
                    &event.position.id,
                    placement.duplicate_of.as_deref(),
                    batch,
                )?;
            }
        }
        let delete = "DELETE FROM batches WHERE session_pk = ?1 AND stale = 1";
        self.db().prepare_cached(delete)?.execute([cached.pk])?;
        self.dedupe_session_sources(cached.pk)?;
        self.match_session_outcomes(cached.pk)
    }

    fn stored_events(&self, session: i64) -> SqlResult<Vec<ReplayedEvent>> {
        let sql = "SELECT at, id, mark, batch_pk, duplicate_of FROM events WHERE session_pk = ?1 ORDER BY at, id";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map([session], |row| {
            let turn_effect: Option<String> = row.get(2)?;
            Ok(ReplayedEvent {
                position: EventPosition {
                    at: row.get(0)?,
                    id: row.get(1)?,
                },
                // An effect that a later version wrote is ignored.
                turn_effect: turn_effect.and_then(|text| serde_json::from_str(&text).ok()),
                batch_pk: row.get(3)?,
                duplicate_of: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn move_event(&self, id: &str, batch: Option<i64>) -> SqlResult<()> {
        for sql in [
            "UPDATE events SET batch_pk = ?2 WHERE id = ?1",
            "UPDATE activities SET batch_pk = ?2 WHERE id = ?1",
        ] {
            self.db().prepare_cached(sql)?.execute((id, batch))?;
        }
        Ok(())
    }

    /// Changes which report of an action is the primary one.
    pub(super) fn revise_duplicate(
        &mut self,
        session: i64,
        id: &str,
        primary: Option<&str>,
        batch: Option<i64>,
    ) -> SqlResult<()> {
        self.mark_duplicate(id, primary)?;
        let had = "SELECT 1 FROM activities WHERE id = ?1";
        let has_activity = self.db().prepare_cached(had)?.exists([id])?;
        if primary.is_some() {
            self.flush_tokens()?;
            let delete = "DELETE FROM activities WHERE id = ?1";
            self.db().prepare_cached(delete)?.execute([id])?;
        } else if !has_activity {
            let sql = "SELECT record FROM events WHERE id = ?1";
            let line: String = self
                .db()
                .prepare_cached(sql)?
                .query_row([id], |row| row.get(0))?;
            if let ParsedRecord::Event(parsed) = record::parse(&line, Millis(0)) {
                self.insert_activity(&parsed, session, batch)?;
            }
        }
        Ok(())
    }

    /// Writes the changes of an event and returns the row id of its batch.
    fn write_changes(
        &mut self,
        cached: &mut CachedSession,
        position: &EventPosition,
        placement: &EventPlacement,
        mode: ApplyMode,
    ) -> SqlResult<Option<i64>> {
        for change in &placement.changes {
            self.write_change(cached, position, change)?;
            if let (BatchChange::Close { id, .. }, ApplyMode::Live) = (change, mode) {
                self.report.ended_batches.insert(id.clone());
            }
            if let BatchChange::Reopen { id } = change {
                self.report.ended_batches.remove(id);
            }
        }
        let Some(id) = &placement.batch else {
            return Ok(None);
        };
        if cached
            .latest_pk
            .as_ref()
            .is_none_or(|(known, _)| known != id)
        {
            let sql = "SELECT pk FROM batches WHERE id = ?1";
            let pk = self
                .db()
                .prepare_cached(sql)?
                .query_row([id], |row| row.get(0))?;
            cached.latest_pk = Some((id.clone(), pk));
        }
        Ok(cached.latest_pk.as_ref().map(|(_, pk)| *pk))
    }

    fn write_change(
        &self,
        cached: &mut CachedSession,
        position: &EventPosition,
        change: &BatchChange,
    ) -> SqlResult<()> {
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
            BatchChange::Open { number, source } => {
                let pk = self.open_batch(cached.pk, position, *number, source.word())?;
                cached.latest_pk = Some((position.id.clone(), pk));
            }
            BatchChange::Close {
                id,
                at,
                last_at,
                by,
            } => {
                let sql = "UPDATE batches SET status = 'completed', ended_at = ?2, last_at = ?3, ended_by = ?4 WHERE id = ?1";
                db.prepare_cached(sql)?
                    .execute((id, at, last_at, by.word()))?;
            }
            BatchChange::Touch { id, last_at } => {
                let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE id = ?1";
                db.prepare_cached(sql)?.execute((id, last_at))?;
            }
            BatchChange::Reopen { id } => {
                set("status = 'active', ended_at = NULL, ended_by = NULL", id)?;
            }
            BatchChange::SetResponse { id } => {
                point("response_id", id)?;
            }
            BatchChange::SetPlan { id } => {
                point("plan_id", id)?;
            }
            BatchChange::CountRepeat { id } => {
                set("repeats = repeats + 1", id)?;
            }
            BatchChange::SetSource { id, source } => {
                let sql = "UPDATE batches SET source = ?2, plan_id = CASE ?2 WHEN 'plan' THEN ?3 ELSE plan_id END WHERE id = ?1";
                db.prepare_cached(sql)?
                    .execute((id, source.word(), &position.id))?;
            }
        }
        Ok(())
    }

    fn open_batch(
        &self,
        session: i64,
        position: &EventPosition,
        number: u32,
        source: &str,
    ) -> SqlResult<i64> {
        // The plan of a batch that begins with an accepted plan is its prompt.
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

    pub(super) fn flush_sessions(&mut self) -> SqlResult<()> {
        let db = &self.writer.reader.connection;
        for (id, cached) in self.sessions.iter_mut().filter(|(_, cached)| cached.dirty) {
            let (header, turn_state) = (&cached.header, &cached.turn_state);
            let parent = header.parent();
            let ended = turn_state.ended();
            let json = |text: serde_json::Result<String>| text.unwrap_or_default();
            let sql = "UPDATE sessions SET agent = ?2, project_pk = ?3, status = ?4, source = ?5, started_at = ?6,
                         last_at = ?7, ended_at = ?8, end_reason = ?9, transcript = ?10,
                         parent = CASE WHEN parent_reason IS 'manual' OR ?13 IS NOT NULL THEN parent ELSE ?11 END,
                         parent_reason = CASE WHEN parent_reason IS 'manual' OR ?13 IS NOT NULL THEN parent_reason ELSE ?12 END,
                         link = ?13, header = ?14, course = ?15
                       WHERE pk = ?1";
            db.prepare_cached(sql)?.execute(params![
                cached.pk,
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
                header.link().map(crate::session::ParentLink::word),
                json(serde_json::to_string(header)),
                json(serde_json::to_string(turn_state)),
            ])?;
            if ended.is_some() {
                self.report.ended_sessions.insert(id.clone());
            } else {
                self.report.ended_sessions.remove(id);
            }
            if let Some((id, at)) = turn_state.latest() {
                let sql = "UPDATE batches SET last_at = max(last_at, ?2) WHERE id = ?1";
                db.prepare_cached(sql)?.execute((id, at))?;
            }
            cached.dirty = false;
        }
        Ok(())
    }
}

impl EnclosingBatch {
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
