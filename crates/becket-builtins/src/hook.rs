//! Shared code of the built-in hooks: a separate thread, one deadline, cancellation.
//!
//! A hook implements [`BlockingHook`] with plain blocking code. It gets a [`HookJob`], whose deadline limits every process
//! and request that it starts. If the hook itself hangs (for example on a file system that does not answer), the wait ends
//! shortly after the deadline.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use becket_base::sync::MutexExt;
use becket_model::{Event, EventKind, FailureKind, HookOutcome, HookSpec};
use becket_runner::process::{self, Cancel, Ending, Finished};
use becket_runner::{ConfiguredHook, HookContext, HookInput, HookOutput};
use chrono::{DateTime, Utc};
use futures_lite::FutureExt;
use futures_timer::Delay;
use tokio::sync::oneshot;

use crate::deps::BuiltinDeps;
use crate::options::ProjectTools;

/// Extra time after the deadline. Killing a child that ignores signals takes a little more than two seconds.
const GRACE: Duration = Duration::from_secs(4);

/// The implementation of a built-in hook.
pub(crate) trait BlockingHook: Send + Sync + 'static {
    /// Handles an event. May block, but must respect the job's deadline.
    fn run(&self, job: &HookJob) -> std::result::Result<HookOutput, HookFailure>;
}

/// Why a hook failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HookFailure {
    Failed(String),
    TimedOut,
    Cancelled,
}

impl<T: Into<String>> From<T> for HookFailure {
    fn from(message: T) -> Self {
        Self::Failed(message.into())
    }
}

/// One event for one hook.
pub(crate) struct HookJob {
    pub(crate) event: Event,
    pub(crate) event_id: String,
    pub(crate) at: DateTime<Utc>,
    /// The root of the project.
    pub(crate) project: PathBuf,
    /// The configured hook.
    pub(crate) spec: Arc<HookSpec>,
    pub(crate) deps: Arc<BuiltinDeps>,
    pub(crate) deadline: Instant,
    pub(crate) cancel: Cancel,
    env: HashMap<String, String>,
}

impl HookJob {
    /// The value of an environment variable, if it is not empty.
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        let own = self.env.get(name).map(OsString::from);
        own.or_else(|| (self.deps.env)(name))
            .filter(|value| !value.is_empty())
    }

    /// Time until the deadline.
    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Sleeps. Returns `false` if the deadline or a cancellation comes first.
    pub(crate) fn sleep(&self, pause: Duration) -> bool {
        const STEP: Duration = Duration::from_millis(50);
        let until = Instant::now() + pause;
        if until >= self.deadline {
            return false;
        }
        while !self.cancel.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(STEP));
        }
        false
    }

    /// The working directory of the agent, or the project root if the agent reports none or a missing one.
    pub(crate) fn cwd(&self) -> PathBuf {
        let said = self.event.cwd.as_ref().map(PathBuf::from);
        said.filter(|dir| dir.is_absolute() && dir.is_dir())
            .unwrap_or_else(|| self.project.clone())
    }

    /// Whether code of this project may run. With `Trusted`, it may for every hook that the project itself defines,
    /// because such a hook runs only if the project is trusted.
    pub(crate) fn may_run_project_code(&self, tools: ProjectTools) -> bool {
        match tools {
            ProjectTools::Always => true,
            ProjectTools::Never => false,
            ProjectTools::Trusted => {
                self.spec.source.level.needs_trust() || (self.deps.trusted)(&self.project)
            }
        }
    }

    /// Runs a program with the remaining time as its timeout.
    pub(crate) fn run(
        &self,
        mut command: process::Command,
    ) -> std::result::Result<Finished, HookFailure> {
        command.timeout = self.remaining();
        let path = self.var("PATH").map(|path| ("PATH".into(), path));
        let around = self.env.iter().map(|(k, v)| (k.into(), v.into()));
        // The output is shown as plain text; some programs print colours whenever `CI` is set.
        let plain = ("NO_COLOR".into(), "1".into());
        command
            .env_remove
            .extend(["FORCE_COLOR", "CLICOLOR_FORCE"].map(Into::into));
        command.env = around
            .chain(path)
            .chain([plain])
            .chain(command.env)
            .collect();
        let finished = process::run(&command, &self.cancel);
        match finished.ending {
            Ending::TimedOut => Err(HookFailure::TimedOut),
            Ending::Cancelled => Err(HookFailure::Cancelled),
            _ => Ok(finished),
        }
    }
}

/// A built-in hook.
pub(crate) struct BuiltinHook {
    spec: Arc<HookSpec>,
    events: Vec<EventKind>,
    deps: Arc<BuiltinDeps>,
    action: Arc<dyn BlockingHook>,
    /// Sessions in which a `once` hook has run.
    ran_in: Mutex<HashSet<String>>,
}

impl BuiltinHook {
    pub(crate) fn new(
        spec: HookSpec,
        deps: Arc<BuiltinDeps>,
        action: Arc<dyn BlockingHook>,
    ) -> Self {
        Self {
            events: vec![spec.event.clone()],
            spec: Arc::new(spec),
            deps,
            action,
            ran_in: Mutex::default(),
        }
    }

    fn has_already_run(&self, session: &str) -> bool {
        self.spec.once
            && !self
                .ran_in
                .lock_ignoring_poison()
                .insert(session.to_owned())
    }

    fn job(&self, input: &HookInput, ctx: &HookContext, cancel: Cancel) -> HookJob {
        let event = input.to_event(ctx);
        let project = ctx.project_dir.clone().or_else(|| ctx.cwd.clone());
        let project = project.or_else(|| event.cwd.as_ref().map(PathBuf::from));
        let now = Instant::now();
        HookJob {
            event_id: input.event_id().to_owned(),
            at: input.timestamp,
            project: project.unwrap_or_else(|| Path::new("/").to_owned()),
            spec: Arc::clone(&self.spec),
            deps: Arc::clone(&self.deps),
            deadline: now.checked_add(self.spec.timeout).unwrap_or(now),
            cancel,
            env: ctx.env.clone(),
            event,
        }
    }

    fn outcome(&self, done: std::result::Result<HookOutput, HookFailure>) -> HookOutcome {
        let trouble = match done {
            Ok(output) => return output.into(),
            Err(trouble) => trouble,
        };
        let name = &self.spec.name;
        let (kind, message) = match trouble {
            HookFailure::Failed(why) => {
                (FailureKind::Error, format!("hook `{name}` failed: {why}"))
            }
            HookFailure::TimedOut => (
                FailureKind::TimedOut,
                format!(
                    "hook `{name}` did not finish within {:?}",
                    self.spec.timeout
                ),
            ),
            HookFailure::Cancelled => (
                FailureKind::Cancelled,
                format!("hook `{name}` was cancelled"),
            ),
        };
        HookOutcome::failed(kind, message, self.spec.verdict_of(kind))
    }
}

#[async_trait]
impl ConfiguredHook for BuiltinHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[EventKind] {
        &self.events
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        if self.has_already_run(&input.session_id) {
            return HookOutcome::none();
        }
        let cancel = Cancel::new();
        let guard = CancelOnDrop(cancel.clone());
        let job = self.job(&input, ctx, cancel);
        let (done, waiting) = oneshot::channel();
        let work = Arc::clone(&self.action);
        let spawned = std::thread::Builder::new()
            .name("becket-builtin".into())
            .spawn(move || {
                let _ = done.send(work.run(&job));
            });
        if let Err(error) = spawned {
            return self.outcome(Err(format!("cannot start a thread: {error}").into()));
        }
        let finished = async {
            let answer = waiting.await;
            answer.unwrap_or_else(|_| Err("the hook panicked".into()))
        };
        let cancelled = async {
            ctx.cancellation_token.cancelled().await;
            guard.0.cancel();
            Delay::new(GRACE).await;
            Err(HookFailure::Cancelled)
        };
        let late = async {
            Delay::new(self.spec.timeout.saturating_add(GRACE)).await;
            Err(HookFailure::TimedOut)
        };
        self.outcome(finished.or(cancelled).or(late).await)
    }
}

/// Cancels child processes when the future is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
