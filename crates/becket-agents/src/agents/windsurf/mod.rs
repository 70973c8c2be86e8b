//! Windsurf: the hooks of its agent Cascade, payloads in, replies out.
//!
//! Cascade's own terms stay in `events` and `parse`; the rest of the crate uses [`becket_model`]. Nothing here
//! reads a file, the environment or the clock. Start at [`Windsurf`]; the table in `events` says what a hook may
//! do at which event. There is no reply protocol: exit code 2 denies, stderr is the reason, and nothing else.
//! Shapes checked against `fixtures/windsurf/` (2026-08).
//!
//! The agent that replaces Cascade in the same product has another protocol: [`crate::devin`].

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

const ID: &str = "windsurf";
const TITLE: &str = "Windsurf";

/// Windsurf's Cascade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Windsurf;

impl Adapter for Windsurf {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Windsurf Cascade"
    }

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if clues.payload.contains_key("agent_action_name") {
            Recognition::Payload
        } else {
            Recognition::No
        }
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        parse::parse(hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        render::render(event, decision)
    }

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn is_guarded(&self, event: &str) -> bool {
        matches!(
            event,
            "pre_read_code" | "pre_write_code" | "pre_run_command" | "pre_mcp_tool_use"
        ) || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Unsupported,
            allow: Support::Unsupported,
            rewrite: Support::Unsupported,
            block_prompt: Support::Full,
            context_at_start: Support::Unsupported,
            context_at_prompt: Support::Unsupported,
            context_after_tool: Support::Unsupported,
            keep_going: Support::Unsupported,
        }
    }
}
