//! The setup API that the daemon shares with the dashboard: hooks, trust, connections, settings.
//!
//! Nothing here prints or prompts. A change is planned, shown as a diff, and applied only if its digest ([`digest`]) still
//! matches the plan that was shown. Diffs contain other people's files, so secrets are redacted.

mod connections;
mod recorded_call;
mod review;
mod rules;
mod settings;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use anyhow::Context;
use becket::{Home, load};
use becket_base::sync::MutexExt;
use becket_daemon::rpc::{HookAdmin, HookSelector, HookTest, ServiceError, ServiceErrorKind};
use becket_daemon::setup::{
    AgentConnection, ConnectionChange, ConnectionPlan, DoctorReport, FileWritten, FilesWritten,
    HookList, HookSwitchResult, HookTestResult, ReplayQuery, ReplayReport, RuleMatch, RulePlan,
    SettingsPlan, SettingsUpdate, Setup, TrustGranted, TrustReview, TrustRevoked, UserSettings,
};
use becket_guard::redact::{redact_text, set_custom_patterns};
use becket_store::StreamedEvent;

use crate::args::ProjectArgs;
use crate::hooks::api;
use crate::machine::Machine;
use crate::rpc::{HookService, service_error};
use crate::{doctor, replay};

/// The setup of this machine.
#[derive(Debug)]
pub(crate) struct SharedSetup {
    home: Home,
    /// Serializes all writes.
    writing: Mutex<()>,
    redaction: Mutex<RedactionState>,
}

/// The user's redaction patterns, and the state of the file they were read from.
#[derive(Debug)]
struct RedactionState {
    file: Option<FileStamp>,
    patterns: Vec<String>,
}

/// Detects a changed file: device, inode, size, modification time.
type FileStamp = (u64, u64, u64, i64, i64);

impl SharedSetup {
    pub(crate) fn new(home: &Home) -> Self {
        Self {
            home: home.clone(),
            writing: Mutex::default(),
            redaction: Mutex::new(RedactionState {
                file: stamp(&home.config_file()),
                patterns: load(home, None, None).settings.redact,
            }),
        }
    }

    fn lock_writes(&self) -> MutexGuard<'_, ()> {
        self.writing.lock_ignoring_poison()
    }

    /// Without a project, only the user's own files apply, because the home directory is not a project.
    fn here(&self, project: Option<&Path>) -> ProjectArgs {
        let project = project.unwrap_or(&self.home.user);
        ProjectArgs {
            project: Some(project.to_owned()),
            json: true,
        }
    }

    fn machine(&self, project: Option<&Path>) -> Result<Machine, ServiceError> {
        Machine::find(&self.here(project)).map_err(service_error)
    }

    /// The project root of a directory.
    fn root(&self, project: &Path) -> Result<PathBuf, ServiceError> {
        let (_, root) = self.here(Some(project)).find().map_err(service_error)?;
        Ok(root)
    }
}

fn stamp(file: &Path) -> Option<FileStamp> {
    let found = std::fs::metadata(file).ok()?;
    let changed = (found.mtime(), found.mtime_nsec());
    Some((found.dev(), found.ino(), found.len(), changed.0, changed.1))
}

impl Setup for SharedSetup {
    fn hook_admin(&self) -> Box<dyn HookAdmin> {
        Box::new(HookService::without_project())
    }

    fn hooks(&self, project: Option<&Path>) -> Result<HookList, ServiceError> {
        api::list(&self.here(project)).map_err(service_error)
    }

    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<HookSwitchResult, ServiceError> {
        let _turn = self.lock_writes();
        api::switch(hook, on, &self.here(hook.project)).map_err(service_error)
    }

    fn test(&self, test: &HookTest<'_>) -> Result<HookTestResult, ServiceError> {
        api::test(test, &self.here(test.hook.project)).map_err(service_error)
    }

    fn review(&self, project: &Path) -> Result<TrustReview, ServiceError> {
        review::review(&self.home, &self.root(project)?)
    }

    fn grant(&self, project: &Path, digest: &str) -> Result<TrustGranted, ServiceError> {
        let _turn = self.lock_writes();
        review::grant(&self.home, &self.root(project)?, digest)
    }

    fn revoke(&self, project: &Path) -> Result<TrustRevoked, ServiceError> {
        let _turn = self.lock_writes();
        review::revoke(&self.home, &self.root(project)?)
    }

    fn connections(&self) -> Result<Vec<AgentConnection>, ServiceError> {
        Ok(connections::list(&self.machine(None)?))
    }

    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, ServiceError> {
        connections::plan(&self.machine(None)?, change)
    }

    fn apply_connection(
        &self,
        change: &ConnectionChange,
        plan: &str,
    ) -> Result<FilesWritten, ServiceError> {
        let _turn = self.lock_writes();
        connections::apply(&self.machine(None)?, change, plan)
    }

    fn doctor(&self, project: Option<&Path>) -> Result<DoctorReport, ServiceError> {
        Ok(doctor::diagnose(&self.machine(project)?))
    }

    fn settings(&self) -> Result<UserSettings, ServiceError> {
        Ok(settings::show(&self.home))
    }

    fn plan_settings(&self, wanted: &SettingsUpdate) -> Result<SettingsPlan, ServiceError> {
        settings::plan(&self.home, wanted)
    }

    fn apply_settings(
        &self,
        wanted: &SettingsUpdate,
        plan: &str,
    ) -> Result<FileWritten, ServiceError> {
        let _turn = self.lock_writes();
        settings::apply(&self.home, wanted, plan)
    }

    fn rule_matches(&self, event: &StreamedEvent) -> Vec<RuleMatch> {
        recorded_call::matched(&self.home, event)
    }

    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, ServiceError> {
        rules::plan(&self.home, event)
    }

    fn apply_rule(&self, event: &StreamedEvent, plan: &str) -> Result<FileWritten, ServiceError> {
        let _turn = self.lock_writes();
        rules::apply(&self.home, event, plan)
    }

    fn replay(&self, question: &ReplayQuery) -> Result<ReplayReport, ServiceError> {
        replay::report(question, &self.home).map_err(service_error)
    }

    fn renew_redaction(&self) {
        // Deleting the file does not remove patterns.
        let Some(found) = stamp(&self.home.config_file()) else {
            return;
        };
        let mut known = self.redaction.lock_ignoring_poison();
        if known.file == Some(found) {
            return;
        }
        let now = load(&self.home, None, None);
        let mut patterns = now.settings.redact;
        let mut problems = now.loaded.problems.iter();
        if problems.any(|problem| problem.file == self.home.config_file()) {
            // The file has errors, so keep the known patterns as well.
            patterns.extend(std::mem::take(&mut known.patterns));
        }
        set_custom_patterns(&patterns);
        *known = RedactionState {
            file: Some(found),
            patterns,
        };
    }

    fn retention_period(&self) -> Option<Duration> {
        load(&self.home, None, None).settings.keep
    }
}

/// A digest of everything that was shown together.
fn digest<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn invalid(why: impl Into<String>) -> ServiceError {
    ServiceError::new(ServiceErrorKind::Invalid, why)
}

/// The plan no longer matches what was shown.
fn stale_plan(what: impl std::fmt::Display) -> ServiceError {
    let why = format!("{what} changed since it was shown; review it again");
    ServiceError::new(ServiceErrorKind::Changed, why)
}

/// A diff with secrets redacted.
fn diff(old: &str, new: &str) -> String {
    redact_text(&becket_agents::edit::diff(old, new)).into_owned()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The user's configuration file; writing fails if it changed meanwhile.
fn own_file(home: &Home) -> anyhow::Result<crate::hooks::file::EditableConfig> {
    let path = home.config_file();
    crate::hooks::file::EditableConfig::open_user_file(&path)
        .with_context(|| format!("`{}` was not changed", path.display()))
}
