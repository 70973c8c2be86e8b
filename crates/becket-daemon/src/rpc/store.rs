//! The stored record, read from its file.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use becket_store::{
    ActivityFilter, AlarmFilter, AlarmRow, Error, ErrorKind, Page, Reader, Scope, SearchFilter,
    SessionFilter, StreamedEvent,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::backend::{ActivityQuery, Backend, Failure, FailureKind, SearchQuery, SessionsQuery};
use super::notify::Known;
use crate::recall::{Ask, Asking, Item, Question, Told};

/// How many rows are given to who does not say.
const USUAL: usize = 50;
/// Open alarms that are told of.
const MOST_ALARMS: usize = 200;

/// Reads a database that may come later, and may be replaced by another.
pub struct Store {
    path: PathBuf,
    open: RefCell<Option<Open>>,
    memories: Option<Asking>,
}

#[derive(Debug)]
struct Open {
    reader: Reader,
    /// Device and number of the file.
    file: (u64, u64),
}

impl Store {
    /// The database at this path. Touches nothing yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            open: RefCell::new(None),
            memories: None,
        }
    }

    /// The same, and what is remembered beside it.
    #[must_use]
    pub fn with_memories(self, asking: Asking) -> Self {
        Self {
            memories: Some(asking),
            ..self
        }
    }

    /// What of a project is relevant. Memories are of one project, and not of a session.
    fn relevant(&self, query: &SearchQuery) -> Result<Option<Vec<Item>>, Failure> {
        let (Some(asking), Some(project), None) = (&self.memories, &query.project, &query.session)
        else {
            return Ok(None);
        };
        let question = Question {
            agent: query.agent.clone(),
            limit: query.limit.unwrap_or(USUAL),
            ..Question::new(project.as_str(), query.text.as_str())
        };
        match asking(Ask::Search(question))? {
            Told::Found(found) => Ok(Some(found)),
            _ => Ok(None),
        }
    }

    /// Asks the database; without one the answer is empty.
    fn ask<T: Default>(
        &self,
        question: impl FnOnce(&Reader) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let mut open = self.open.borrow_mut();
        let file = identity(&self.path);
        if open.as_ref().map(|open| open.file) != file {
            *open = None;
        }
        if open.is_none() {
            match (Reader::open(&self.path), file) {
                (Ok(reader), Some(file)) => *open = Some(Open { reader, file }),
                (Err(error), _) if matches!(error.kind, ErrorKind::Missing) => {}
                (Err(error), _) => return Err(unavailable(&error)),
                // It came this very moment; the next question finds it.
                (Ok(_), None) => {}
            }
        }
        match open.as_ref() {
            Some(open) => question(&open.reader).map_err(|error| unavailable(&error)),
            None => Ok(T::default()),
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

fn unavailable(error: &Error) -> Failure {
    Failure::new(FailureKind::Unavailable, error.to_string())
}

fn as_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn page<T: Serialize>(page: Option<Page<T>>) -> Value {
    page.map_or_else(
        || json!({ "items": [], "next": null }),
        |page| as_json(&page),
    )
}

fn scope<'q>(project: Option<&'q String>, agent: Option<&'q String>) -> Scope<'q> {
    Scope {
        project: project.map(String::as_str),
        agent: agent.map(String::as_str),
        ..Scope::default()
    }
}

impl Backend for Store {
    fn sessions(&self, query: &SessionsQuery) -> Result<Value, Failure> {
        let filter = SessionFilter {
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            status: query.status.as_deref(),
            parent: query.parent.as_deref(),
            limit: query.limit.unwrap_or(USUAL),
            after: query.after.as_deref(),
        };
        self.ask(|reader| reader.sessions(&filter).map(Some))
            .map(page)
    }

    fn session(&self, id: &str, from: u32, most: usize) -> Result<Value, Failure> {
        let timeline = self.ask(|reader| reader.timeline(id, from, most))?;
        match timeline {
            Some(timeline) => Ok(as_json(&timeline)),
            None => Err(Failure::new(
                FailureKind::NotFound,
                format!("no session {} is on record", json!(id)),
            )),
        }
    }

    fn activity(&self, query: &ActivityQuery) -> Result<Value, Failure> {
        let filter = ActivityFilter {
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            session: query.session.as_deref(),
            tool: query.tool.as_deref(),
            path: query.path.as_deref(),
            success: query.success,
            limit: query.limit.unwrap_or(USUAL),
            after: query.after.as_deref(),
            ..ActivityFilter::default()
        };
        self.ask(|reader| reader.activities(&filter).map(Some))
            .map(page)
    }

    fn search(&self, query: &SearchQuery) -> Result<Value, Failure> {
        let filter = SearchFilter {
            text: &query.text,
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            session: query.session.as_deref(),
            limit: query.limit.unwrap_or(USUAL),
        };
        let hits = self.ask(|reader| reader.search(&filter))?;
        let mut answer = json!({ "items": hits });
        if let Some(found) = self.relevant(query)? {
            answer["found"] = as_json(&found);
        }
        Ok(answer)
    }

    fn status(&self) -> Result<Value, Failure> {
        let (agents, projects) = self.ask(|reader| Ok((reader.agents()?, reader.projects()?)))?;
        Ok(json!({
            "database": self.path,
            "exists": self.open.borrow().is_some(),
            "agents": agents,
            "projects": projects,
        }))
    }

    fn cursor(&self) -> Result<i64, Failure> {
        self.ask(Reader::last_seq)
    }

    fn events_since(&self, cursor: i64, limit: usize) -> Result<Vec<StreamedEvent>, Failure> {
        self.ask(|reader| reader.events_since(cursor, limit))
    }

    fn alarms(&self) -> Result<Vec<AlarmRow>, Failure> {
        let mut open = self.ask(|reader| reader.alarms(AlarmFilter::Open, MOST_ALARMS))?;
        open.reverse();
        Ok(open)
    }

    fn known(&self, event: &StreamedEvent) -> Known {
        // Numbers are an extra: without them the event is still worth telling.
        self.ask(|reader| known(reader, event)).unwrap_or_default()
    }
}

fn known(reader: &Reader, event: &StreamedEvent) -> Result<Known, Error> {
    let mut known = Known::default();
    match (event.kind.as_str(), event.session.as_deref()) {
        ("PostToolUse" | "PostToolUseFailure", _) => {
            let done = reader.activity(&event.id)?;
            known.duration = done.and_then(|done| millis(done.duration_ms?));
        }
        ("Stop", _) => {
            if let Some(batch) = &event.batch {
                let stats = reader.batch_stats(batch)?;
                known.duration = u64::try_from(stats.duration.as_millis()).ok();
                known.tool_calls = Some(stats.tool_calls);
                known.tokens = reader.batch_tokens(batch)?;
            }
        }
        ("SessionEnd", Some(session)) => {
            let session = reader.session_head(session)?;
            known.duration = session.and_then(|session| millis(event.at.0 - session.started_at.0));
        }
        ("SubagentStop", Some(session)) => {
            let filter = ActivityFilter {
                session: Some(session),
                tool: Some("SubagentStart"),
                limit: 1000,
                ..ActivityFilter::default()
            };
            let started = reader.activities(&filter)?.items.into_iter();
            let mut started =
                started.filter(|one| one.subagent == event.subagent && one.at <= event.at);
            known.duration = started.next().and_then(|one| millis(event.at.0 - one.at.0));
        }
        _ => {}
    }
    Ok(known)
}

fn millis(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}
