//! Hooks that should have fired and did not.
//!
//! Some agents also report what they do by telemetry, or by a notification after each turn, and many keep a transcript. A
//! session that is known only that way is one in which nothing was guarded, and nobody else would notice.

use std::time::Duration;

use rusqlite::OptionalExtension;

use super::group::{Group, Sql};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Writer;

/// The ids of events that agents told by telemetry begin with this.
pub const TELEMETRY: &str = "otlp-";

/// How long an agent may be at work before its hooks have to be heard of. They come through the spool, which may
/// be emptied a while after telemetry arrives.
const GRACE: Duration = Duration::from_secs(5 * 60);

/// Sessions that were last heard of before this are nobody's business any more.
const LOOK_BACK: Duration = Duration::from_secs(24 * 3600);

/// What the id of an alarm begins with, before that of the session.
const ALARM: &str = "silent-hooks:";

/// Why it is one, of an agent that Becket is installed in.
const FIRED_BEFORE: &str = "none of its hooks fired, though they have before: nothing in this session was guarded; `becket doctor` looks for the reason";

/// Events of the hook channel: a client asked what to do, and was told.
const HOOKED: &str = "e.verdict IS NOT NULL AND NOT (e.kind = 'Stop' AND e.agent = 'codex'
     AND CASE WHEN json_valid(e.record) THEN json_extract(e.record, '$.payload.type') IS 'agent-turn-complete' ELSE 0 END)";

/// Those among them that are about calls.
const CALLS: &str = "e.kind IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied')";

/// Calls that telemetry tells of, of tools that every agent with hooks fires them for.
const TOLD: &str =
    "substr(e.id, 1, length(?2)) = ?2 AND e.kind IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')
     AND e.tool IN ('Bash', 'Write', 'Edit', 'MultiEdit', 'ApplyPatch')";

/// A transcript that an agent keeps, going by its name and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Whose it is.
    pub agent: String,
    /// The id of the session, or the beginning of it.
    pub session: String,
    /// Where it is.
    pub path: String,
    /// When something was last written to it.
    pub grown: Millis,
}

/// What came of looking.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watched {
    /// Ids of alarms that were raised.
    pub raised: Vec<String>,
    /// Ids of alarms that were taken back.
    pub withdrawn: Vec<String>,
}

/// A session whose hooks may be silent.
struct Suspect {
    pk: i64,
    id: String,
    agent: String,
}

/// What shows that an agent was at work.
struct Evidence {
    event_id: String,
    at: Millis,
    what: &'static str,
}

impl Writer {
    /// Raises an alarm for each session in which an agent works and its hooks are silent, once; takes back those of
    /// sessions whose hooks were heard of after all.
    pub fn watch_hooks(
        &mut self,
        now: Millis,
        transcripts: &[Transcript],
    ) -> Result<Watched, Error> {
        let mut group = self.begin()?;
        let mut watched = Watched::default();
        let done = group
            .watch_hooks_into(now, &mut watched)
            .and_then(|()| group.watch_transcripts(now, transcripts, &mut watched));
        done.map_err(|error| group.writer.failed(error))?;
        group.commit()?;
        Ok(watched)
    }
}

impl Group<'_> {
    fn watch_hooks_into(&mut self, now: Millis, out: &mut Watched) -> Sql<()> {
        let open =
            "SELECT s.pk, s.id, s.agent FROM alarms AS a JOIN sessions AS s ON s.pk = a.session_pk
                    WHERE a.kind = 'silent_hooks' AND a.acknowledged_at IS NULL";
        for heard in self.suspects(open, [])? {
            if self.evidence(&heard)?.is_none() {
                let id = alarm_id(&heard);
                let sql = "DELETE FROM alarms WHERE id = ?1";
                self.db().prepare_cached(sql)?.execute([&id])?;
                out.withdrawn.push(id);
            }
        }
        let recent = "SELECT s.pk, s.id, s.agent FROM sessions AS s WHERE s.last_at >= ?1
                        AND NOT EXISTS (SELECT 1 FROM alarms AS a WHERE a.kind = 'silent_hooks' AND a.id = 'silent-hooks:' || s.id)";
        for suspect in self.suspects(recent, [now.minus(LOOK_BACK)])? {
            match self.evidence(&suspect)? {
                Some(evidence) if evidence.at <= now.minus(GRACE) => {
                    out.raised
                        .push(self.raise_silence(&suspect, &evidence, now)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same, of sessions that are known by their transcripts alone, and so have no rows.
    fn watch_transcripts(
        &mut self,
        now: Millis,
        transcripts: &[Transcript],
        out: &mut Watched,
    ) -> Sql<()> {
        let open = "SELECT id FROM alarms WHERE kind = 'silent_hooks' AND session_pk IS NULL AND acknowledged_at IS NULL";
        let mut query = self.db().prepare_cached(open)?;
        let open: Vec<String> = query
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        drop(query);
        for id in open {
            let session = id.strip_prefix(ALARM).unwrap_or_default();
            if self.is_heard(session, None, now)? {
                let sql = "DELETE FROM alarms WHERE id = ?1";
                self.db().prepare_cached(sql)?.execute([&id])?;
                out.withdrawn.push(id);
            }
        }
        let settled = now.minus(GRACE);
        for transcript in transcripts.iter().filter(|it| it.grown <= settled) {
            let id = format!("{ALARM}{}", transcript.session);
            let known = "SELECT 1 FROM alarms WHERE id = ?1";
            if !self.db().prepare_cached(known)?.exists([&id])?
                && self.had_fired(&transcript.agent, transcript.grown)?
                && !self.is_heard(&transcript.session, Some(&transcript.path), now)?
            {
                self.raise_unheard(transcript, &id, now)?;
                out.raised.push(id);
            }
        }
        Ok(())
    }

    /// Whether a hook of the agent had fired before then: Becket was installed, and what came after should be known.
    fn had_fired(&self, agent: &str, then: Millis) -> Sql<bool> {
        let sql = format!(
            "SELECT 1 FROM sessions AS s WHERE s.agent = ?1 AND s.started_at < ?2
               AND EXISTS (SELECT 1 FROM events AS e WHERE e.session_pk = s.pk AND e.at < ?2 AND {HOOKED})"
        );
        Ok(self.db().prepare_cached(&sql)?.exists((agent, then))?)
    }

    /// Whether hooks of a session were heard of: under its id, with its transcript, or as a subagent's.
    fn is_heard(&self, session: &str, path: Option<&str>, now: Millis) -> Sql<bool> {
        let sql = format!(
            "SELECT 1 FROM sessions AS s WHERE (substr(s.id, 1, length(?1)) = ?1 OR s.transcript = ?2)
               AND EXISTS (SELECT 1 FROM events AS e WHERE e.session_pk = s.pk AND {HOOKED})"
        );
        if self.db().prepare_cached(&sql)?.exists((session, path))? {
            return Ok(true);
        }
        // A subagent's transcript may have been begun a day before it grew last.
        let sql = "SELECT 1 FROM events WHERE at >= ?2 AND subagent = ?1";
        let since = now.minus(2 * LOOK_BACK);
        Ok(self.db().prepare_cached(sql)?.exists((session, since))?)
    }

    fn raise_unheard(&self, transcript: &Transcript, id: &str, now: Millis) -> Sql<()> {
        let message = format!(
            "{} writes a transcript of session {}, last at {}, but {FIRED_BEFORE}",
            transcript.agent,
            transcript.session,
            transcript.grown.to_text()
        );
        let sql = "INSERT INTO alarms (id, at, kind, message) VALUES (?1, ?2, 'silent_hooks', ?3)";
        self.db().prepare_cached(sql)?.execute((id, now, message))?;
        Ok(())
    }

    fn suspects(&self, sql: &str, values: impl rusqlite::Params) -> Sql<Vec<Suspect>> {
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map(values, |row| {
            Ok(Suspect {
                pk: row.get(0)?,
                id: row.get(1)?,
                agent: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What the agent did and no hook told of; `None` where hooks are heard of, or nothing was done.
    fn evidence(&self, session: &Suspect) -> Sql<Option<Evidence>> {
        let has_hooks = |which: &str| -> Sql<bool> {
            let sql = format!("SELECT 1 FROM events AS e WHERE e.session_pk = ?1 AND {which}");
            Ok(self.db().prepare_cached(&sql)?.exists([session.pk])?)
        };
        if has_hooks(&format!("{CALLS} AND {HOOKED}"))? {
            return Ok(None);
        }
        let values = (session.pk, TELEMETRY);
        let told = self.first_event(TOLD, values, "reports tool calls")?;
        // A notification tells of a turn, in which there may have been no call. But every turn ends, and a hook
        // tells of that.
        if told.is_some() || has_hooks(HOOKED)? {
            return Ok(told);
        }
        let notified = format!("e.verdict IS NOT NULL AND NOT ({HOOKED})");
        self.first_event(&notified, [session.pk], "notifies of turns")
    }

    fn first_event(
        &self,
        which: &str,
        values: impl rusqlite::Params,
        what: &'static str,
    ) -> Sql<Option<Evidence>> {
        let sql = format!(
            "SELECT e.id, e.at FROM events AS e WHERE e.session_pk = ?1 AND {which} ORDER BY e.at, e.id LIMIT 1"
        );
        let mut query = self.db().prepare_cached(&sql)?;
        let row = query.query_row(values, |row| {
            Ok(Evidence {
                event_id: row.get(0)?,
                at: row.get(1)?,
                what,
            })
        });
        Ok(row.optional()?)
    }

    fn raise_silence(
        &mut self,
        session: &Suspect,
        evidence: &Evidence,
        now: Millis,
    ) -> Sql<String> {
        let agent = &session.agent;
        let before = format!("SELECT 1 FROM events AS e WHERE e.agent = ?1 AND {HOOKED}");
        let fired_before = self.db().prepare_cached(&before)?.exists([agent])?;
        let why = if fired_before {
            FIRED_BEFORE.to_owned()
        } else {
            format!(
                "no hook of it has ever fired: Becket's hooks are not installed there; `becket init --agent {agent}` installs them, `becket doctor` looks for what else is in the way"
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

fn alarm_id(session: &Suspect) -> String {
    format!("{ALARM}{}", session.id)
}
