//! What the daemon borrows of the commands, for the dashboard: hooks, trust, connections, settings.
//!
//! Nothing here prints or asks. A change is planned, shown as a difference, and made only if its plan's digest
//! ([`digest`]) is still the one that was shown. What is shown comes from files of anybody's, so it is redacted.

mod connections;
mod explain;
mod review;
mod rules;
mod settings;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use becket::{Home, load};
use becket_daemon::rpc::{Failure, FailureKind, HookName, HookTest, Hooks};
use becket_daemon::setup::{
    Connection, ConnectionChange, ConnectionPlan, Diagnosis, FileWritten, FilesWritten, Granted,
    HookList, HookTried, Matched, ReplayQuestion, ReplayReport, Review, Revoked, RulePlan,
    Settings, SettingsPlan, SettingsWanted, Setup, Switched,
};
use becket_guard::redact::{redact_also, redact_text};
use becket_store::StreamedEvent;

use crate::args::Here;
use crate::hooks::remote;
use crate::machine::Machine;
use crate::rpc::{Configured, failed};
use crate::{doctor, replay};

/// The set-up of this machine.
#[derive(Debug)]
pub(crate) struct Lent {
    home: Home,
    /// Held by whoever writes: one change is made after another.
    writing: Mutex<()>,
    redaction: Mutex<Redaction>,
}

/// What is redacted beside the secrets that are known, and the person's file as it was when it said so.
#[derive(Debug)]
struct Redaction {
    file: Option<Stamp>,
    patterns: Vec<String>,
}

/// What shows that a file is another: device, number, length, and when it was changed.
type Stamp = (u64, u64, u64, i64, i64);

impl Lent {
    pub(crate) fn of(home: &Home) -> Self {
        Self {
            home: home.clone(),
            writing: Mutex::default(),
            redaction: Mutex::new(Redaction {
                file: stamp(&home.config_file()),
                patterns: load(home, None, None).settings.redact,
            }),
        }
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Without a project there are the person's own files alone: their home is no project.
    fn here(&self, project: Option<&Path>) -> Here {
        let project = project.unwrap_or(&self.home.user);
        Here {
            project: Some(project.to_owned()),
            json: true,
        }
    }

    fn machine(&self, project: Option<&Path>) -> Result<Machine, Failure> {
        Machine::find(&self.here(project)).map_err(failed)
    }

    /// The root that a project's directory belongs to.
    fn root(&self, project: &Path) -> Result<PathBuf, Failure> {
        let (_, root) = self.here(Some(project)).find().map_err(failed)?;
        Ok(root)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(file).ok()?;
    let changed = (found.mtime(), found.mtime_nsec());
    Some((found.dev(), found.ino(), found.len(), changed.0, changed.1))
}

impl Setup for Lent {
    fn editor(&self) -> Box<dyn Hooks> {
        Box::new(Configured::everywhere())
    }

    fn hooks(&self, project: Option<&Path>) -> Result<HookList, Failure> {
        remote::list(&self.here(project)).map_err(failed)
    }

    fn switch(&self, hook: &HookName<'_>, on: bool) -> Result<Switched, Failure> {
        let _turn = self.writing();
        remote::switch(hook, on, &self.here(hook.project)).map_err(failed)
    }

    fn test(&self, test: &HookTest<'_>) -> Result<HookTried, Failure> {
        remote::test(test, &self.here(test.hook.project)).map_err(failed)
    }

    fn review(&self, project: &Path) -> Result<Review, Failure> {
        review::review(&self.home, &self.root(project)?)
    }

    fn grant(&self, project: &Path, digest: &str) -> Result<Granted, Failure> {
        let _turn = self.writing();
        review::grant(&self.home, &self.root(project)?, digest)
    }

    fn revoke(&self, project: &Path) -> Result<Revoked, Failure> {
        let _turn = self.writing();
        review::revoke(&self.home, &self.root(project)?)
    }

    fn connections(&self) -> Result<Vec<Connection>, Failure> {
        Ok(connections::list(&self.machine(None)?))
    }

    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, Failure> {
        connections::plan(&self.machine(None)?, change)
    }

    fn apply_connection(
        &self,
        change: &ConnectionChange,
        plan: &str,
    ) -> Result<FilesWritten, Failure> {
        let _turn = self.writing();
        connections::apply(&self.machine(None)?, change, plan)
    }

    fn doctor(&self, project: Option<&Path>) -> Result<Diagnosis, Failure> {
        Ok(doctor::diagnose(&self.machine(project)?))
    }

    fn settings(&self) -> Result<Settings, Failure> {
        Ok(settings::show(&self.home))
    }

    fn plan_settings(&self, wanted: &SettingsWanted) -> Result<SettingsPlan, Failure> {
        settings::plan(&self.home, wanted)
    }

    fn apply_settings(&self, wanted: &SettingsWanted, plan: &str) -> Result<FileWritten, Failure> {
        let _turn = self.writing();
        settings::apply(&self.home, wanted, plan)
    }

    fn matched(&self, event: &StreamedEvent) -> Vec<Matched> {
        explain::matched(&self.home, event)
    }

    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, Failure> {
        rules::plan(&self.home, event)
    }

    fn apply_rule(&self, event: &StreamedEvent, plan: &str) -> Result<FileWritten, Failure> {
        let _turn = self.writing();
        rules::apply(&self.home, event, plan)
    }

    fn replay(&self, question: &ReplayQuestion) -> Result<ReplayReport, Failure> {
        replay::report(question, &self.home).map_err(failed)
    }

    fn renew_redaction(&self) {
        // A file that is gone takes no pattern back.
        let Some(found) = stamp(&self.home.config_file()) else {
            return;
        };
        let mut known = self
            .redaction
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if known.file == Some(found) {
            return;
        }
        let now = load(&self.home, None, None);
        let mut patterns = now.settings.redact;
        let mut problems = now.loaded.problems.iter();
        if problems.any(|problem| problem.file == self.home.config_file()) {
            // Nobody knows what else was meant: what was redacted still is.
            patterns.extend(std::mem::take(&mut known.patterns));
        }
        redact_also(&patterns);
        *known = Redaction {
            file: Some(found),
            patterns,
        };
    }

    fn keep(&self) -> Option<Duration> {
        load(&self.home, None, None).settings.keep
    }
}

/// Stands for parts that were shown together.
fn digest<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn invalid(why: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Invalid, why)
}

/// What was shown is no longer what would be done.
fn changed(what: impl std::fmt::Display) -> Failure {
    let why = format!("{what} changed since it was shown; look at it again");
    Failure::new(FailureKind::Changed, why)
}

/// A difference between two texts, without the secrets in them.
fn diff(old: &str, new: &str) -> String {
    redact_text(&becket_agents::edit::diff(old, new)).into_owned()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A file that can be written only if it is still what it was.
fn own_file(home: &Home) -> anyhow::Result<crate::hooks::file::ConfigFile> {
    let path = home.config_file();
    crate::hooks::file::ConfigFile::own(&path)
        .with_context(|| format!("`{}` is left as it is", path.display()))
}
