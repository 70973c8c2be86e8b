//! This machine's set-up: hooks, trust, connections, settings.
//!
//! The daemon knows none of it by itself. The command line does, and lends it as a [`Setup`]; what is answered
//! there is what the commands print as JSON. Nothing of it is asked on the threads that serve ([`Lent::ask`]).

mod connections;
mod doctor;
mod hooks;
mod replay;
mod rules;
mod settings;
mod trust;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use becket_store::StreamedEvent;
use tokio::sync::Semaphore;

pub use connections::{Connection, ConnectionChange, ConnectionPlan, FileChange, FilesWritten};
pub use doctor::{Diagnosis, Finding, FindingState};
pub use hooks::{HookEntry, HookList, HookProblem, HookTried, HookTrust, Switched};
pub use replay::{
    Case, Cases, Change, Counts, NotRun, Preset, ReplayQuestion, ReplayReport, RuleCount,
};
pub use rules::{Matched, RulePlan};
pub use settings::{
    FileWritten, GuardSettings, GuardWanted, Keeping, KeepingWanted, Settings, SettingsPlan,
    SettingsWanted,
};
pub use trust::{Granted, Review, ReviewItem, ReviewScript, ReviewState, Revoked};

use crate::rpc::{Failure, FailureKind, HookName, HookTest, Hooks};

/// Questions that are worked on at the same time; more wait.
const AT_ONCE: usize = 4;

/// What the daemon borrows. Every call may take its time: it reads files, and may start programs.
///
/// Whatever changes a file is planned first. A plan's digest stands for what the person was shown; carrying out
/// one whose files have changed meanwhile fails with [`FailureKind::Changed`].
pub trait Setup: fmt::Debug + Send + Sync {
    /// The hooks, for a connection of an editor.
    fn editor(&self) -> Box<dyn Hooks>;

    /// Every hook. Without a project: the person's own.
    fn hooks(&self, project: Option<&Path>) -> Result<HookList, Failure>;
    /// Switches a hook on or off.
    fn switch(&self, hook: &HookName<'_>, on: bool) -> Result<Switched, Failure>;
    /// Runs a hook with a sample event.
    fn test(&self, test: &HookTest<'_>) -> Result<HookTried, Failure>;

    /// What a project wants to run, and what of it is trusted.
    fn review(&self, project: &Path) -> Result<Review, Failure>;
    /// Trusts what a review with this digest showed.
    fn grant(&self, project: &Path, digest: &str) -> Result<Granted, Failure>;
    /// Takes trust back from a whole project.
    fn revoke(&self, project: &Path) -> Result<Revoked, Failure>;

    /// Every agent that Becket can be connected to.
    fn connections(&self) -> Result<Vec<Connection>, Failure>;
    /// What connecting an agent, or taking Becket out of it, would write.
    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, Failure>;
    /// Writes it.
    fn apply_connection(
        &self,
        change: &ConnectionChange,
        plan: &str,
    ) -> Result<FilesWritten, Failure>;

    /// What is wired up and what is not.
    fn doctor(&self, project: Option<&Path>) -> Result<Diagnosis, Failure>;

    /// The person's own settings.
    fn settings(&self) -> Result<Settings, Failure>;
    /// What other settings would write.
    fn plan_settings(&self, wanted: &SettingsWanted) -> Result<SettingsPlan, Failure>;
    /// Writes them.
    fn apply_settings(&self, wanted: &SettingsWanted, plan: &str) -> Result<FileWritten, Failure>;

    /// What the guard met in a recorded call, going by the files as they are now.
    fn matched(&self, event: &StreamedEvent) -> Vec<Matched>;
    /// The rule that would let this very call pass in future.
    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, Failure>;
    /// Writes it.
    fn apply_rule(&self, event: &StreamedEvent, plan: &str) -> Result<FileWritten, Failure>;

    /// What other rules would have decided.
    fn replay(&self, question: &ReplayQuestion) -> Result<ReplayReport, Failure>;

    /// For how long records are kept; for ever where nobody says so.
    fn keep(&self) -> Option<Duration>;

    /// Takes over what the person's file says is to be redacted, if it has changed. Comes before every request, so
    /// looking has to be cheap.
    fn renew_redaction(&self) {}
}

/// A set-up that was lent, or none.
#[derive(Debug, Clone)]
pub struct Lent {
    setup: Option<Arc<dyn Setup>>,
    turns: Arc<Semaphore>,
}

impl Lent {
    /// Takes it.
    pub fn new(setup: Option<Arc<dyn Setup>>) -> Self {
        Self {
            setup,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Before something is taken in: see [`Setup::renew_redaction`].
    pub fn renew_redaction(&self) {
        if let Some(setup) = &self.setup {
            setup.renew_redaction();
        }
    }

    /// The hooks, for a connection of an editor; `None` where nothing was lent.
    pub fn editor(&self) -> Option<Box<dyn Hooks>> {
        self.setup.as_ref().map(|setup| setup.editor())
    }

    /// Asks something, on a thread that may wait.
    pub async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Setup) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Some(setup) = self.setup.clone() else {
            let why = "the set-up of this machine is not managed here";
            return Err(Failure::new(FailureKind::NotFound, why));
        };
        let broken = || Failure::new(FailureKind::Unavailable, "this could not be looked up");
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| broken())?;
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            what(setup.as_ref())
        });
        work.await.unwrap_or_else(|_| Err(broken()))
    }
}
