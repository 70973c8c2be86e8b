//! From a hook as configured to one that runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookSpec, Outcome};
use becket_runner::{CommandHook, Hook, HookContext, HookEvent, HookInput, HookOutput, Result};

use crate::env::Home;
use crate::guard::{GuardHook, is_guard};

/// Where a hook is about to run.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The person's directories.
    pub home: &'a Home,
    /// The agent that fired the event.
    pub agent: &'a str,
    /// The project's root.
    pub root: &'a Path,
    /// The directory of the session, as the agent says.
    pub cwd: Option<&'a str>,
    /// All hooks that run for the event; a project's are trusted.
    pub beside: &'a [&'a HookSpec],
}

/// Knows how to run some kinds of hooks. What needs a network or a model is left to makers that
/// are linked only where start-up cost does not matter.
pub trait Maker {
    /// Whether it can make this hook run.
    fn knows(&self, hook: &HookSpec) -> bool;

    /// The hook, ready to run; asked only for hooks that it knows.
    fn make(&self, hook: HookSpec, around: &Around<'_>) -> Arc<dyn Hook>;
}

/// Runs commands and the guard: what most people have, and what starts quickest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Essentials;

impl Maker for Essentials {
    fn knows(&self, hook: &HookSpec) -> bool {
        matches!(hook.action, Action::Command { .. }) || is_guard(hook)
    }

    fn make(&self, hook: HookSpec, around: &Around<'_>) -> Arc<dyn Hook> {
        if is_guard(&hook) {
            return Arc::new(GuardHook::new(hook, around));
        }
        Arc::new(CommandHook::from_spec(hook))
    }
}

/// A hook that may run only if its claim says so, asked when it is about to start.
pub(crate) struct Claimed<C> {
    pub(crate) hook: Arc<dyn Hook>,
    pub(crate) claim: C,
}

#[async_trait]
impl<C: Fn() -> bool + Send + Sync> Hook for Claimed<C> {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn events(&self) -> &[HookEvent] {
        self.hook.events()
    }

    fn spec(&self) -> Option<&HookSpec> {
        self.hook.spec()
    }

    fn deadline(&self) -> Option<Duration> {
        self.hook.deadline()
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        self.hook.execute(input, ctx).await
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        if (self.claim)() {
            self.hook.run(input, ctx).await
        } else {
            Outcome::none()
        }
    }
}
