//! Hooks that ask somebody else: an HTTP endpoint, a language model, another agent, an MCP server.
//!
//! [`make`] turns such a hook's specification into a [`Hook`] for the engine of `becket_runner`. Everything that
//! reaches the network lives here, so that the small program which agents start for every event links neither an
//! HTTP client nor TLS.
//!
//! Whom hooks may ask is the person's own decision ([`ThinkSettings`]); a project's hooks can only use what is
//! there. Keys are read when they are needed and appear in no error, log or `Debug` output. Each hook has one
//! deadline over everything it does, and a cancelled one returns at once.
//!
//! Start at [`make`]; [`model()`] is for those who only want to ask a model something.

mod agent;
mod ask;
mod deadline;
mod http;
mod inside;
mod mcp;
mod model;
mod secret;
mod settings;

use std::sync::Arc;

use becket_model::{Action, Dialect, EventKind, HookSpec};
use becket_runner::{Hook, PromptHook};

pub use becket_runner::process::Cancel;
pub use deadline::{Deadline, Stopped};
pub use http::{Names, Reach, SystemNames, reach};
pub use inside::BECKET_INSIDE;
pub use model::{Answer, Model, ModelError, Question, Tokens, Usage, key, model, usage};
pub use settings::{Env, ThinkSettings};

/// The hook of a specification of type `http`, `prompt`, `agent` or `mcp_tool`; `None` for other types.
///
/// A hook that lacks something to work with (no model is configured, an unknown MCP server) is made all the same
/// and fails when it runs, as its failure policy says.
pub fn make(spec: &HookSpec, settings: &ThinkSettings) -> Option<Arc<dyn Hook>> {
    match &spec.action {
        Action::Http { .. } => Some(Arc::new(http::HttpHook::new(spec, settings)?)),
        Action::McpTool { .. } => Some(Arc::new(mcp::McpHook::new(spec, settings)?)),
        Action::Prompt { .. } => prompting(spec, Arc::new(ask::Asked::new(spec, settings))),
        Action::Agent { .. } => prompting(spec, Arc::new(agent::AgentModel::new(spec, settings))),
        Action::Command { .. } | Action::Builtin { .. } => None,
    }
}

fn prompting(spec: &HookSpec, model: Arc<dyn becket_runner::PromptModel>) -> Option<Arc<dyn Hook>> {
    Some(Arc::new(PromptHook::from_spec(spec.clone(), model)?))
}

/// Whether Claude Code itself passes over such a hook on such an event.
fn is_passed_over(spec: &HookSpec, event: &EventKind) -> bool {
    spec.dialect == Dialect::Claude
        && matches!(spec.action, Action::Http { .. })
        && matches!(event, EventKind::SessionStart | EventKind::Setup)
}
