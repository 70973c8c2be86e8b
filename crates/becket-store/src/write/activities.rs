//! Activity rows, with their files and durations.

use rusqlite::{OptionalExtension, params};

use super::search_index;
use super::transaction::{SqlResult, WriteTransaction};
use crate::record::{Activity, ParsedEvent};
use crate::session::EventPosition;
use crate::tokenize::IndexTokens;

impl WriteTransaction<'_> {
    /// Inserts the activity of an event. If another event reports the same action, returns that event's id instead.
    ///
    /// Of two reports the earlier one counts, in whichever order they arrive.
    pub(super) fn insert_activity(
        &mut self,
        parsed: &ParsedEvent,
        session: i64,
        batch: Option<i64>,
    ) -> SqlResult<Option<String>> {
        let other = self.earliest_report(parsed, session)?;
        if let Some(first) = other.as_ref().filter(|other| **other < parsed.position) {
            return Ok(Some(first.id.clone()));
        }
        if other.is_some() {
            self.replace_reports(parsed, session)?;
        }
        if let Some(activity) = &parsed.activity {
            let pk = self.insert_activity_row(parsed, activity, session, batch)?;
            self.insert_files(pk, activity)?;
            self.pending_tokens
                .push(search_index::activity_entry(pk, activity.tokens.clone()));
        }
        Ok(None)
    }

    fn earliest_report(
        &self,
        parsed: &ParsedEvent,
        session: i64,
    ) -> SqlResult<Option<EventPosition>> {
        let Some(action) = &parsed.action else {
            return Ok(None);
        };
        let of = same_action_condition(parsed);
        let sql = format!("SELECT at, id FROM events WHERE {of} ORDER BY at, id LIMIT 1");
        let mut query = self.db().prepare_cached(&sql)?;
        let values = (session, action, &parsed.position.id, &parsed.call_id);
        let row = query.query_row(values, |row| {
            Ok(EventPosition {
                at: row.get(0)?,
                id: row.get(1)?,
            })
        });
        Ok(row.optional()?)
    }

    fn replace_reports(&mut self, parsed: &ParsedEvent, session: i64) -> SqlResult<()> {
        self.flush_tokens()?;
        let of = same_action_condition(parsed);
        for sql in [
            format!("DELETE FROM activities WHERE id IN (SELECT id FROM events WHERE {of})"),
            format!("UPDATE events SET duplicate_of = ?3 WHERE {of}"),
        ] {
            let values = (
                session,
                &parsed.action,
                &parsed.position.id,
                &parsed.call_id,
            );
            self.db().prepare_cached(&sql)?.execute(values)?;
        }
        self.report.duplicates += 1;
        Ok(())
    }

    fn insert_activity_row(
        &self,
        parsed: &ParsedEvent,
        activity: &Activity,
        session: i64,
        batch: Option<i64>,
    ) -> SqlResult<i64> {
        // If the agent reports no duration, it is the time since the call was announced.
        let reported = activity.duration_ms.and_then(|ms| i64::try_from(ms).ok());
        let measured = match reported {
            Some(_) => None,
            None => self.since_announcement(parsed, session)?,
        };
        let sql = "INSERT INTO activities (id, session_pk, batch_pk, at, kind, tool, native_tool, call_id, subagent,
                     input, output, output_chars, success, error, duration_ms, measured)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        self.db().prepare_cached(sql)?.execute(params![
            parsed.position.id,
            session,
            batch,
            parsed.position.at,
            activity.kind,
            activity.tool,
            activity.native_tool,
            parsed.call_id,
            parsed.subagent,
            activity.input,
            activity.output,
            i64::try_from(activity.output_chars).unwrap_or(i64::MAX),
            activity.success,
            activity.error,
            reported.or(measured),
            reported.is_none(),
        ])?;
        Ok(self.db().last_insert_rowid())
    }

    fn insert_files(&self, activity_pk: i64, activity: &Activity) -> SqlResult<()> {
        for file in &activity.files {
            let sql = "INSERT OR IGNORE INTO files (activity_pk, path, change) VALUES (?1, ?2, ?3)";
            let values = (activity_pk, &file.path, file.change.word());
            self.db().prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }

    /// The time from the announcement of the event's call to the event.
    fn since_announcement(&self, parsed: &ParsedEvent, session: i64) -> SqlResult<Option<i64>> {
        let Some(call) = &parsed.call_id else {
            return Ok(None);
        };
        let sql = "SELECT ?3 - max(at) FROM events
                   WHERE session_pk = ?1 AND call_id = ?2 AND kind = 'PreToolUse' AND (at, id) < (?3, ?4)";
        let values = (session, call, parsed.position.at, &parsed.position.id);
        Ok(self
            .db()
            .prepare_cached(sql)?
            .query_row(values, |row| row.get(0))?)
    }

    /// Updates the duration of a call whose announcement arrives late.
    pub(super) fn remeasure_duration(&self, parsed: &ParsedEvent, session: i64) -> SqlResult<()> {
        let Some(call) = parsed
            .call_id
            .as_ref()
            .filter(|_| parsed.kind == "PreToolUse")
        else {
            return Ok(());
        };
        let sql = "UPDATE activities AS a SET measured = 1, duration_ms = a.at - (
                     SELECT max(e.at) FROM events AS e
                     WHERE e.session_pk = ?1 AND e.call_id = ?2 AND e.kind = 'PreToolUse' AND (e.at, e.id) < (a.at, a.id))
                   WHERE a.id IN (SELECT o.id FROM events AS o WHERE o.session_pk = ?1 AND o.call_id = ?2)
                     AND (a.duration_ms IS NULL OR a.measured = 1)";
        self.db().prepare_cached(sql)?.execute((session, call))?;
        Ok(())
    }
}

/// The SQL condition for other events that report the same action. The call id is part of it, if there is one.
fn same_action_condition(parsed: &ParsedEvent) -> &'static str {
    match parsed.call_id {
        Some(_) => "session_pk = ?1 AND action = ?2 AND id <> ?3 AND call_id = ?4",
        None => "session_pk = ?1 AND action = ?2 AND id <> ?3 AND call_id IS NULL AND ?4 IS NULL",
    }
}

/// Reads an activity for [`backfill_search_index`](search_index::backfill_search_index).
pub(super) fn stored_tokens(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, IndexTokens)> {
    let mut texts: Vec<String> = Vec::new();
    for column in 1..=6 {
        texts.extend(row.get::<_, Option<String>>(column)?);
    }
    Ok((
        row.get(0)?,
        IndexTokens::of(texts.iter().map(String::as_str)),
    ))
}
