//! Activities, with their files and their durations.

use rusqlite::{OptionalExtension, params};

use super::group::{Group, Sql};
use super::search;
use crate::record::{Activity, Observed};
use crate::session::Position;
use crate::words::Words;

impl Group<'_> {
    /// Inserts what an event says was done, unless another event says the same; then tells which.
    ///
    /// Of two reports the earlier counts, whichever arrived first.
    pub(super) fn insert_activity(
        &mut self,
        seen: &Observed,
        session: i64,
        batch: Option<i64>,
    ) -> Sql<Option<String>> {
        let other = self.earliest_report(seen, session)?;
        if let Some(first) = other.as_ref().filter(|other| **other < seen.position) {
            return Ok(Some(first.id.clone()));
        }
        if other.is_some() {
            self.replace_reports(seen, session)?;
        }
        if let Some(activity) = &seen.activity {
            let pk = self.insert_row(seen, activity, session, batch)?;
            self.insert_files(pk, activity)?;
            self.words
                .push(search::of_activity(pk, activity.words.clone()));
        }
        Ok(None)
    }

    fn earliest_report(&self, seen: &Observed, session: i64) -> Sql<Option<Position>> {
        let Some(action) = &seen.action else {
            return Ok(None);
        };
        let of = others_that_report(seen);
        let sql = format!("SELECT at, id FROM events WHERE {of} ORDER BY at, id LIMIT 1");
        let mut query = self.db().prepare_cached(&sql)?;
        let values = (session, action, &seen.position.id, &seen.call_id);
        let row = query.query_row(values, |row| {
            Ok(Position {
                at: row.get(0)?,
                id: row.get(1)?,
            })
        });
        Ok(row.optional()?)
    }

    fn replace_reports(&mut self, seen: &Observed, session: i64) -> Sql<()> {
        self.flush_words()?;
        let of = others_that_report(seen);
        for sql in [
            format!("DELETE FROM activities WHERE id IN (SELECT id FROM events WHERE {of})"),
            format!("UPDATE events SET duplicate_of = ?3 WHERE {of}"),
        ] {
            let values = (session, &seen.action, &seen.position.id, &seen.call_id);
            self.db().prepare_cached(&sql)?.execute(values)?;
        }
        self.report.duplicates += 1;
        Ok(())
    }

    fn insert_row(
        &self,
        seen: &Observed,
        activity: &Activity,
        session: i64,
        batch: Option<i64>,
    ) -> Sql<i64> {
        // Where the agent does not say how long a call took, the time since it was announced tells it.
        let told = activity.duration_ms.and_then(|ms| i64::try_from(ms).ok());
        let measured = match told {
            Some(_) => None,
            None => self.announced(seen, session)?,
        };
        let sql = "INSERT INTO activities (id, session_pk, batch_pk, at, kind, tool, native_tool, call_id, subagent,
                     input, output, output_chars, success, error, duration_ms, measured)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        self.db().prepare_cached(sql)?.execute(params![
            seen.position.id,
            session,
            batch,
            seen.position.at,
            activity.kind,
            activity.tool,
            activity.native_tool,
            seen.call_id,
            seen.subagent,
            activity.input,
            activity.output,
            i64::try_from(activity.output_chars).unwrap_or(i64::MAX),
            activity.success,
            activity.error,
            told.or(measured),
            told.is_none(),
        ])?;
        Ok(self.db().last_insert_rowid())
    }

    fn insert_files(&self, activity: i64, told: &Activity) -> Sql<()> {
        for file in &told.files {
            let sql = "INSERT OR IGNORE INTO files (activity_pk, path, change) VALUES (?1, ?2, ?3)";
            let values = (activity, &file.path, file.change.word());
            self.db().prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }

    /// How long ago the call was announced that an event reports.
    fn announced(&self, seen: &Observed, session: i64) -> Sql<Option<i64>> {
        let Some(call) = &seen.call_id else {
            return Ok(None);
        };
        let sql = "SELECT ?3 - max(at) FROM events
                   WHERE session_pk = ?1 AND call_id = ?2 AND kind = 'PreToolUse' AND (at, id) < (?3, ?4)";
        let values = (session, call, seen.position.at, &seen.position.id);
        Ok(self
            .db()
            .prepare_cached(sql)?
            .query_row(values, |row| row.get(0))?)
    }

    /// The same, when the announcement is heard of after what it announced.
    pub(super) fn measure_again(&self, seen: &Observed, session: i64) -> Sql<()> {
        let Some(call) = seen.call_id.as_ref().filter(|_| seen.kind == "PreToolUse") else {
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

/// Other events that report the same action, of which the id of its call is a part where it has one.
fn others_that_report(seen: &Observed) -> &'static str {
    match seen.call_id {
        Some(_) => "session_pk = ?1 AND action = ?2 AND id <> ?3 AND call_id = ?4",
        None => "session_pk = ?1 AND action = ?2 AND id <> ?3 AND call_id IS NULL AND ?4 IS NULL",
    }
}

/// What [`index_everything`](search::index_everything) reads back.
pub(super) fn stored_words(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, Words)> {
    let mut texts: Vec<String> = Vec::new();
    for column in 1..=6 {
        texts.extend(row.get::<_, Option<String>>(column)?);
    }
    Ok((row.get(0)?, Words::of(texts.iter().map(String::as_str))))
}
