//! The hook engine: stages, deadlines, cancellation, panics, and passing rewritten inputs on.
//!
//! [`run`] needs no runtime. Any executor can drive it; the hook client uses a plain `block_on`.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use becket_model::{Decision, EventKind, HookOutcome, HookRun, merge};
use futures_lite::FutureExt;

use crate::error::{Error, Result};
use crate::hook::{Hook, failed};
use crate::input::{HookContext, HookInput};

/// Runs stages in order. The hooks of one stage run concurrently and are merged in the given order. A block ends
/// the plan; later stages see the input as rewritten so far.
pub async fn run(
    stages: &[Vec<Arc<dyn Hook>>],
    mut input: HookInput,
    ctx: &HookContext,
) -> Result<Decision> {
    let mut all: Vec<HookRun> = Vec::new();
    let mut conflicts = Vec::new();
    for stage in stages {
        if ctx.cancellation_token.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let runs = run_stage(stage, &input, ctx).await;
        if ctx.cancellation_token.is_cancelled() {
            return Err(Error::Cancelled);
        }
        conflicts.extend(merge::rewrite_conflict(&runs));
        if let Some(rewritten) = runs
            .iter()
            .rev()
            .find_map(|s| s.outcome.updated_input.as_ref())
        {
            input.rewrite(rewritten);
        }
        let blocked = runs.iter().any(|run| run.outcome.verdict.blocks());
        all.extend(runs);
        if blocked {
            break;
        }
    }
    Ok(Decision {
        conflicts,
        ..merge(all)
    })
}

async fn run_stage(stage: &[Arc<dyn Hook>], input: &HookInput, ctx: &HookContext) -> Vec<HookRun> {
    let mut running: Vec<RunSlot<'_>> = stage
        .iter()
        .map(|hook| RunSlot::Running(Box::pin(run_hook(hook.as_ref(), input.clone(), ctx))))
        .collect();
    std::future::poll_fn(|cx| {
        let mut pending = false;
        for slot in &mut running {
            if let RunSlot::Running(future) = slot {
                match future.as_mut().poll(cx) {
                    Poll::Ready(run) => *slot = RunSlot::Done(Box::new(run)),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
    running.into_iter().filter_map(RunSlot::done).collect()
}

enum RunSlot<'a> {
    Running(Pin<Box<dyn Future<Output = HookRun> + Send + 'a>>),
    Done(Box<HookRun>),
}

impl RunSlot<'_> {
    fn done(self) -> Option<HookRun> {
        match self {
            Self::Done(run) => Some(*run),
            Self::Running(_) => None,
        }
    }
}

pub(crate) async fn run_hook(hook: &dyn Hook, input: HookInput, ctx: &HookContext) -> HookRun {
    let started = Instant::now();
    let kind = input.event_type();
    let guarded = AssertUnwindSafe(hook.run(input, ctx)).catch_unwind();
    let outcome = match with_deadline(hook, guarded, ctx).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => failed(
            hook.name(),
            hook.spec(),
            &kind,
            &panicked(hook.name(), panic.as_ref()),
        ),
        Err(timeout) => failed(hook.name(), hook.spec(), &kind, &timeout),
    };
    note_failure(hook.name(), &kind, &outcome);
    HookRun {
        hook: hook.name().to_owned(),
        outcome,
        took: started.elapsed(),
    }
}

/// Enforces a hook's deadline and the caller's cancellation token. A hook with its own deadline also watches the
/// token itself, because it has to end its child first.
async fn with_deadline<T>(
    hook: &dyn Hook,
    work: impl Future<Output = T>,
    ctx: &HookContext,
) -> Result<T> {
    let Some(deadline) = hook.deadline() else {
        return Ok(work.await);
    };
    let timeout = async {
        futures_timer::Delay::new(deadline).await;
        Err(Error::HookTimeout {
            hook: hook.name().to_owned(),
            after: deadline,
        })
    };
    let cancelled = async {
        ctx.cancellation_token.cancelled().await;
        Err(Error::Cancelled)
    };
    async { Ok(work.await) }.or(cancelled).or(timeout).await
}

fn panicked(hook: &str, panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let message = text.map_or_else(|| "panicked".to_owned(), |text| format!("panicked: {text}"));
    Error::HookFailed {
        hook: hook.to_owned(),
        message,
    }
}

fn note_failure(hook: &str, event: &EventKind, outcome: &HookOutcome) {
    if let Some(failure) = &outcome.failure {
        tracing::warn!(
            hook,
            event = event.name(),
            verdict = outcome.verdict.word(),
            "{}",
            failure.message
        );
    }
}
