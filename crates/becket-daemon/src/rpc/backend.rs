//! What a session asks of others.

use std::path::Path;

use becket_store::{AlarmRow, StreamedEvent};
use serde_json::{Value, json};

use super::notify::Known;
use super::pending::{Decided, Waiting};

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of thing went wrong.
    pub kind: FailureKind,
    /// For people.
    pub message: String,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The question makes no sense.
    Invalid,
    /// It cannot be answered now, or not here.
    Unavailable,
    /// There is no such thing.
    NotFound,
    /// It must not be done.
    Refused,
    /// What was planned is no longer what would be done.
    Changed,
}

impl FailureKind {
    /// The code in the answer.
    pub fn code(self) -> i64 {
        match self {
            Self::Invalid => -32602,
            Self::Unavailable => -32001,
            Self::NotFound => -32002,
            Self::Refused => -32003,
            Self::Changed => -32004,
        }
    }
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// Which sessions are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "as in `becket_store::SessionFilter`")]
pub struct SessionsQuery {
    pub project: Option<String>,
    pub agent: Option<String>,
    pub status: Option<String>,
    pub parent: Option<String>,
    pub limit: Option<usize>,
    pub after: Option<String>,
}

/// Which activities are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "as in `becket_store::ActivityFilter`")]
pub struct ActivityQuery {
    pub project: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub tool: Option<String>,
    pub path: Option<String>,
    pub success: Option<bool>,
    pub limit: Option<usize>,
    pub after: Option<String>,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "as in `becket_store::SearchFilter`")]
pub struct SearchQuery {
    pub text: String,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub limit: Option<usize>,
}

/// The stored record. Answers are in the shapes of the store's rows.
pub trait Backend: Send {
    /// A page of sessions, the latest first: `{items, next}`.
    fn sessions(&self, query: &SessionsQuery) -> Result<Value, Failure>;
    /// One session from batch number `from` on, `most` batches: `{session, before, batches, next}`.
    fn session(&self, id: &str, from: u32, most: usize) -> Result<Value, Failure>;
    /// A page of activities, the latest first: `{items, next}`.
    fn activity(&self, query: &ActivityQuery) -> Result<Value, Failure>;
    /// What was found, the latest first, and what of the project is remembered and relevant: `{items, found}`.
    fn search(&self, query: &SearchQuery) -> Result<Value, Failure>;
    /// Agents, projects and where the record is.
    fn status(&self) -> Result<Value, Failure>;
    /// The place of the latest event that ever was; zero if there was none.
    fn cursor(&self) -> Result<i64, Failure>;
    /// The events behind a place, in the order of storing, at most so many.
    fn events_since(&self, cursor: i64, limit: usize) -> Result<Vec<StreamedEvent>, Failure>;
    /// The alarms that nobody has seen yet, the latest last.
    fn alarms(&self) -> Result<Vec<AlarmRow>, Failure>;
    /// What an event's record does not say and the store knows.
    fn known(&self, event: &StreamedEvent) -> Known;
}

/// Which hook is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookName<'q> {
    /// Its name, or `FILE:LINE`.
    pub name: &'q str,
    /// `user`, `project` or `local`, where several have the name.
    pub level: Option<&'q str>,
    /// The project's directory; `None` is that of the server.
    pub project: Option<&'q Path>,
}

/// A trial of a hook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HookTest<'q> {
    /// The hook.
    pub hook: HookName<'q>,
    /// Another event than its own.
    pub event: Option<&'q str>,
    /// The tool, for tool events.
    pub tool: Option<&'q str>,
    /// The tool's input.
    pub input: Option<&'q Value>,
}

/// The hooks that are configured. Answers are in the shapes of `becket hooks … --json`.
pub trait Hooks: Send {
    /// All of them.
    fn list(&self, project: Option<&Path>) -> Result<Value, Failure>;
    /// Switches one on or off.
    fn switch(&self, hook: &HookName<'_>, on: bool) -> Result<Value, Failure>;
    /// Runs one with a sample event.
    fn test(&self, test: &HookTest<'_>) -> Result<Value, Failure>;
}

/// For connections over which hooks cannot be changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl NoHooks {
    fn failure() -> Failure {
        Failure::new(
            FailureKind::Unavailable,
            "hooks are not managed over this connection; `becket rpc` does it",
        )
    }
}

impl Hooks for NoHooks {
    fn list(&self, _: Option<&Path>) -> Result<Value, Failure> {
        Err(Self::failure())
    }

    fn switch(&self, _: &HookName<'_>, _: bool) -> Result<Value, Failure> {
        Err(Self::failure())
    }

    fn test(&self, _: &HookTest<'_>) -> Result<Value, Failure> {
        Err(Self::failure())
    }
}

/// Permissions that somebody waits for.
pub trait Permissions: Send {
    /// Notes whether the client wants to be asked.
    fn watches(&self, _watches: bool) {}
    /// What is waited for now.
    fn pending(&self) -> Result<Vec<Waiting>, Failure>;
    /// Answers one of them.
    fn decide(&self, id: &str, decision: Decided) -> Result<(), Failure>;
}

/// For connections without a daemon, over which nothing waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPermissions;

impl Permissions for NoPermissions {
    fn pending(&self) -> Result<Vec<Waiting>, Failure> {
        Ok(Vec::new())
    }

    fn decide(&self, id: &str, _: Decided) -> Result<(), Failure> {
        Err(not_waiting(id))
    }
}

pub(super) fn not_waiting(id: &str) -> Failure {
    let id = json!(id);
    Failure::new(
        FailureKind::NotFound,
        format!("no permission {id} is waited for; it may have been decided, or its time was up"),
    )
}
