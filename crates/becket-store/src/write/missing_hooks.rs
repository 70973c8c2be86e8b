//! Missing-hook alarms: sessions in which an agent works but its hooks do not fire.
//!
//! Some agents also report their work by telemetry or by a notification after each turn, and many write a
//! transcript. If a session is known only that way, nothing in it was guarded, and no hook can report that.

use std::time::Duration;

use rusqlite::OptionalExtension;

use super::transaction::{SqlResult, WriteTransaction};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreWriter;

/// The prefix of ids of events that were reported by telemetry.
pub const TELEMETRY_ID_PREFIX: &str = "otlp-";

/// How long hooks may be late. Their records wait in the spool, which the daemon may drain after telemetry arrives.
const SPOOL_GRACE: Duration = Duration::from_secs(5 * 60);

/// Sessions whose last event is older are not checked.
const LOOK_BACK: Duration = Duration::from_secs(24 * 3600);

/// The prefix of the alarm's id; the session id follows.
const ALARM_ID_PREFIX: &str = "silent-hooks:";

/// The message for an agent whose hooks have fired before.
const FIRED_BEFORE: &str = "its hooks did not fire, although they have before, so nothing in this session was guarded; run `becket doctor` to find the cause";

/// The SQL condition for events that a hook reported. Codex's turn notification is not a hook.
const IS_HOOK_EVENT: &str = "e.verdict IS NOT NULL AND NOT (e.kind = 'Stop' AND e.agent = 'codex'
     AND CASE WHEN json_valid(e.record) THEN json_extract(e.record, '$.payload.type') IS 'agent-turn-complete' ELSE 0 END)";

/// The SQL condition for events about tool calls.
const IS_CALL_EVENT: &str = "e.kind IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied')";

/// The SQL condition for telemetry reports of tools for which every agent fires hooks.
const IS_TELEMETRY_CALL: &str =
    "substr(e.id, 1, length(?2)) = ?2 AND e.kind IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')
     AND e.tool IN ('Bash', 'Write', 'Edit', 'MultiEdit', 'ApplyPatch')";

/// A transcript file of an agent, known by its name and modification time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptFile {
    /// The agent.
    pub agent: String,
    /// The session id, or its beginning.
    pub session: String,
    /// The file's path.
    pub path: String,
    /// The modification time.
    pub modified_at: Millis,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MissingHookReport {
    /// The ids of raised alarms.
    pub raised: Vec<String>,
    /// The ids of withdrawn alarms.
    pub withdrawn: Vec<String>,
}

/// A session whose hooks may be missing.
struct SuspectSession {
    pk: i64,
    id: String,
    agent: String,
}

/// The first event that shows the agent at work.
struct WorkEvidence {
    event_id: String,
    at: Millis,
    what: &'static str,
}

impl StoreWriter {
    /// Raises one alarm per session in which an agent works without its hooks. Withdraws alarms of sessions whose
    /// hooks fired after all.
    pub fn check_missing_hooks(
        &mut self,
        now: Millis,
        transcripts: &[TranscriptFile],
    ) -> Result<MissingHookReport, Error> {
        let mut transaction = self.begin()?;
        let mut watched = MissingHookReport::default();
        let done = transaction
            .check_sessions(now, &mut watched)
            .and_then(|()| transaction.check_transcripts(now, transcripts, &mut watched));
        done.map_err(|error| transaction.writer.failed(error))?;
        transaction.commit()?;
        Ok(watched)
    }
}

impl WriteTransaction<'_> {
    fn check_sessions(&mut self, now: Millis, out: &mut MissingHookReport) -> SqlResult<()> {
        let open =
            "SELECT s.pk, s.id, s.agent FROM alarms AS a JOIN sessions AS s ON s.pk = a.session_pk
                    WHERE a.kind = 'silent_hooks' AND a.acknowledged_at IS NULL";
        for suspect in self.suspects(open, [])? {
            if self.evidence(&suspect)?.is_none() {
                let id = alarm_id(&suspect);
                let sql = "DELETE FROM alarms WHERE id = ?1";
                self.db().prepare_cached(sql)?.execute([&id])?;
                out.withdrawn.push(id);
            }
        }
        let recent = "SELECT s.pk, s.id, s.agent FROM sessions AS s WHERE s.last_at >= ?1
                        AND NOT EXISTS (SELECT 1 FROM alarms AS a WHERE a.kind = 'silent_hooks' AND a.id = 'silent-hooks:' || s.id)";
        for suspect in self.suspects(recent, [now.minus(LOOK_BACK)])? {
            match self.evidence(&suspect)? {
                Some(evidence) if evidence.at <= now.minus(SPOOL_GRACE) => {
                    out.raised
                        .push(self.raise_session_alarm(&suspect, &evidence, now)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks sessions that are known only by their transcripts and so have no rows.
    fn check_transcripts(
        &mut self,
        now: Millis,
        transcripts: &[TranscriptFile],
        out: &mut MissingHookReport,
    ) -> SqlResult<()> {
        let open = "SELECT id FROM alarms WHERE kind = 'silent_hooks' AND session_pk IS NULL AND acknowledged_at IS NULL";
        let mut query = self.db().prepare_cached(open)?;
        let open: Vec<String> = query
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        drop(query);
        for id in open {
            let session = id.strip_prefix(ALARM_ID_PREFIX).unwrap_or_default();
            if self.has_hook_events(session, None, now)? {
                let sql = "DELETE FROM alarms WHERE id = ?1";
                self.db().prepare_cached(sql)?.execute([&id])?;
                out.withdrawn.push(id);
            }
        }
        let cutoff = now.minus(SPOOL_GRACE);
        for transcript in transcripts.iter().filter(|it| it.modified_at <= cutoff) {
            let id = format!("{ALARM_ID_PREFIX}{}", transcript.session);
            let known = "SELECT 1 FROM alarms WHERE id = ?1";
            if !self.db().prepare_cached(known)?.exists([&id])?
                && self.had_fired(&transcript.agent, transcript.modified_at)?
                && !self.has_hook_events(&transcript.session, Some(&transcript.path), now)?
            {
                self.raise_transcript_alarm(transcript, &id, now)?;
                out.raised.push(id);
            }
        }
        Ok(())
    }

    /// Whether a hook of the agent fired before a time, which shows that Becket was installed by then.
    fn had_fired(&self, agent: &str, then: Millis) -> SqlResult<bool> {
        let sql = format!(
            "SELECT 1 FROM sessions AS s WHERE s.agent = ?1 AND s.started_at < ?2
               AND EXISTS (SELECT 1 FROM events AS e WHERE e.session_pk = s.pk AND e.at < ?2 AND {IS_HOOK_EVENT})"
        );
        Ok(self.db().prepare_cached(&sql)?.exists((agent, then))?)
    }

    /// Whether hooks of a session fired: under its id, with its transcript, or as a subagent.
    fn has_hook_events(&self, session: &str, path: Option<&str>, now: Millis) -> SqlResult<bool> {
        let sql = format!(
            "SELECT 1 FROM sessions AS s WHERE (substr(s.id, 1, length(?1)) = ?1 OR s.transcript = ?2)
               AND EXISTS (SELECT 1 FROM events AS e WHERE e.session_pk = s.pk AND {IS_HOOK_EVENT})"
        );
        if self.db().prepare_cached(&sql)?.exists((session, path))? {
            return Ok(true);
        }
        // A subagent's transcript may have been created a day before its last change.
        let sql = "SELECT 1 FROM events WHERE at >= ?2 AND subagent = ?1";
        let since = now.minus(2 * LOOK_BACK);
        Ok(self.db().prepare_cached(sql)?.exists((session, since))?)
    }

    fn raise_transcript_alarm(
        &self,
        transcript: &TranscriptFile,
        id: &str,
        now: Millis,
    ) -> SqlResult<()> {
        let message = format!(
            "{} writes a transcript of session {}, last at {}, but {FIRED_BEFORE}",
            transcript.agent,
            transcript.session,
            transcript.modified_at.to_text()
        );
        let sql = "INSERT INTO alarms (id, at, kind, message) VALUES (?1, ?2, 'silent_hooks', ?3)";
        self.db().prepare_cached(sql)?.execute((id, now, message))?;
        Ok(())
    }

    fn suspects(&self, sql: &str, values: impl rusqlite::Params) -> SqlResult<Vec<SuspectSession>> {
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map(values, |row| {
            Ok(SuspectSession {
                pk: row.get(0)?,
                id: row.get(1)?,
                agent: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The first work that no hook reported; `None` if hooks fired or no work was reported.
    fn evidence(&self, session: &SuspectSession) -> SqlResult<Option<WorkEvidence>> {
        let has_hooks = |which: &str| -> SqlResult<bool> {
            let sql = format!("SELECT 1 FROM events AS e WHERE e.session_pk = ?1 AND {which}");
            Ok(self.db().prepare_cached(&sql)?.exists([session.pk])?)
        };
        if has_hooks(&format!("{IS_CALL_EVENT} AND {IS_HOOK_EVENT}"))? {
            return Ok(None);
        }
        let values = (session.pk, TELEMETRY_ID_PREFIX);
        let telemetry =
            self.first_event(IS_TELEMETRY_CALL, values, "reports tool calls by telemetry")?;
        // A turn notification does not prove that a tool was called. But every turn ends, and that fires a hook.
        if telemetry.is_some() || has_hooks(IS_HOOK_EVENT)? {
            return Ok(telemetry);
        }
        let notified = format!("e.verdict IS NOT NULL AND NOT ({IS_HOOK_EVENT})");
        self.first_event(&notified, [session.pk], "reports finished turns")
    }

    fn first_event(
        &self,
        which: &str,
        values: impl rusqlite::Params,
        what: &'static str,
    ) -> SqlResult<Option<WorkEvidence>> {
        let sql = format!(
            "SELECT e.id, e.at FROM events AS e WHERE e.session_pk = ?1 AND {which} ORDER BY e.at, e.id LIMIT 1"
        );
        let mut query = self.db().prepare_cached(&sql)?;
        let row = query.query_row(values, |row| {
            Ok(WorkEvidence {
                event_id: row.get(0)?,
                at: row.get(1)?,
                what,
            })
        });
        Ok(row.optional()?)
    }

    fn raise_session_alarm(
        &mut self,
        session: &SuspectSession,
        evidence: &WorkEvidence,
        now: Millis,
    ) -> SqlResult<String> {
        let agent = &session.agent;
        let before = format!("SELECT 1 FROM events AS e WHERE e.agent = ?1 AND {IS_HOOK_EVENT}");
        let fired_before = self.db().prepare_cached(&before)?.exists([agent])?;
        let why = if fired_before {
            FIRED_BEFORE.to_owned()
        } else {
            format!(
                "its hooks have never fired, so Becket is probably not installed there; run `becket init --agent {agent}` to install it, or `becket doctor` to find another cause"
            )
        };
        let since = evidence.at.to_text();
        let message = format!(
            "{agent} {} in session {} since {since}, but {why}",
            evidence.what, session.id
        );
        let id = alarm_id(session);
        let sql = "INSERT INTO alarms (id, at, kind, session_pk, event_id, message)
                   VALUES (?1, ?2, 'silent_hooks', ?3, ?4, ?5)";
        let values = (&id, now, session.pk, &evidence.event_id, message);
        self.db().prepare_cached(sql)?.execute(values)?;
        Ok(id)
    }
}

fn alarm_id(session: &SuspectSession) -> String {
    format!("{ALARM_ID_PREFIX}{}", session.id)
}
