//! Running one hook once, to see what it says.

use std::time::{Duration, Instant};

use becket_agents::contract::Surroundings;
use becket_model::{Event, FailureKind, HookSpec, Outcome, Verdict};
use becket_runner::command::{child_command, interpret, working_dir};
use becket_runner::process::{self, Cancel, Finished};
use becket_runner::{CancellationToken, HookContext, HookInput, engine};
use chrono::{SecondsFormat, Utc};
use futures_lite::future::block_on;

use crate::id::new_id;
use crate::make::{Around, Maker};

/// What came of it.
#[derive(Debug)]
pub struct Trial {
    /// What the hook said.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
    /// The process, for hooks that are one.
    pub process: Option<Finished>,
}

/// Ends a trial from another thread, with every process that it started.
#[derive(Debug, Clone)]
pub struct Stop {
    process: Cancel,
    token: CancellationToken,
}

impl Stop {
    /// A handle; clones are the same one.
    #[expect(clippy::new_without_default, reason = "there is no usual one")]
    pub fn new() -> Self {
        Self {
            process: Cancel::new(),
            token: CancellationToken::new(),
        }
    }

    /// Ends the trial, also one that begins later.
    pub fn stop(&self) {
        self.process.cancel();
        self.token.cancel();
    }
}

/// Runs a hook for an event as an agent's event would, whether or not its matcher would let the event
/// through. Whether it may run at all is the caller's affair: nothing here asks for trust. An `async`
/// hook is waited for. Nothing is recorded.
pub fn run(
    hook: &HookSpec,
    event: &Event,
    around: &Around<'_>,
    maker: &dyn Maker,
    stop: &Stop,
) -> Trial {
    let root = around.root;
    let id = new_id();
    let ctx = HookContext::new(event.session.as_str()).with_cwd(root);
    let mut ctx = ctx.with_cancellation(stop.token.clone());
    ctx.project_dir = Some(root.to_owned());
    let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let project = root.to_string_lossy();
    let surroundings = Surroundings {
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
    let said = block_on(engine::run(&[vec![maker.make(once, around)]], input, &ctx));
    let outcome = match said {
        Ok(decision) => decision.said.into_iter().next().map(|said| said.outcome),
        Err(error) => Some(Outcome::failed(
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
