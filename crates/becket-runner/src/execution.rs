//! [`ExecutionContext`]: lets a tool fire hook events itself, for example to start subagents.

use std::sync::Arc;

use becket_model::EventKind;

use crate::error::Result;
use crate::hook::HookEvent;
use crate::input::{HookContext, HookInput};
use crate::manager::HookManager;
use crate::output::HookOutput;

/// The context of a tool: the caller's security settings and the hooks.
#[derive(Clone)]
pub struct ExecutionContext<S> {
    /// The agent's own security settings.
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

    /// Adds hooks for a session.
    #[must_use]
    pub fn hooks(self, manager: Arc<HookManager>, session_id: impl Into<String>) -> Self {
        self.hooks_in(manager, HookContext::new(session_id))
    }

    /// Adds hooks with the caller's context.
    #[must_use]
    pub fn hooks_in(mut self, manager: Arc<HookManager>, ctx: HookContext) -> Self {
        self.hooks = Some((manager, ctx));
        self
    }

    /// Fires a hook event. Without hooks, everything is allowed. The output is binding: if it blocks
    /// `SubagentStart`, the subagent must not start.
    pub async fn fire_hook(&self, event: HookEvent, input: HookInput) -> Result<HookOutput> {
        match &self.hooks {
            Some((manager, ctx)) => manager.execute(event, input, ctx).await,
            None => Ok(HookOutput::allow()),
        }
    }

    /// Whether any hook is registered for this event.
    pub fn has_hooks_for(&self, event: &EventKind) -> bool {
        self.hooks
            .as_ref()
            .is_some_and(|(manager, _)| manager.has_hooks_for(event))
    }
}
