//! What all of these hooks have in common: a thread of their own, one deadline, cancellation.
//!
//! A hook's work is plain blocking code ([`Work`]). It is handed a [`Job`], whose deadline bounds
//! every process and request it starts. If the work itself hangs (a file system that does not
//! answer), the wait for it ends a moment after the deadline.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use becket_model::{Event, EventKind, FailureKind, HookSpec, Outcome, Said};
use becket_runner::process::{self, Cancel, Ending, Finished};
use becket_runner::{Error, Hook, HookContext, HookInput, HookOutput, Result};
use chrono::{DateTime, Utc};
use futures_lite::FutureExt;
use futures_timer::Delay;
use tokio::sync::oneshot;

use crate::deps::Deps;
use crate::options::ProjectTools;

/// How long the work may take to notice its deadline: a child that ignores signals is given up on
/// after a little more than two seconds.
const GRACE: Duration = Duration::from_secs(4);

/// What a hook does with an event.
pub(crate) trait Work: Send + Sync + 'static {
    /// Blocking; keeps to the job's deadline.
    fn work(&self, job: &Job) -> std::result::Result<HookOutput, Trouble>;
}

/// Why there is nothing to say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Failed(String),
    TimedOut,
    Cancelled,
}

impl<T: Into<String>> From<T> for Trouble {
    fn from(message: T) -> Self {
        Self::Failed(message.into())
    }
}

/// One event for one hook.
pub(crate) struct Job {
    pub(crate) event: Event,
    pub(crate) event_id: String,
    pub(crate) at: DateTime<Utc>,
    /// The project's root.
    pub(crate) project: PathBuf,
    /// The hook, as configured.
    pub(crate) spec: Arc<HookSpec>,
    pub(crate) deps: Arc<Deps>,
    pub(crate) deadline: Instant,
    pub(crate) cancel: Cancel,
    env: HashMap<String, String>,
}

impl Job {
    /// A variable of the environment.
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        let own = self.env.get(name).map(OsString::from);
        own.or_else(|| (self.deps.env)(name))
            .filter(|value| !value.is_empty())
    }

    /// How much time is left.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits, unless the deadline or a cancellation comes first; says whether it waited.
    pub(crate) fn pause(&self, pause: Duration) -> bool {
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

    /// Where the agent works; the project where it does not say, or says something that is not there.
    pub(crate) fn cwd(&self) -> PathBuf {
        let said = self.event.cwd.as_ref().map(PathBuf::from);
        said.filter(|dir| dir.is_absolute() && dir.is_dir())
            .unwrap_or_else(|| self.project.clone())
    }

    /// Whether code of this project may run. A hook that the project itself defines runs only after
    /// it was trusted.
    pub(crate) fn may_run_project_code(&self, tools: ProjectTools) -> bool {
        match tools {
            ProjectTools::Always => true,
            ProjectTools::Never => false,
            ProjectTools::Trusted => {
                self.spec.source.level.needs_trust() || (self.deps.trusted)(&self.project)
            }
        }
    }

    /// Runs a program within what is left of the time.
    pub(crate) fn run(
        &self,
        mut command: process::Command,
    ) -> std::result::Result<Finished, Trouble> {
        command.timeout = self.left();
        let path = self.var("PATH").map(|path| ("PATH".into(), path));
        let around = self.env.iter().map(|(k, v)| (k.into(), v.into()));
        // What they print is read here and shown as text; some paint it wherever `CI` is set.
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
            Ending::TimedOut => Err(Trouble::TimedOut),
            Ending::Cancelled => Err(Trouble::Cancelled),
            _ => Ok(finished),
        }
    }
}

/// A hook that comes with Becket.
pub(crate) struct BuiltinHook {
    spec: Arc<HookSpec>,
    events: Vec<EventKind>,
    deps: Arc<Deps>,
    work: Arc<dyn Work>,
    /// Sessions in which a `once` hook has run.
    ran_in: Mutex<HashSet<String>>,
}

impl BuiltinHook {
    pub(crate) fn new(spec: HookSpec, deps: Arc<Deps>, work: Arc<dyn Work>) -> Self {
        Self {
            events: vec![spec.event.clone()],
            spec: Arc::new(spec),
            deps,
            work,
            ran_in: Mutex::default(),
        }
    }

    fn is_spent(&self, session: &str) -> bool {
        self.spec.once
            && !self
                .ran_in
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(session.to_owned())
    }

    fn job(&self, input: &HookInput, ctx: &HookContext, cancel: Cancel) -> Job {
        let event = input.to_event(ctx);
        let project = ctx.project_dir.clone().or_else(|| ctx.cwd.clone());
        let project = project.or_else(|| event.cwd.as_ref().map(PathBuf::from));
        let now = Instant::now();
        Job {
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

    fn outcome(&self, done: std::result::Result<HookOutput, Trouble>) -> Outcome {
        let trouble = match done {
            Ok(output) => return output.into(),
            Err(trouble) => trouble,
        };
        let name = &self.spec.name;
        let (kind, message) = match trouble {
            Trouble::Failed(why) => (FailureKind::Error, format!("hook `{name}` failed: {why}")),
            Trouble::TimedOut => (
                FailureKind::TimedOut,
                format!(
                    "hook `{name}` did not finish within {:?}",
                    self.spec.timeout
                ),
            ),
            Trouble::Cancelled => (
                FailureKind::Cancelled,
                format!("hook `{name}` was cancelled"),
            ),
        };
        Outcome::failed(kind, message, self.spec.verdict_of(kind))
    }
}

#[async_trait]
impl Hook for BuiltinHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[EventKind] {
        &self.events
    }

    fn timeout_secs(&self) -> u64 {
        self.spec.timeout.as_secs()
    }

    fn priority(&self) -> i32 {
        self.spec.priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// The work has children to end when its time is up.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let outcome = self.run(input, ctx).await;
        match outcome.failure {
            Some(failure) => Err(Error::new(failure.message)),
            None => Ok(becket_model::merge(vec![Said {
                hook: self.spec.name.clone(),
                outcome,
                took: Duration::ZERO,
            }])
            .into()),
        }
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        if self.is_spent(&input.session_id) {
            return Outcome::none();
        }
        let cancel = Cancel::new();
        let guard = CancelOnDrop(cancel.clone());
        let job = self.job(&input, ctx, cancel);
        let (done, waiting) = oneshot::channel();
        let work = Arc::clone(&self.work);
        let spawned = std::thread::Builder::new()
            .name("becket-builtin".into())
            .spawn(move || {
                let _ = done.send(work.work(&job));
            });
        if let Err(error) = spawned {
            return self.outcome(Err(format!("no thread for it: {error}").into()));
        }
        let finished = async {
            let answer = waiting.await;
            answer.unwrap_or_else(|_| Err("it panicked".into()))
        };
        let cancelled = async {
            ctx.cancellation_token.cancelled().await;
            guard.0.cancel();
            Delay::new(GRACE).await;
            Err(Trouble::Cancelled)
        };
        let late = async {
            Delay::new(self.spec.timeout.saturating_add(GRACE)).await;
            Err(Trouble::TimedOut)
        };
        self.outcome(finished.or(cancelled).or(late).await)
    }
}

/// Ends what the work has started when nobody waits for it any more.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
