//! Running one hook once, to see what it says.

use std::time::{Duration, Instant};

use becket_agents::contract::Surroundings;
use becket_model::{Event, HookSpec, Outcome};
use becket_runner::command::{child_command, interpret, working_dir};
use becket_runner::process::{self, Cancel, Finished};
use becket_runner::{HookContext, HookInput};
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

/// Runs a hook for an event as an agent's event would, whether or not its matcher would let the event
/// through. Whether it may run at all is the caller's affair: nothing here asks for trust. An `async`
/// hook is waited for. Nothing is recorded.
pub fn run(
    hook: &HookSpec,
    event: &Event,
    around: &Around<'_>,
    maker: &dyn Maker,
    cancel: &Cancel,
) -> Trial {
    let root = around.root;
    let id = new_id();
    let mut ctx = HookContext::new(event.session.as_str()).with_cwd(root);
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
        let finished = process::run(&command, cancel);
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
    let outcome = block_on(maker.make(once, around).run(input, &ctx));
    Trial {
        outcome,
        took: started.elapsed(),
        process: None,
    }
}
