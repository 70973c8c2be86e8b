//! The one engine: stages of hooks, deadlines, cancellation, panics, pipeline of rewrites.
//!
//! [`run`] knows no runtime. It is driven by whatever executor awaits it; the hook client drives it
//! with a plain `block_on`.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use becket_model::{Decision, EventKind, Outcome, Said, merge};
use futures_lite::FutureExt;

use crate::error::{Error, Result};
use crate::hook::{Hook, failed};
use crate::input::{HookContext, HookInput};

/// Runs stages in order. The hooks of one stage run at the same time and are merged in the order
/// given; a block ends the plan; later stages see the input as rewritten so far.
pub async fn run(
    stages: &[Vec<Arc<dyn Hook>>],
    mut input: HookInput,
    ctx: &HookContext,
) -> Result<Decision> {
    let mut all: Vec<Said> = Vec::new();
    let mut conflicts = Vec::new();
    for stage in stages {
        if ctx.cancellation_token.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let said = run_stage(stage, &input, ctx).await;
        if ctx.cancellation_token.is_cancelled() {
            return Err(Error::Cancelled);
        }
        conflicts.extend(merge::rewrite_conflict(&said));
        if let Some(rewritten) = said
            .iter()
            .rev()
            .find_map(|s| s.outcome.updated_input.as_ref())
        {
            input.rewrite(rewritten);
        }
        let blocked = said.iter().any(|s| s.outcome.verdict.blocks());
        all.extend(said);
        if blocked {
            break;
        }
    }
    Ok(Decision {
        conflicts,
        ..merge(all)
    })
}

async fn run_stage(stage: &[Arc<dyn Hook>], input: &HookInput, ctx: &HookContext) -> Vec<Said> {
    let mut running: Vec<Slot<'_>> = stage
        .iter()
        .map(|hook| Slot::Running(Box::pin(run_hook(hook.as_ref(), input.clone(), ctx))))
        .collect();
    std::future::poll_fn(|cx| {
        let mut pending = false;
        for slot in &mut running {
            if let Slot::Running(future) = slot {
                match future.as_mut().poll(cx) {
                    Poll::Ready(said) => *slot = Slot::Done(Box::new(said)),
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
    running.into_iter().filter_map(Slot::done).collect()
}

enum Slot<'a> {
    Running(Pin<Box<dyn Future<Output = Said> + Send + 'a>>),
    Done(Box<Said>),
}

impl Slot<'_> {
    fn done(self) -> Option<Said> {
        match self {
            Self::Done(said) => Some(*said),
            Self::Running(_) => None,
        }
    }
}

pub(crate) async fn run_hook(hook: &dyn Hook, input: HookInput, ctx: &HookContext) -> Said {
    let started = Instant::now();
    let kind = input.event_type();
    let guarded = AssertUnwindSafe(hook.run(input, ctx)).catch_unwind();
    let outcome = match in_time(hook, guarded, ctx).await {
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
    Said {
        hook: hook.name().to_owned(),
        outcome,
        took: started.elapsed(),
    }
}

/// Holds a hook to its deadline and to the caller's token. A hook that keeps its own deadline heeds
/// the token itself: it has a child to end first.
async fn in_time<T>(
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
    let said = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let message = said.map_or_else(|| "panicked".to_owned(), |said| format!("panicked: {said}"));
    Error::HookFailed {
        hook: hook.to_owned(),
        message,
    }
}

fn note_failure(hook: &str, event: &EventKind, outcome: &Outcome) {
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
