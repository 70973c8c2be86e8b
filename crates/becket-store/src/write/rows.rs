//! The plainer rows: messages, hook runs, notifications, usage.

use rusqlite::params;

use super::group::{Group, Sql, Work};
use super::search;
use super::silence::TELEMETRY;
use crate::record::{HookRun, Observed};
use crate::sanitise::chars;

impl Group<'_> {
    pub(super) fn insert_messages(&mut self, seen: &Observed, session: i64) -> Sql<()> {
        for message in &seen.messages {
            let sql =
                "INSERT OR IGNORE INTO messages (event_id, role, session_pk, at, path, text, chars)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let stored = self.db().prepare_cached(sql)?.execute(params![
                seen.position.id,
                message.role,
                session,
                seen.position.at,
                message.path,
                message.text,
                i64::try_from(chars(&message.text)).unwrap_or(i64::MAX),
            ])?;
            if stored > 0 {
                let pk = self.db().last_insert_rowid();
                let words = message.words.clone();
                self.words.push(search::of_message(pk, words));
            }
        }
        Ok(())
    }

    /// Whether the run is new.
    pub(super) fn insert_hook_run(&self, run: &HookRun) -> Sql<bool> {
        let sql = "INSERT OR IGNORE INTO hook_runs
                     (id, event_id, at, hook, rule, verdict, ms, ending, error, reason, output, detached)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let stored = self.db().prepare_cached(sql)?.execute(params![
            run.id,
            run.event_id,
            run.position.at,
            run.hook,
            run.rule,
            run.verdict,
            run.ms,
            run.ending,
            run.error,
            run.reason,
            run.output,
            run.detached,
        ])?;
        Ok(stored > 0)
    }

    pub(super) fn insert_notification(&self, seen: &Observed, session: Option<i64>) -> Sql<()> {
        let Some((kind, message)) = &seen.notification else {
            return Ok(());
        };
        let sql = "INSERT OR IGNORE INTO notifications (event_id, session_pk, at, kind, message)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = (&seen.position.id, session, seen.position.at, kind, message);
        self.db().prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// What was paid for is counted once: where hooks tell of a session's tokens, telemetry's word is not needed.
    pub(super) fn insert_usage(&self, seen: &Observed, work: &mut Work) -> Sql<()> {
        let session = work.pk;
        let Some(usage) = &seen.usage else {
            return Ok(());
        };
        if seen.is_telemetry() {
            if work.header.hooks_tell_tokens() {
                return Ok(());
            }
        } else if work.header.see_tokens() {
            let sql = "DELETE FROM usage WHERE id IN (
                         SELECT id FROM events WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2)";
            self.db()
                .prepare_cached(sql)?
                .execute((session, TELEMETRY))?;
        }
        // A turn that is reported twice was paid for once.
        let id = match &usage.turn {
            Some(turn) => format!("turn:{session}:{turn}"),
            None => seen.position.id.clone(),
        };
        let sql = "INSERT INTO usage
                     (id, session_pk, at, agent, model, input, output, cache_read, cache_write, reasoning)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                   ON CONFLICT (id) DO UPDATE SET at = min(at, ?3), agent = max(agent, ?4),
                     input = max(input, ?6), output = max(output, ?7), cache_read = max(cache_read, ?8),
                     cache_write = max(cache_write, ?9), reasoning = max(reasoning, ?10)";
        self.db().prepare_cached(sql)?.execute(params![
            id,
            session,
            seen.position.at,
            seen.agent,
            usage.model,
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
            usage.reasoning,
        ])?;
        Ok(())
    }
}
