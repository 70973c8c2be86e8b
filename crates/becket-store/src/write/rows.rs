//! Rows that need no matching: messages, hook runs, notifications, token use.

use rusqlite::params;

use super::missing_hooks::TELEMETRY_ID_PREFIX;
use super::search_index;
use super::transaction::{CachedSession, SqlResult, WriteTransaction};
use crate::condense::char_count;
use crate::record::{HookRun, ParsedEvent};

impl WriteTransaction<'_> {
    pub(super) fn insert_messages(&mut self, parsed: &ParsedEvent, session: i64) -> SqlResult<()> {
        for message in &parsed.messages {
            let sql =
                "INSERT OR IGNORE INTO messages (event_id, role, session_pk, at, path, text, chars)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let stored = self.db().prepare_cached(sql)?.execute(params![
                parsed.position.id,
                message.role,
                session,
                parsed.position.at,
                message.path,
                message.text,
                i64::try_from(char_count(&message.text)).unwrap_or(i64::MAX),
            ])?;
            if stored > 0 {
                let pk = self.db().last_insert_rowid();
                let words = message.tokens.clone();
                self.pending_tokens
                    .push(search_index::message_entry(pk, words));
            }
        }
        Ok(())
    }

    /// Inserts a hook run; `false` if it is already stored.
    pub(super) fn insert_hook_run(&self, run: &HookRun) -> SqlResult<bool> {
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

    pub(super) fn insert_notification(
        &self,
        parsed: &ParsedEvent,
        session: Option<i64>,
    ) -> SqlResult<()> {
        let Some((kind, message)) = &parsed.notification else {
            return Ok(());
        };
        let sql = "INSERT OR IGNORE INTO notifications (event_id, session_pk, at, kind, message)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = (
            &parsed.position.id,
            session,
            parsed.position.at,
            kind,
            message,
        );
        self.db().prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// Inserts token use. Counted once: if hooks report a session's tokens, telemetry's reports are ignored.
    pub(super) fn insert_usage(
        &self,
        parsed: &ParsedEvent,
        cached: &mut CachedSession,
    ) -> SqlResult<()> {
        let session = cached.pk;
        let Some(usage) = &parsed.usage else {
            return Ok(());
        };
        if parsed.is_telemetry() {
            if cached.header.hooks_report_tokens() {
                return Ok(());
            }
        } else if cached.header.note_hook_tokens() {
            let sql = "DELETE FROM usage WHERE id IN (
                         SELECT id FROM events WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2)";
            self.db()
                .prepare_cached(sql)?
                .execute((session, TELEMETRY_ID_PREFIX))?;
        }
        // A turn that is reported twice counts once.
        let id = match &usage.turn {
            Some(turn) => format!("turn:{session}:{turn}"),
            None => parsed.position.id.clone(),
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
            parsed.position.at,
            parsed.agent,
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
