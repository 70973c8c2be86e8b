//! Windsurf: the hooks of its agent Cascade, payloads in, replies out.
//!
//! Cascade's own words stay in `events` and `parse`; the rest of the crate speaks [`becket_model`]. Nothing
//! here reads a file, the environment or the clock. Start at [`Windsurf`]; what a hook may do at which event
//! is the table in `events`. There is no reply protocol: exit code 2 refuses, stderr says why, and that is
//! all. Shapes are checked against `fixtures/windsurf/` (2026-08).
//!
//! The agent that replaces Cascade in the same product speaks another protocol: [`crate::devin`].

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

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

    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    fn is_guarded(&self, event: &str) -> bool {
        matches!(
            event,
            "pre_read_code" | "pre_write_code" | "pre_run_command" | "pre_mcp_tool_use"
        ) || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::No,
            allow: Can::No,
            rewrite: Can::No,
            block_prompt: Can::Yes,
            context_at_start: Can::No,
            context_at_prompt: Can::No,
            context_after_tool: Can::No,
            keep_going: Can::No,
        }
    }
}
