//! Builds runnable hooks from their specifications.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookOutcome, HookSpec};
use becket_runner::{CommandHook, Hook, HookContext, HookEvent, HookInput, HookOutput, Result};

use crate::env::Home;
use crate::guard::{GuardHook, is_guard};

/// The site of a hook run: the user, the agent, the project.
#[derive(Debug, Clone, Copy)]
pub struct HookSite<'a> {
    /// The user's directories.
    pub home: &'a Home,
    /// The agent that fired the event.
    pub agent: &'a str,
    /// The project's root.
    pub root: &'a Path,
    /// The session's working directory, as the agent reports it.
    pub cwd: Option<&'a str>,
    /// All hooks that run for the event. A project's hooks among them are trusted.
    pub hooks: &'a [&'a HookSpec],
}

/// Builds some kinds of hooks. Kinds that need a network or a language model have factories of their own, which only the
/// full binary links.
pub trait HookFactory {
    /// Whether this factory can build the hook.
    fn can_build(&self, hook: &HookSpec) -> bool;

    /// Builds a hook. Call it only if [`can_build`](Self::can_build) says so.
    fn build(&self, hook: HookSpec, site: &HookSite<'_>) -> Arc<dyn Hook>;
}

/// Builds command hooks and the guard: the most common kinds, with the fastest start-up.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoreHooks;

impl HookFactory for CoreHooks {
    fn can_build(&self, hook: &HookSpec) -> bool {
        matches!(hook.action, Action::Command { .. }) || is_guard(hook)
    }

    fn build(&self, hook: HookSpec, site: &HookSite<'_>) -> Arc<dyn Hook> {
        if is_guard(&hook) {
            return Arc::new(GuardHook::new(hook, site));
        }
        Arc::new(CommandHook::from_spec(hook))
    }
}

/// Runs its hook only if the claim succeeds when the hook is about to start.
pub(crate) struct OnceHook<C> {
    pub(crate) hook: Arc<dyn Hook>,
    pub(crate) claim: C,
}

#[async_trait]
impl<C: Fn() -> bool + Send + Sync> Hook for OnceHook<C> {
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

    async fn run(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        if (self.claim)() {
            self.hook.run(input, ctx).await
        } else {
            HookOutcome::none()
        }
    }
}
