//! Hooks that call a server, a language model, another agent or an MCP server.
//!
//! [`make`] turns the specification of such a hook into a [`Hook`] for the engine of `becket_runner`. All network code
//! of hooks lives here, so that the small client, which agents start for every event, links neither an HTTP client nor
//! TLS.
//!
//! The user's own configuration decides what hooks may call ([`ThinkSettings`]); hooks of a project can only use what it
//! lists. Requests of hooks are checked against SSRF and DNS rebinding. Keys are read when they are needed and appear in
//! no error, log or `Debug` output. Each hook has one deadline for all of its work, and a cancelled hook returns at once.
//!
//! This crate does not know which hooks an event selects or how an agent is answered.
//!
//! Start at [`make`]. Use [`configured_model`] to send a single request to the configured language model.

mod agent;
mod deadline;
mod http;
mod mcp;
mod model;
mod prompt_model;
mod recursion_guard;
mod secret;
mod settings;

use std::sync::Arc;

use becket_model::{Action, Dialect, EventKind, HookSpec};
use becket_runner::{Hook, PromptHook};

pub use becket_runner::process::Cancel;
pub use deadline::{Deadline, DeadlineError};
pub use http::{AddressClass, HostResolver, SystemResolver, classify_address};
pub use model::{
    DailyUsage, LanguageModel, ModelError, ModelRequest, ModelResponse, TokenUsage,
    configured_model, daily_usage, read_api_key,
};
pub use recursion_guard::BECKET_INSIDE;
pub use settings::{EnvLookup, ThinkSettings};

/// Builds the hook of a specification of type `http`, `prompt`, `agent` or `mcp_tool`; `None` for other types.
///
/// A hook with missing settings (no language model, unknown MCP server) is built as well. It fails when it runs, and its
/// failure policy decides what that means.
pub fn make(spec: &HookSpec, settings: &ThinkSettings) -> Option<Arc<dyn Hook>> {
    match &spec.action {
        Action::Http { .. } => Some(Arc::new(http::HttpHook::new(spec, settings)?)),
        Action::McpTool { .. } => Some(Arc::new(mcp::McpHook::new(spec, settings)?)),
        Action::Prompt { .. } => prompt_hook(
            spec,
            Arc::new(prompt_model::LlmPromptModel::new(spec, settings)),
        ),
        Action::Agent { .. } => {
            prompt_hook(spec, Arc::new(agent::AgentPromptModel::new(spec, settings)))
        }
        Action::Command { .. } | Action::Builtin { .. } => None,
    }
}

fn prompt_hook(
    spec: &HookSpec,
    model: Arc<dyn becket_runner::PromptModel>,
) -> Option<Arc<dyn Hook>> {
    Some(Arc::new(PromptHook::from_spec(spec.clone(), model)?))
}

/// Whether Claude Code itself skips this type of hook on this event.
fn is_skipped_by_claude(spec: &HookSpec, event: &EventKind) -> bool {
    spec.dialect == Dialect::Claude
        && matches!(spec.action, Action::Http { .. })
        && matches!(event, EventKind::SessionStart | EventKind::Setup)
}
