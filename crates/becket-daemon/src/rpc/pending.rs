//! Permissions that wait for a person at an editor.
//!
//! Who needs an answer calls [`Pending::ask`] and waits, for as long as it can afford to; editors see
//! what is waited for and answer by its id. Whatever happens, the one who asked gets on: without an
//! answer in time there is none, and the agent's own rules apply.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{oneshot, watch};

use super::backend::{Failure, FailureKind, Permissions, not_waiting};

/// An editor that looked this recently is there.
const PRESENT: Duration = Duration::from_secs(5);
/// The most that wait at a time.
const MOST: usize = 256;

/// What an editor may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PermissionWord")]
pub enum Word {
    /// It may be done.
    Allow,
    /// It may not.
    Deny,
    /// The agent shall ask by itself.
    Ask,
}

impl Word {
    /// Reads Autohand's words; to block is to deny.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "deny" | "block" => Some(Self::Deny),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// In a word.
    pub word: Word,
    /// In more.
    pub reason: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Asked {
    /// The event's id, by which it is answered.
    pub id: String,
    /// Who wants to do it.
    pub agent: String,
    /// In which session.
    pub session: Option<String>,
    /// In which directory.
    pub project: Option<String>,
    /// With which tool.
    pub tool: String,
    /// The file, for a tool that has one.
    pub path: Option<String>,
    /// The command, for a tool that has one.
    pub command: Option<String>,
    /// The tool's whole input.
    pub args: Value,
}

/// What is waited for, as editors see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Permission")]
pub struct Waiting {
    /// By which it is answered.
    pub id: String,
    /// Who wants to do it.
    pub agent: String,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// In which directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// With which tool.
    pub tool: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tool's whole input.
    pub args: Value,
    /// Since when.
    pub timestamp: String,
    /// Until when.
    pub expires: String,
}

struct Entry {
    waiting: Waiting,
    answer: oneshot::Sender<Decided>,
}

/// All that is waited for. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Pending {
    entries: Arc<Mutex<BTreeMap<String, Entry>>>,
    changes: watch::Sender<i64>,
    /// Editors that are connected and want to be asked.
    editors: Arc<AtomicUsize>,
    /// When one that comes and goes last looked.
    looked: Arc<Mutex<Option<Instant>>>,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            entries: Arc::default(),
            changes: watch::Sender::new(0),
            editors: Arc::default(),
            looked: Arc::default(),
        }
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending")
            .field("waiting", &self.entries().len())
            .finish()
    }
}

impl Pending {
    /// Waits for an answer. `None` when the time is up, when too many wait already, or when the same id
    /// is asked about a second time.
    pub async fn ask(&self, asked: Asked, patience: Duration) -> Option<Decided> {
        let id = asked.id.clone();
        let answer = self.enter(asked, patience)?;
        // Leaves also when the one who asked is gone and this future is dropped.
        let _leaving = Leaving { pending: self, id };
        tokio::time::timeout(patience, answer).await.ok()?.ok()
    }

    /// Whether there is anybody who could answer.
    pub fn has_editor(&self) -> bool {
        let looked = *self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        self.editors.load(Ordering::Relaxed) > 0
            || looked.is_some_and(|looked| looked.elapsed() < PRESENT)
    }

    /// For an editor that looks now and then, instead of being connected.
    pub fn look(&self) -> Vec<Waiting> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        *looked = Some(Instant::now());
        drop(looked);
        self.waiting()
    }

    /// For an editor that is connected for as long as this lives.
    pub fn editor(&self) -> Editor {
        Editor {
            pending: self.clone(),
            watches: Cell::new(false),
        }
    }

    fn waiting(&self) -> Vec<Waiting> {
        let entries = self.entries();
        entries
            .values()
            .map(|entry| entry.waiting.clone())
            .collect()
    }

    /// Answers one.
    pub fn decide(&self, id: &str, decision: Decided) -> Result<(), Failure> {
        let entry = self.entries().remove(id).ok_or_else(|| not_waiting(id))?;
        self.announce();
        let sent = entry.answer.send(decision);
        sent.map_err(|_| {
            Failure::new(
                FailureKind::NotFound,
                "nobody waits for this answer any more",
            )
        })
    }

    /// Changes its value when something begins or ceases to wait.
    pub fn changes(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }

    fn enter(&self, asked: Asked, patience: Duration) -> Option<oneshot::Receiver<Decided>> {
        let now = Millis::now();
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting {
            id: asked.id.clone(),
            agent: asked.agent,
            session_id: asked.session,
            project: asked.project,
            tool: asked.tool,
            path: asked.path,
            command: asked.command,
            args: asked.args,
            timestamp: now.to_text(),
            expires: now.plus(patience).to_text(),
        };
        let mut entries = self.entries();
        if entries.len() >= MOST || entries.contains_key(&asked.id) {
            return None;
        }
        entries.insert(
            asked.id,
            Entry {
                waiting,
                answer: sender,
            },
        );
        drop(entries);
        self.announce();
        Some(receiver)
    }

    fn leave(&self, id: &str) {
        if self.entries().remove(id).is_some() {
            self.announce();
        }
    }

    fn announce(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Leaving<'p> {
    pending: &'p Pending,
    id: String,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.pending.leave(&self.id);
    }
}

/// What waits, as one connected editor has it.
#[derive(Debug)]
pub struct Editor {
    pending: Pending,
    watches: Cell<bool>,
}

impl Permissions for Editor {
    fn watches(&self, watches: bool) {
        if self.watches.replace(watches) == watches {
            return;
        }
        if watches {
            self.pending.editors.fetch_add(1, Ordering::Relaxed);
        } else {
            self.pending.editors.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn pending(&self) -> Result<Vec<Waiting>, Failure> {
        Ok(self.pending.waiting())
    }

    fn decide(&self, id: &str, decision: Decided) -> Result<(), Failure> {
        self.pending.decide(id, decision)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.watches(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn asked(id: &str) -> Asked {
        Asked {
            id: id.to_owned(),
            tool: "Bash".to_owned(),
            ..Asked::default()
        }
    }

    fn deny() -> Decided {
        Decided {
            word: Word::Deny,
            reason: Some("no".to_owned()),
        }
    }

    #[tokio::test]
    async fn who_asks_gets_the_answer_that_is_given_to_the_id() {
        let pending = Pending::default();
        let mut changes = pending.changes();
        let asker = tokio::spawn({
            let pending = pending.clone();
            async move { pending.ask(asked("p1"), LONG).await }
        });
        changes.changed().await.expect("it waits");
        let waiting = pending.waiting();
        assert_eq!(waiting.len(), 1);
        assert_eq!(
            (waiting[0].id.as_str(), waiting[0].tool.as_str()),
            ("p1", "Bash")
        );
        pending.decide("p1", deny()).expect("it waits");
        assert_eq!(asker.await.expect("ended"), Some(deny()));
        assert_eq!(pending.waiting(), []);
        let again = pending.decide("p1", deny()).expect_err("decided already");
        assert_eq!(again.kind, FailureKind::NotFound);
    }

    #[tokio::test(start_paused = true)]
    async fn without_an_answer_in_time_there_is_none_and_nothing_is_left() {
        let pending = Pending::default();
        assert_eq!(pending.ask(asked("p1"), LONG).await, None);
        assert_eq!(pending.waiting(), []);
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_nothing_behind() {
        let pending = Pending::default();
        let gone = tokio::time::timeout(Duration::ZERO, pending.ask(asked("p1"), LONG)).await;
        assert!(gone.is_err());
        assert_eq!(pending.waiting(), []);
    }

    #[tokio::test]
    async fn no_more_wait_than_can_be_shown() {
        let pending = Pending::default();
        let kept: Vec<_> = (0..MOST)
            .map(|n| pending.enter(asked(&n.to_string()), LONG))
            .collect();
        assert!(kept.iter().all(Option::is_some));
        assert_eq!(pending.ask(asked("one more"), LONG).await, None);
    }
}
