//! Runs one hook once, for `becket hooks test`.

use std::time::{Duration, Instant};

use becket_agents::contract::EventMetadata;
use becket_model::{Event, FailureKind, HookOutcome, HookSpec, Verdict};
use becket_runner::command::{child_command, interpret, working_dir};
use becket_runner::process::{self, Cancel, Finished};
use becket_runner::{CancellationToken, HookContext, HookInput, engine};
use chrono::{SecondsFormat, Utc};
use futures_lite::future::block_on;

use crate::factory::{HookFactory, HookSite};
use crate::id::new_id;

/// The result of a trial.
#[derive(Debug)]
pub struct Trial {
    /// The hook's outcome.
    pub outcome: HookOutcome,
    /// Its duration.
    pub took: Duration,
    /// The finished process, for command hooks.
    pub process: Option<Finished>,
}

/// Stops a trial from another thread, with every process that it started.
#[derive(Debug, Clone)]
pub struct StopHandle {
    process: Cancel,
    token: CancellationToken,
}

impl StopHandle {
    /// A new handle. Clones share it.
    #[expect(
        clippy::new_without_default,
        reason = "there is no default stop handle"
    )]
    pub fn new() -> Self {
        Self {
            process: Cancel::new(),
            token: CancellationToken::new(),
        }
    }

    /// Stops the trial, also one that begins later.
    pub fn stop(&self) {
        self.process.cancel();
        self.token.cancel();
    }
}

/// Runs a hook for an event, whether or not its matcher accepts the event. The caller checks trust. The trial waits for
/// `async` hooks and records nothing.
pub fn run(
    hook: &HookSpec,
    event: &Event,
    site: &HookSite<'_>,
    factory: &dyn HookFactory,
    stop: &StopHandle,
) -> Trial {
    let root = site.root;
    let id = new_id();
    let ctx = HookContext::new(event.session.as_str()).with_cwd(root);
    let mut ctx = ctx.with_cancellation(stop.token.clone());
    ctx.project_dir = Some(root.to_owned());
    let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let project = root.to_string_lossy();
    let surroundings = EventMetadata {
        event_id: &id,
        timestamp: &timestamp,
        project_dir: Some(&project),
    };
    if let Some(mut command) = child_command(hook, event, &surroundings) {
        command.cwd = working_dir(hook, event, &ctx);
        let finished = process::run(&command, &stop.process);
        return Trial {
            outcome: interpret(hook, event, &finished),
            took: finished.duration,
            process: Some(finished),
        };
    }
    let started = Instant::now();
    let input = HookInput::from_event(event.clone(), id.as_str());
    let once = HookSpec {
        once: false,
        ..hook.clone()
    };
    let decision = block_on(engine::run(&[vec![factory.build(once, site)]], input, &ctx));
    let outcome = match decision {
        Ok(decision) => decision.hook_runs.into_iter().next().map(|run| run.outcome),
        Err(error) => Some(HookOutcome::failed(
            FailureKind::Cancelled,
            error.to_string(),
            Verdict::NoOpinion,
        )),
    };
    Trial {
        outcome: outcome.unwrap_or_default(),
        took: started.elapsed(),
        process: None,
    }
}
