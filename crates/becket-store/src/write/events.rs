//! Event rows, and the sessions, projects and agents they belong to.

use rusqlite::{OptionalExtension, params};

use super::transaction::{CachedSession, SeenRange, SqlResult, WriteTransaction};
use crate::millis::Millis;
use crate::record::ParsedEvent;
use crate::session::{HeaderUpdate, SessionHeader, TurnState};

impl WriteTransaction<'_> {
    /// Stores an event, unless it is already stored.
    pub(crate) fn store_event(&mut self, parsed: &ParsedEvent, line: &str) -> SqlResult<()> {
        if self.is_stored(&parsed.position.id)? {
            self.report.already_stored += 1;
            return Ok(());
        }
        let project = self.upsert_project(parsed)?;
        self.note_agent(parsed);
        let Some(session) = &parsed.session else {
            self.insert_event(parsed, line, None, project, None)?;
            self.insert_decision(parsed, None, project)?;
            self.insert_notification(parsed, None)?;
            self.count_stored(parsed, None);
            return Ok(());
        };
        let mut cached = self.cached_session(session, parsed, project)?;
        let done = self.store_session_event(&mut cached, parsed, line, project);
        self.sessions.insert(session.clone(), cached);
        self.count_stored(parsed, done?.as_deref());
        Ok(())
    }

    fn count_stored(&mut self, parsed: &ParsedEvent, duplicate_of: Option<&str>) {
        self.report.stored += 1;
        self.report.duplicates += u64::from(duplicate_of.is_some());
        self.report.problems += u64::from(parsed.problem.is_some());
        self.report.sessions.extend(parsed.session.clone());
        let at = parsed.position.at;
        self.earliest_event = Some(self.earliest_event.map_or(at, |known| known.min(at)));
    }

    fn is_stored(&self, id: &str) -> SqlResult<bool> {
        let mut known = self
            .db()
            .prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
        Ok(known.exists([id])?)
    }

    /// Stores an event of a session; returns the event it is a duplicate of.
    fn store_session_event(
        &mut self,
        cached: &mut CachedSession,
        parsed: &ParsedEvent,
        line: &str,
        project: Option<i64>,
    ) -> SqlResult<Option<String>> {
        let is_late = !cached.turn_state.precedes(&parsed.position);
        let applied = self.apply(cached, parsed, line, project)?;
        self.insert_messages(parsed, cached.pk)?;
        let duplicate_of = match applied.duplicate_of {
            Some(primary) => Some(primary),
            None => self.insert_activity(parsed, cached.pk, applied.batch_pk)?,
        };
        if let Some(primary) = &duplicate_of {
            self.mark_duplicate(&parsed.position.id, Some(primary))?;
        }
        self.insert_decision(parsed, Some(cached.pk), project)?;
        self.insert_notification(parsed, Some(cached.pk))?;
        self.insert_usage(parsed, cached)?;
        if is_late {
            self.remeasure_duration(parsed, cached.pk)?;
        }
        let source_duplicate = self.dedupe_sources(parsed, cached)?;
        self.match_outcomes(parsed, cached)?;
        Ok(duplicate_of.or(source_duplicate))
    }

    pub(super) fn mark_duplicate(&self, id: &str, primary: Option<&str>) -> SqlResult<()> {
        let sql = "UPDATE events SET duplicate_of = ?2 WHERE id = ?1";
        self.db().prepare_cached(sql)?.execute((id, primary))?;
        Ok(())
    }

    pub(super) fn insert_event(
        &self,
        parsed: &ParsedEvent,
        line: &str,
        session: Option<i64>,
        project: Option<i64>,
        batch: Option<i64>,
    ) -> SqlResult<()> {
        let turn_effect = parsed
            .turn_effect
            .as_ref()
            .and_then(|turn_effect| serde_json::to_string(turn_effect).ok());
        let sql = "INSERT INTO events (id, at, kind, agent, session_pk, project_pk, batch_pk, subagent, tool,
                     call_id, call_hash, verdict, mark, action, problem, record)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        self.db().prepare_cached(sql)?.execute(params![
            parsed.position.id,
            parsed.position.at,
            parsed.kind,
            parsed.agent,
            session,
            project,
            batch,
            parsed.subagent,
            parsed.tool,
            parsed.call_id,
            parsed.call_hash,
            parsed.verdict,
            turn_effect,
            parsed.action,
            parsed.problem,
            line
        ])?;
        Ok(())
    }

    /// Loads or creates the session and updates its header with the event.
    fn cached_session(
        &mut self,
        id: &str,
        parsed: &ParsedEvent,
        project: Option<i64>,
    ) -> SqlResult<CachedSession> {
        let mut cached = match self.sessions.remove(id) {
            Some(cached) => cached,
            None => match self.load_session(id)? {
                Some(cached) => cached,
                None => self.create_session(id, parsed)?,
            },
        };
        cached.header.update(&HeaderUpdate {
            position: parsed.position.clone(),
            agent: &parsed.agent,
            project,
            transcript: parsed.transcript.as_deref(),
            parent: parsed.parent.as_ref().map(|(id, why)| (id.as_str(), *why)),
            turn_effect: parsed.turn_effect.as_ref(),
            link: parsed.link,
        });
        cached.dirty = true;
        Ok(cached)
    }

    pub(crate) fn load_session(&self, id: &str) -> SqlResult<Option<CachedSession>> {
        let sql = "SELECT pk, header, course, pruned_to FROM sessions WHERE id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row([id], |row| {
            let (header, turn_state): (String, String) = (row.get(1)?, row.get(2)?);
            Ok(CachedSession {
                pk: row.get(0)?,
                header: parse_column(1, &header)?,
                turn_state: parse_column(2, &turn_state)?,
                pruned_to: row.get(3)?,
                latest_pk: None,
                dirty: false,
            })
        });
        Ok(row.optional()?)
    }

    fn create_session(&self, id: &str, parsed: &ParsedEvent) -> SqlResult<CachedSession> {
        let at = parsed.position.at;
        let sql = "INSERT INTO sessions (id, agent, status, started_at, last_at, header, course)
                   VALUES (?1, ?2, 'active', ?3, ?3, '', '')";
        self.db()
            .prepare_cached(sql)?
            .execute((id, &parsed.agent, at))?;
        Ok(CachedSession {
            pk: self.db().last_insert_rowid(),
            header: SessionHeader::default(),
            turn_state: TurnState::default(),
            pruned_to: None,
            latest_pk: None,
            dirty: true,
        })
    }

    fn upsert_project(&mut self, parsed: &ParsedEvent) -> SqlResult<Option<i64>> {
        let Some(path) = &parsed.project else {
            return Ok(None);
        };
        let at = parsed.position.at;
        if let Some(known) = self.projects.get_mut(path) {
            known.extend(at);
            return Ok(Some(known.key));
        }
        let sql = "INSERT INTO projects (path, first_seen, last_seen) VALUES (?1, ?2, ?2)
                   ON CONFLICT (path) DO UPDATE SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
                   RETURNING pk, first_seen, last_seen";
        let mut upsert = self.db().prepare_cached(sql)?;
        let known: SeenRange<i64> = upsert.query_row((path, at), |row| {
            Ok(SeenRange {
                key: row.get(0)?,
                first: row.get(1)?,
                last: row.get(2)?,
            })
        })?;
        drop(upsert);
        self.projects.insert(path.clone(), known);
        Ok(Some(known.key))
    }

    fn note_agent(&mut self, parsed: &ParsedEvent) {
        let at = parsed.position.at;
        match self.agents.get_mut(&parsed.agent) {
            Some(known) => known.extend(at),
            None => {
                let first = SeenRange {
                    key: (),
                    first: at,
                    last: at,
                };
                self.agents.insert(parsed.agent.clone(), first);
            }
        }
    }

    pub(super) fn flush_seen_ranges(&mut self) -> SqlResult<()> {
        for (name, range) in self.agents.drain() {
            let sql = "INSERT INTO agents (name, first_seen, last_seen) VALUES (?1, ?2, ?3)
                       ON CONFLICT (name) DO UPDATE SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?3)";
            let db = &self.writer.reader.connection;
            db.prepare_cached(sql)?
                .execute((name, range.first, range.last))?;
        }
        for (_, range) in self.projects.drain() {
            let sql = "UPDATE projects SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?3) WHERE pk = ?1";
            let db = &self.writer.reader.connection;
            db.prepare_cached(sql)?
                .execute((range.key, range.first, range.last))?;
        }
        Ok(())
    }
}

impl<K> SeenRange<K> {
    fn extend(&mut self, at: Millis) {
        self.first = self.first.min(at);
        self.last = self.last.max(at);
    }
}

fn parse_column<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}
