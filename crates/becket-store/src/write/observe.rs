//! What one event changes.

use rusqlite::{OptionalExtension, params};

use super::group::{Group, Seen, Sql, Work};
use crate::millis::Millis;
use crate::record::Observed;
use crate::session::{Course, Header, Sighting};

impl Group<'_> {
    /// Takes an event, once.
    pub(crate) fn observe(&mut self, seen: &Observed, line: &str) -> Sql<()> {
        if self.is_known(&seen.position.id)? {
            self.report.known += 1;
            return Ok(());
        }
        let project = self.project(seen)?;
        self.agent(seen);
        let Some(session) = &seen.session else {
            self.insert_event(seen, line, None, project, None)?;
            self.insert_verdicts(seen, None, project)?;
            self.insert_notification(seen, None)?;
            self.count(seen, None);
            return Ok(());
        };
        let mut work = self.work(session, seen, project)?;
        let done = self.observe_in(&mut work, seen, line, project);
        self.sessions.insert(session.clone(), work);
        self.count(seen, done?.as_deref());
        Ok(())
    }

    fn count(&mut self, seen: &Observed, duplicate_of: Option<&str>) {
        self.report.stored += 1;
        self.report.duplicates += u64::from(duplicate_of.is_some());
        self.report.problems += u64::from(seen.problem.is_some());
        self.report.sessions.extend(seen.session.clone());
        let at = seen.position.at;
        self.earliest = Some(self.earliest.map_or(at, |known| known.min(at)));
    }

    fn is_known(&self, id: &str) -> Sql<bool> {
        let mut known = self
            .db()
            .prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
        Ok(known.exists([id])?)
    }

    /// The rest, for an event of a session; tells what it is a duplicate of.
    fn observe_in(
        &mut self,
        work: &mut Work,
        seen: &Observed,
        line: &str,
        project: Option<i64>,
    ) -> Sql<Option<String>> {
        let late = !work.course.is_before(&seen.position);
        let batch = self.fold(work, seen, line, project)?;
        self.insert_messages(seen, work.pk)?;
        let duplicate_of = match batch.duplicate_of {
            Some(first) => Some(first),
            None => self.insert_activity(seen, work.pk, batch.pk)?,
        };
        if let Some(first) = &duplicate_of {
            self.mark_duplicate(&seen.position.id, Some(first))?;
        }
        self.insert_verdicts(seen, Some(work.pk), project)?;
        self.insert_notification(seen, Some(work.pk))?;
        self.insert_usage(seen, work)?;
        if late {
            self.measure_again(seen, work.pk)?;
        }
        let joined = self.join_channels(seen, work)?;
        self.reconcile(seen, work)?;
        Ok(duplicate_of.or(joined))
    }

    pub(super) fn mark_duplicate(&self, id: &str, first: Option<&str>) -> Sql<()> {
        let sql = "UPDATE events SET duplicate_of = ?2 WHERE id = ?1";
        self.db().prepare_cached(sql)?.execute((id, first))?;
        Ok(())
    }

    pub(super) fn insert_event(
        &self,
        seen: &Observed,
        line: &str,
        session: Option<i64>,
        project: Option<i64>,
        batch: Option<i64>,
    ) -> Sql<()> {
        let mark = seen
            .mark
            .as_ref()
            .and_then(|mark| serde_json::to_string(mark).ok());
        let sql = "INSERT INTO events (id, at, kind, agent, session_pk, project_pk, batch_pk, subagent, tool,
                     call_id, call_hash, verdict, mark, action, problem, record)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        self.db().prepare_cached(sql)?.execute(params![
            seen.position.id,
            seen.position.at,
            seen.kind,
            seen.agent,
            session,
            project,
            batch,
            seen.subagent,
            seen.tool,
            seen.call_id,
            seen.call_hash,
            seen.verdict,
            mark,
            seen.action,
            seen.problem,
            line
        ])?;
        Ok(())
    }

    /// The session, as it is known so far, with this event in its header.
    fn work(&mut self, id: &str, seen: &Observed, project: Option<i64>) -> Sql<Work> {
        let mut work = match self.sessions.remove(id) {
            Some(work) => work,
            None => match self.load(id)? {
                Some(work) => work,
                None => self.create(id, seen)?,
            },
        };
        work.header.see(&Sighting {
            position: seen.position.clone(),
            agent: &seen.agent,
            project,
            transcript: seen.transcript.as_deref(),
            parent: seen.parent.as_ref().map(|(id, why)| (id.as_str(), *why)),
            mark: seen.mark.as_ref(),
            link: seen.link,
        });
        work.dirty = true;
        Ok(work)
    }

    pub(crate) fn load(&self, id: &str) -> Sql<Option<Work>> {
        let sql = "SELECT pk, header, course, pruned_to FROM sessions WHERE id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        let row = query.query_row([id], |row| {
            let (header, course): (String, String) = (row.get(1)?, row.get(2)?);
            Ok(Work {
                pk: row.get(0)?,
                header: parsed(1, &header)?,
                course: parsed(2, &course)?,
                pruned_to: row.get(3)?,
                latest_pk: None,
                dirty: false,
            })
        });
        Ok(row.optional()?)
    }

    fn create(&self, id: &str, seen: &Observed) -> Sql<Work> {
        let at = seen.position.at;
        let sql = "INSERT INTO sessions (id, agent, status, started_at, last_at, header, course)
                   VALUES (?1, ?2, 'active', ?3, ?3, '', '')";
        self.db()
            .prepare_cached(sql)?
            .execute((id, &seen.agent, at))?;
        Ok(Work {
            pk: self.db().last_insert_rowid(),
            header: Header::default(),
            course: Course::default(),
            pruned_to: None,
            latest_pk: None,
            dirty: true,
        })
    }

    fn project(&mut self, seen: &Observed) -> Sql<Option<i64>> {
        let Some(path) = &seen.project else {
            return Ok(None);
        };
        let at = seen.position.at;
        if let Some(known) = self.projects.get_mut(path) {
            known.see(at);
            return Ok(Some(known.key));
        }
        let sql = "INSERT INTO projects (path, first_seen, last_seen) VALUES (?1, ?2, ?2)
                   ON CONFLICT (path) DO UPDATE SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
                   RETURNING pk, first_seen, last_seen";
        let mut upsert = self.db().prepare_cached(sql)?;
        let known: Seen<i64> = upsert.query_row((path, at), |row| {
            Ok(Seen {
                key: row.get(0)?,
                first: row.get(1)?,
                last: row.get(2)?,
            })
        })?;
        drop(upsert);
        self.projects.insert(path.clone(), known);
        Ok(Some(known.key))
    }

    fn agent(&mut self, seen: &Observed) {
        let at = seen.position.at;
        match self.agents.get_mut(&seen.agent) {
            Some(known) => known.see(at),
            None => {
                let first = Seen {
                    key: (),
                    first: at,
                    last: at,
                };
                self.agents.insert(seen.agent.clone(), first);
            }
        }
    }

    pub(super) fn flush_seen(&mut self) -> Sql<()> {
        for (name, seen) in self.agents.drain() {
            let sql = "INSERT INTO agents (name, first_seen, last_seen) VALUES (?1, ?2, ?3)
                       ON CONFLICT (name) DO UPDATE SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?3)";
            let db = &self.writer.reader.connection;
            db.prepare_cached(sql)?
                .execute((name, seen.first, seen.last))?;
        }
        for (_, seen) in self.projects.drain() {
            let sql = "UPDATE projects SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?3) WHERE pk = ?1";
            let db = &self.writer.reader.connection;
            db.prepare_cached(sql)?
                .execute((seen.key, seen.first, seen.last))?;
        }
        Ok(())
    }
}

impl<K> Seen<K> {
    fn see(&mut self, at: Millis) {
        self.first = self.first.min(at);
        self.last = self.last.max(at);
    }
}

fn parsed<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}
