//! This machine's setup: hooks, trust, connections to agents, and settings.
//!
//! The daemon contains no code for these. The command line implements a [`Setup`] and passes it in; results have
//! the shape of the commands' JSON output. Calls run on blocking threads ([`SharedSetup::run`]).

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

pub use connections::{
    AgentConnection, ConnectionChange, ConnectionPlan, FileChange, FilesWritten,
};
pub use doctor::{DoctorReport, Finding, FindingState};
pub use hooks::{HookEntry, HookList, HookProblem, HookSwitchResult, HookTestResult, HookTrust};
pub use replay::{
    Preset, ReplayCase, ReplayCases, ReplayChange, ReplayQuery, ReplayReport, RuleCount,
    SkippedHook, VerdictCounts,
};
pub use rules::{RuleMatch, RulePlan};
pub use settings::{
    FileWritten, GuardSettings, GuardUpdate, RetentionSettings, RetentionUpdate, SettingsPlan,
    SettingsUpdate, UserSettings,
};
pub use trust::{ReviewItem, ReviewScript, ReviewState, TrustGranted, TrustReview, TrustRevoked};

use crate::rpc::{HookAdmin, HookSelector, HookTest, ServiceError, ServiceErrorKind};

/// Concurrent calls; more wait.
const MAX_CONCURRENT: usize = 4;

/// Access to this machine's setup. Every call blocks: it reads files, and may start programs.
///
/// Every change of a file is planned first. The plan's digest identifies what was shown; applying a plan whose files
/// changed meanwhile fails with [`ServiceErrorKind::Changed`].
pub trait Setup: fmt::Debug + Send + Sync {
    /// Hook management for an editor's connection.
    fn hook_admin(&self) -> Box<dyn HookAdmin>;

    /// All hooks. Without a project, only the user's own.
    fn hooks(&self, project: Option<&Path>) -> Result<HookList, ServiceError>;
    /// Enables or disables a hook.
    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<HookSwitchResult, ServiceError>;
    /// Runs a hook with a sample event.
    fn test(&self, test: &HookTest<'_>) -> Result<HookTestResult, ServiceError>;

    /// The hooks of a project, and which of them are trusted.
    fn review(&self, project: &Path) -> Result<TrustReview, ServiceError>;
    /// Trusts the hooks of the review with this digest.
    fn grant(&self, project: &Path, digest: &str) -> Result<TrustGranted, ServiceError>;
    /// Revokes the trust in all hooks of a project.
    fn revoke(&self, project: &Path) -> Result<TrustRevoked, ServiceError>;

    /// All supported agents.
    fn connections(&self) -> Result<Vec<AgentConnection>, ServiceError>;
    /// Plans to connect or disconnect an agent.
    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, ServiceError>;
    /// Applies the plan.
    fn apply_connection(
        &self,
        change: &ConnectionChange,
        plan: &str,
    ) -> Result<FilesWritten, ServiceError>;

    /// Diagnoses the installation.
    fn doctor(&self, project: Option<&Path>) -> Result<DoctorReport, ServiceError>;

    /// The user's settings.
    fn settings(&self) -> Result<UserSettings, ServiceError>;
    /// Plans a change of settings.
    fn plan_settings(&self, update: &SettingsUpdate) -> Result<SettingsPlan, ServiceError>;
    /// Applies the plan.
    fn apply_settings(
        &self,
        update: &SettingsUpdate,
        plan: &str,
    ) -> Result<FileWritten, ServiceError>;

    /// The guard's rules that match a recorded call, evaluated with the current files.
    fn rule_matches(&self, event: &StreamedEvent) -> Vec<RuleMatch>;
    /// Plans a rule that allows exactly this call.
    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, ServiceError>;
    /// Applies the plan.
    fn apply_rule(&self, event: &StreamedEvent, plan: &str) -> Result<FileWritten, ServiceError>;

    /// Replays recorded events with other rules.
    fn replay(&self, query: &ReplayQuery) -> Result<ReplayReport, ServiceError>;

    /// How long records are kept; `None` keeps them forever.
    fn retention_period(&self) -> Option<Duration>;

    /// Loads the user's redaction patterns, if the file changed. Called before every request, so the check must be cheap.
    fn renew_redaction(&self) {}
}

/// A [`Setup`] shared by all requests, or none.
#[derive(Debug, Clone)]
pub struct SharedSetup {
    setup: Option<Arc<dyn Setup>>,
    permits: Arc<Semaphore>,
}

impl SharedSetup {
    /// Wraps a setup.
    pub fn new(setup: Option<Arc<dyn Setup>>) -> Self {
        Self {
            setup,
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        }
    }

    /// See [`Setup::renew_redaction`]; call it before storing something.
    pub fn renew_redaction(&self) {
        if let Some(setup) = &self.setup {
            setup.renew_redaction();
        }
    }

    /// Hook management for an editor's connection; `None` without a setup.
    pub fn hook_admin(&self) -> Option<Box<dyn HookAdmin>> {
        self.setup.as_ref().map(|setup| setup.hook_admin())
    }

    /// Runs `work` on a blocking thread.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Setup) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let Some(setup) = self.setup.clone() else {
            let why = "this daemon does not manage the setup of this machine";
            return Err(ServiceError::new(ServiceErrorKind::NotFound, why));
        };
        let unavailable = || ServiceError::new(ServiceErrorKind::Unavailable, "the request failed");
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| unavailable())?;
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(setup.as_ref())
        });
        task.await.unwrap_or_else(|_| Err(unavailable()))
    }
}
