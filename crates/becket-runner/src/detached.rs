//! Detached (`async`) hooks of an embedding program: one thread each, up to a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::run_hook;
use crate::hook::Hook;
use crate::input::{HookContext, HookInput};

const AT_MOST: usize = 64;
static RUNNING: AtomicUsize = AtomicUsize::new(0);

struct Permit;

impl Permit {
    fn take() -> Option<Self> {
        RUNNING
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| {
                (n < AT_MOST).then_some(n + 1)
            })
            .is_ok()
            .then_some(Self)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Starts a hook and returns. Its outcome is only logged.
pub(crate) fn start(hook: Arc<dyn Hook>, input: HookInput, ctx: HookContext) {
    let Some(permit) = Permit::take() else {
        tracing::warn!(
            hook = hook.name(),
            "not started: {AT_MOST} async hooks are already running"
        );
        return;
    };
    let spawned = std::thread::Builder::new()
        .name("becket-async-hook".into())
        .spawn(move || {
            let _permit = permit;
            futures_lite::future::block_on(run_hook(hook.as_ref(), input, &ctx));
        });
    if let Err(error) = spawned {
        tracing::warn!("failed to start an async hook: {error}");
    }
}
