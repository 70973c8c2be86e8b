//! [`ExecutionContext`]: lets a tool fire hooks from within, as a tool that starts subagents must.

use std::sync::Arc;

use becket_model::EventKind;

use crate::error::Result;
use crate::hook::HookEvent;
use crate::input::{HookContext, HookInput};
use crate::manager::HookManager;
use crate::output::HookOutput;

/// What a tool runs in: the caller's security settings, and the hooks.
#[derive(Clone)]
pub struct ExecutionContext<S> {
    /// Whatever the agent guards its tools with.
    pub security: S,
    hooks: Option<(Arc<HookManager>, HookContext)>,
}

impl<S> ExecutionContext<S> {
    /// A context without hooks.
    pub fn new(security: S) -> Self {
        Self {
            security,
            hooks: None,
        }
    }

    /// The same with hooks for a session.
    #[must_use]
    pub fn hooks(self, manager: Arc<HookManager>, session_id: impl Into<String>) -> Self {
        self.hooks_in(manager, HookContext::new(session_id))
    }

    /// The same with hooks in a context of the caller's.
    #[must_use]
    pub fn hooks_in(mut self, manager: Arc<HookManager>, ctx: HookContext) -> Self {
        self.hooks = Some((manager, ctx));
        self
    }

    /// Fires a hook event. Without hooks everything is allowed. The answer counts: a blocked
    /// `SubagentStart` means that the subagent must not start.
    pub async fn fire_hook(&self, event: HookEvent, input: HookInput) -> Result<HookOutput> {
        match &self.hooks {
            Some((manager, ctx)) => manager.execute(event, input, ctx).await,
            None => Ok(HookOutput::allow()),
        }
    }

    /// Whether any hook could hear this event.
    pub fn has_hooks_for(&self, event: &EventKind) -> bool {
        self.hooks
            .as_ref()
            .is_some_and(|(manager, _)| manager.hears(event))
    }
}
