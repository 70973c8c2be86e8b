//! The interfaces that a session uses.

use std::path::Path;

use becket_store::{AlarmRow, StreamedEvent};
use serde_json::{Value, json};

use super::notifications::EventMetrics;
use super::pending::{PendingPermission, PermissionDecision};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// The kind of error.
    pub kind: ServiceErrorKind,
    /// The message for the user.
    pub message: String,
}

/// The kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceErrorKind {
    /// The request is invalid.
    Invalid,
    /// Not available now, or not on this connection.
    Unavailable,
    /// The named item does not exist.
    NotFound,
    /// The operation is not allowed.
    Refused,
    /// The files changed since the plan was made.
    Changed,
}

impl ServiceErrorKind {
    /// The JSON-RPC error code.
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

impl ServiceError {
    /// An error of a kind.
    pub fn new(kind: ServiceErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// A filter for sessions.
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

/// A filter for activities.
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

/// A search in the record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "as in `becket_store::SearchFilter`")]
pub struct SearchQuery {
    pub text: String,
    pub project: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub limit: Option<usize>,
}

/// Access to the record. Results have the shape of the store's rows.
pub trait RecordBackend: Send {
    /// A page of sessions, the newest first: `{items, next}`.
    fn sessions(&self, query: &SessionsQuery) -> Result<Value, ServiceError>;
    /// One session, at most `limit` turns starting at number `from`: `{session, before, batches, next}`.
    fn session(&self, id: &str, from: u32, limit: usize) -> Result<Value, ServiceError>;
    /// A page of activities, the newest first: `{items, next}`.
    fn activity(&self, query: &ActivityQuery) -> Result<Value, ServiceError>;
    /// Matching events, the newest first, and relevant memories and code of the project: `{items, found}`.
    fn search(&self, query: &SearchQuery) -> Result<Value, ServiceError>;
    /// The agents, the projects and the path of the database.
    fn status(&self) -> Result<Value, ServiceError>;
    /// The sequence number of the newest event; zero if there is none.
    fn cursor(&self) -> Result<i64, ServiceError>;
    /// At most `limit` events after a position, in storage order.
    fn events_since(&self, cursor: i64, limit: usize) -> Result<Vec<StreamedEvent>, ServiceError>;
    /// The unacknowledged alarms, the newest last.
    fn alarms(&self) -> Result<Vec<AlarmRow>, ServiceError>;
    /// Metrics of an event that its record does not contain.
    fn metrics(&self, event: &StreamedEvent) -> EventMetrics;
}

/// Selects a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookSelector<'q> {
    /// The hook's name, or `FILE:LINE`.
    pub name: &'q str,
    /// `user`, `project` or `local`, if several hooks have the name.
    pub level: Option<&'q str>,
    /// The project's directory; `None` for the server's.
    pub project: Option<&'q Path>,
}

/// A test run of a hook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HookTest<'q> {
    /// The hook.
    pub hook: HookSelector<'q>,
    /// Another event than the hook's own.
    pub event: Option<&'q str>,
    /// The tool, for tool events.
    pub tool: Option<&'q str>,
    /// The tool's input.
    pub input: Option<&'q Value>,
}

/// Management of configured hooks. Results have the shape of `becket hooks … --json`.
pub trait HookAdmin: Send {
    /// Lists all hooks.
    fn list(&self, project: Option<&Path>) -> Result<Value, ServiceError>;
    /// Enables or disables a hook.
    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<Value, ServiceError>;
    /// Runs a hook with a sample event.
    fn test(&self, test: &HookTest<'_>) -> Result<Value, ServiceError>;
}

/// For connections that cannot manage hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHookAdmin;

impl NoHookAdmin {
    fn error() -> ServiceError {
        ServiceError::new(
            ServiceErrorKind::Unavailable,
            "this connection cannot manage hooks; use `becket rpc`",
        )
    }
}

impl HookAdmin for NoHookAdmin {
    fn list(&self, _: Option<&Path>) -> Result<Value, ServiceError> {
        Err(Self::error())
    }

    fn switch(&self, _: &HookSelector<'_>, _: bool) -> Result<Value, ServiceError> {
        Err(Self::error())
    }

    fn test(&self, _: &HookTest<'_>) -> Result<Value, ServiceError> {
        Err(Self::error())
    }
}

/// Access to pending permissions.
pub trait Permissions: Send {
    /// Records whether the client wants to decide permissions.
    fn set_watching(&self, _watching: bool) {}
    /// The pending permissions.
    fn pending(&self) -> Result<Vec<PendingPermission>, ServiceError>;
    /// Decides a permission.
    fn decide(&self, id: &str, decision: PermissionDecision) -> Result<(), ServiceError>;
}

/// For connections without a daemon, which have no pending permissions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPermissions;

impl Permissions for NoPermissions {
    fn pending(&self) -> Result<Vec<PendingPermission>, ServiceError> {
        Ok(Vec::new())
    }

    fn decide(&self, id: &str, _: PermissionDecision) -> Result<(), ServiceError> {
        Err(not_waiting(id))
    }
}

pub(super) fn not_waiting(id: &str) -> ServiceError {
    let id = json!(id);
    ServiceError::new(
        ServiceErrorKind::NotFound,
        format!("no pending permission {id}; it was decided, or it expired"),
    )
}
