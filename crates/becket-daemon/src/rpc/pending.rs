//! Permission requests that wait for a decision in an editor.
//!
//! A caller waits in [`PendingPermissions::request`] until the decision or a timeout; editors list pending permissions
//! and decide them by id. Without a decision in time there is none, and the agent's own rules apply.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use becket_base::sync::MutexExt;
use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{oneshot, watch};

use super::backend::{Permissions, ServiceError, ServiceErrorKind, not_waiting};

/// An editor that polled this recently counts as present.
const EDITOR_PRESENCE: Duration = Duration::from_secs(5);
/// The most pending permissions.
const MAX_PENDING: usize = 256;

/// An editor's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PermissionWord")]
pub enum PermissionChoice {
    /// Allow the call.
    Allow,
    /// Deny the call.
    Deny,
    /// The agent asks the user itself.
    Ask,
}

impl PermissionChoice {
    /// Parses Autohand's words; `block` means deny.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "deny" | "block" => Some(Self::Deny),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }
}

/// A decision on a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionDecision {
    /// The decision.
    #[serde(rename = "word")]
    pub choice: PermissionChoice,
    /// The reason.
    pub reason: Option<String>,
}

/// A permission request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// The event's id, which identifies the request.
    pub id: String,
    /// The agent's id.
    pub agent: String,
    /// The session's id.
    pub session: Option<String>,
    /// The project's directory.
    pub project: Option<String>,
    /// The tool.
    pub tool: String,
    /// The file, if the tool has one.
    pub path: Option<String>,
    /// The command, if the tool has one.
    pub command: Option<String>,
    /// The tool's whole input.
    pub args: Value,
}

/// A pending permission, as editors see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Permission")]
pub struct PendingPermission {
    /// The id for the decision.
    pub id: String,
    /// The agent's id.
    pub agent: String,
    /// The session's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The project's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The tool.
    pub tool: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tool's whole input.
    pub args: Value,
    /// When it was requested.
    pub timestamp: String,
    /// When it expires.
    pub expires: String,
}

struct PendingEntry {
    permission: PendingPermission,
    answer: oneshot::Sender<PermissionDecision>,
}

/// The pending permissions. Clones share the same list.
#[derive(Clone)]
pub struct PendingPermissions {
    entries: Arc<Mutex<BTreeMap<String, PendingEntry>>>,
    changes: watch::Sender<i64>,
    /// Connected editors that want to decide permissions.
    editors: Arc<AtomicUsize>,
    /// When an editor polled last.
    last_poll: Arc<Mutex<Option<Instant>>>,
}

impl Default for PendingPermissions {
    fn default() -> Self {
        Self {
            entries: Arc::default(),
            changes: watch::Sender::new(0),
            editors: Arc::default(),
            last_poll: Arc::default(),
        }
    }
}

impl std::fmt::Debug for PendingPermissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending")
            .field("waiting", &self.entries().len())
            .finish()
    }
}

impl PendingPermissions {
    /// Waits for a decision. `None` on a timeout, if too many permissions are pending, or if the id is pending already.
    pub async fn request(
        &self,
        request: PermissionRequest,
        timeout: Duration,
    ) -> Option<PermissionDecision> {
        let id = request.id.clone();
        let answer = self.insert(request, timeout)?;
        // Also removes the request when the caller is gone and this future is dropped.
        let _guard = RemoveOnDrop { pending: self, id };
        tokio::time::timeout(timeout, answer).await.ok()?.ok()
    }

    /// Whether an editor could decide.
    pub fn has_editor(&self) -> bool {
        let last_poll = *self.last_poll.lock_ignoring_poison();
        self.editors.load(Ordering::Relaxed) > 0
            || last_poll.is_some_and(|last_poll| last_poll.elapsed() < EDITOR_PRESENCE)
    }

    /// Lists pending permissions for an editor that polls.
    pub fn poll(&self) -> Vec<PendingPermission> {
        let mut last_poll = self.last_poll.lock_ignoring_poison();
        *last_poll = Some(Instant::now());
        drop(last_poll);
        self.list()
    }

    /// Registers a connected editor, until the result is dropped.
    pub fn editor(&self) -> EditorPermissions {
        EditorPermissions {
            pending: self.clone(),
            is_watching: Cell::new(false),
        }
    }

    fn list(&self) -> Vec<PendingPermission> {
        let entries = self.entries();
        entries
            .values()
            .map(|entry| entry.permission.clone())
            .collect()
    }

    /// Decides a permission.
    pub fn decide(&self, id: &str, decision: PermissionDecision) -> Result<(), ServiceError> {
        let entry = self.entries().remove(id).ok_or_else(|| not_waiting(id))?;
        self.publish_change();
        let sent = entry.answer.send(decision);
        sent.map_err(|_| {
            ServiceError::new(
                ServiceErrorKind::NotFound,
                "the caller no longer waits for this decision",
            )
        })
    }

    /// Changes when a permission is added or removed.
    pub fn changes(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }

    fn insert(
        &self,
        request: PermissionRequest,
        timeout: Duration,
    ) -> Option<oneshot::Receiver<PermissionDecision>> {
        let now = Millis::now();
        let (sender, receiver) = oneshot::channel();
        let permission = PendingPermission {
            id: request.id.clone(),
            agent: request.agent,
            session_id: request.session,
            project: request.project,
            tool: request.tool,
            path: request.path,
            command: request.command,
            args: request.args,
            timestamp: now.to_text(),
            expires: now.plus(timeout).to_text(),
        };
        let mut entries = self.entries();
        if entries.len() >= MAX_PENDING || entries.contains_key(&request.id) {
            return None;
        }
        entries.insert(
            request.id,
            PendingEntry {
                permission,
                answer: sender,
            },
        );
        drop(entries);
        self.publish_change();
        Some(receiver)
    }

    fn remove(&self, id: &str) {
        if self.entries().remove(id).is_some() {
            self.publish_change();
        }
    }

    fn publish_change(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, PendingEntry>> {
        self.entries.lock_ignoring_poison()
    }
}

struct RemoveOnDrop<'p> {
    pending: &'p PendingPermissions,
    id: String,
}

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        self.pending.remove(&self.id);
    }
}

/// Pending permissions for one connected editor.
#[derive(Debug)]
pub struct EditorPermissions {
    pending: PendingPermissions,
    is_watching: Cell<bool>,
}

impl Permissions for EditorPermissions {
    fn set_watching(&self, watching: bool) {
        if self.is_watching.replace(watching) == watching {
            return;
        }
        if watching {
            self.pending.editors.fetch_add(1, Ordering::Relaxed);
        } else {
            self.pending.editors.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn pending(&self) -> Result<Vec<PendingPermission>, ServiceError> {
        Ok(self.pending.list())
    }

    fn decide(&self, id: &str, decision: PermissionDecision) -> Result<(), ServiceError> {
        self.pending.decide(id, decision)
    }
}

impl Drop for EditorPermissions {
    fn drop(&mut self) {
        self.set_watching(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn request(id: &str) -> PermissionRequest {
        PermissionRequest {
            id: id.to_owned(),
            tool: "Bash".to_owned(),
            ..PermissionRequest::default()
        }
    }

    fn deny() -> PermissionDecision {
        PermissionDecision {
            choice: PermissionChoice::Deny,
            reason: Some("no".to_owned()),
        }
    }

    #[tokio::test]
    async fn caller_gets_the_decision_for_its_id() {
        let pending = PendingPermissions::default();
        let mut changes = pending.changes();
        let requester = tokio::spawn({
            let pending = pending.clone();
            async move { pending.request(request("p1"), LONG).await }
        });
        changes.changed().await.expect("it waits");
        let waiting = pending.list();
        assert_eq!(waiting.len(), 1);
        assert_eq!(
            (waiting[0].id.as_str(), waiting[0].tool.as_str()),
            ("p1", "Bash")
        );
        pending.decide("p1", deny()).expect("it waits");
        assert_eq!(requester.await.expect("ended"), Some(deny()));
        assert_eq!(pending.list(), []);
        let again = pending.decide("p1", deny()).expect_err("decided already");
        assert_eq!(again.kind, ServiceErrorKind::NotFound);
    }

    #[tokio::test(start_paused = true)]
    async fn request_times_out_and_is_removed() {
        let pending = PendingPermissions::default();
        assert_eq!(pending.request(request("p1"), LONG).await, None);
        assert_eq!(pending.list(), []);
    }

    #[tokio::test]
    async fn cancelled_request_is_removed() {
        let pending = PendingPermissions::default();
        let gone = tokio::time::timeout(Duration::ZERO, pending.request(request("p1"), LONG)).await;
        assert!(gone.is_err());
        assert_eq!(pending.list(), []);
    }

    #[tokio::test]
    async fn number_of_pending_permissions_is_limited() {
        let pending = PendingPermissions::default();
        let inserted: Vec<_> = (0..MAX_PENDING)
            .map(|n| pending.insert(request(&n.to_string()), LONG))
            .collect();
        assert!(inserted.iter().all(Option::is_some));
        assert_eq!(pending.request(request("one more"), LONG).await, None);
    }
}
