//! The record, read from the database file.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use becket_store::{
    ActivityFilter, AlarmFilter, AlarmRow, Error, ErrorKind, Page, QueryScope, SearchFilter,
    SessionFilter, StoreReader, StreamedEvent,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::backend::{
    ActivityQuery, RecordBackend, SearchQuery, ServiceError, ServiceErrorKind, SessionsQuery,
};
use super::notifications::EventMetrics;
use crate::recall::{BlockingMemoryClient, MemoryRequest, MemoryResponse, RecallHit, RecallQuery};

/// The default number of rows.
const DEFAULT_LIMIT: usize = 50;
/// The most open alarms that are sent.
const MAX_ALARMS: usize = 200;

/// Reads a database that may not exist yet, and may be replaced by another file.
pub struct StoreBackend {
    path: PathBuf,
    database: RefCell<Option<OpenDatabase>>,
    memories: Option<BlockingMemoryClient>,
}

#[derive(Debug)]
struct OpenDatabase {
    reader: StoreReader,
    /// Device and inode of the file.
    file: (u64, u64),
}

impl StoreBackend {
    /// A backend for the database at this path. It opens nothing yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            database: RefCell::new(None),
            memories: None,
        }
    }

    /// Adds search in memories.
    #[must_use]
    pub fn with_memories(self, client: BlockingMemoryClient) -> Self {
        Self {
            memories: Some(client),
            ..self
        }
    }

    /// Relevant memories and code of a project; memories do not belong to a session.
    fn relevant(&self, query: &SearchQuery) -> Result<Option<Vec<RecallHit>>, ServiceError> {
        let (Some(client), Some(project), None) = (&self.memories, &query.project, &query.session)
        else {
            return Ok(None);
        };
        let recall_query = RecallQuery {
            agent: query.agent.clone(),
            limit: query.limit.unwrap_or(DEFAULT_LIMIT),
            ..RecallQuery::new(project.as_str(), query.text.as_str())
        };
        match client(MemoryRequest::Search(recall_query))? {
            MemoryResponse::Found(found) => Ok(Some(found)),
            _ => Ok(None),
        }
    }

    /// Runs a query; without a database the result is empty.
    fn query<T: Default>(
        &self,
        read: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, ServiceError> {
        let mut open = self.database.borrow_mut();
        let file = file_identity(&self.path);
        if open.as_ref().map(|open| open.file) != file {
            *open = None;
        }
        if open.is_none() {
            match (StoreReader::open(&self.path), file) {
                (Ok(reader), Some(file)) => *open = Some(OpenDatabase { reader, file }),
                (Err(error), _) if matches!(error.kind, ErrorKind::Missing) => {}
                (Err(error), _) => return Err(unavailable(&error)),
                // The file was just created; the next query finds it.
                (Ok(_), None) => {}
            }
        }
        match open.as_ref() {
            Some(open) => read(&open.reader).map_err(|error| unavailable(&error)),
            None => Ok(T::default()),
        }
    }
}

fn file_identity(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

fn unavailable(error: &Error) -> ServiceError {
    ServiceError::new(ServiceErrorKind::Unavailable, error.to_string())
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

fn scope<'q>(project: Option<&'q String>, agent: Option<&'q String>) -> QueryScope<'q> {
    QueryScope {
        project: project.map(String::as_str),
        agent: agent.map(String::as_str),
        ..QueryScope::default()
    }
}

impl RecordBackend for StoreBackend {
    fn sessions(&self, query: &SessionsQuery) -> Result<Value, ServiceError> {
        let filter = SessionFilter {
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            status: query.status.as_deref(),
            parent: query.parent.as_deref(),
            limit: query.limit.unwrap_or(DEFAULT_LIMIT),
            after: query.after.as_deref(),
        };
        self.query(|reader| reader.sessions(&filter).map(Some))
            .map(page)
    }

    fn session(&self, id: &str, from: u32, limit: usize) -> Result<Value, ServiceError> {
        let timeline = self.query(|reader| reader.timeline(id, from, limit))?;
        match timeline {
            Some(timeline) => Ok(as_json(&timeline)),
            None => Err(ServiceError::new(
                ServiceErrorKind::NotFound,
                format!("session {} not found", json!(id)),
            )),
        }
    }

    fn activity(&self, query: &ActivityQuery) -> Result<Value, ServiceError> {
        let filter = ActivityFilter {
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            session: query.session.as_deref(),
            tool: query.tool.as_deref(),
            path: query.path.as_deref(),
            success: query.success,
            limit: query.limit.unwrap_or(DEFAULT_LIMIT),
            after: query.after.as_deref(),
            ..ActivityFilter::default()
        };
        self.query(|reader| reader.activities(&filter).map(Some))
            .map(page)
    }

    fn search(&self, query: &SearchQuery) -> Result<Value, ServiceError> {
        let filter = SearchFilter {
            text: &query.text,
            scope: scope(query.project.as_ref(), query.agent.as_ref()),
            session: query.session.as_deref(),
            limit: query.limit.unwrap_or(DEFAULT_LIMIT),
        };
        let hits = self.query(|reader| reader.search(&filter))?;
        let mut answer = json!({ "items": hits });
        if let Some(found) = self.relevant(query)? {
            answer["found"] = as_json(&found);
        }
        Ok(answer)
    }

    fn status(&self) -> Result<Value, ServiceError> {
        let (agents, projects) = self.query(|reader| Ok((reader.agents()?, reader.projects()?)))?;
        Ok(json!({
            "database": self.path,
            "exists": self.database.borrow().is_some(),
            "agents": agents,
            "projects": projects,
        }))
    }

    fn cursor(&self) -> Result<i64, ServiceError> {
        self.query(StoreReader::last_seq)
    }

    fn events_since(&self, cursor: i64, limit: usize) -> Result<Vec<StreamedEvent>, ServiceError> {
        self.query(|reader| reader.events_since(cursor, limit))
    }

    fn alarms(&self) -> Result<Vec<AlarmRow>, ServiceError> {
        let mut open = self.query(|reader| reader.alarms(AlarmFilter::Open, MAX_ALARMS))?;
        open.reverse();
        Ok(open)
    }

    fn metrics(&self, event: &StreamedEvent) -> EventMetrics {
        // Metrics are optional: the event is sent without them.
        self.query(|reader| event_metrics(reader, event))
            .unwrap_or_default()
    }
}

fn event_metrics(reader: &StoreReader, event: &StreamedEvent) -> Result<EventMetrics, Error> {
    let mut metrics = EventMetrics::default();
    match (event.kind.as_str(), event.session.as_deref()) {
        ("PostToolUse" | "PostToolUseFailure", _) => {
            let done = reader.activity(&event.id)?;
            metrics.duration = done.and_then(|done| millis(done.duration_ms?));
        }
        ("Stop", _) => {
            if let Some(batch) = &event.batch {
                let stats = reader.batch_stats(batch)?;
                metrics.duration = u64::try_from(stats.duration.as_millis()).ok();
                metrics.tool_calls = Some(stats.tool_calls);
                metrics.tokens = reader.batch_tokens(batch)?;
            }
        }
        ("SessionEnd", Some(session)) => {
            let session = reader.session_head(session)?;
            metrics.duration =
                session.and_then(|session| millis(event.at.0 - session.started_at.0));
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
            metrics.duration = started.next().and_then(|one| millis(event.at.0 - one.at.0));
        }
        _ => {}
    }
    Ok(metrics)
}

fn millis(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}
