//! Auggie, the command line of Augment: its hook payloads in, its replies out.
//!
//! Auggie took Claude Code's reply and hears a part of it: a refusal and a rewrite before a tool,
//! text after one. What is documented but dropped by the client that was read is said nevertheless,
//! and reported as lost. Auggie's own words stay in `wire`, `events` and `tools`; nothing here reads
//! a file, the environment or the clock. Start at [`Augment`]. Shapes are checked against
//! `fixtures/augment/` (client 0.36.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "augment";
const TITLE: &str = "Auggie";

/// Auggie, by Augment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Augment;

impl Adapter for Augment {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// Cursor sends the same envelope, and its version with it. The variable is inherited by
    /// whatever Auggie starts, so it counts for a payload of that shape only.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let has = |key| clues.payload.contains_key(key);
        let envelope = has("hook_event_name") && has("conversation_id") && has("workspace_roots");
        if !envelope || has("cursor_version") {
            Recognition::No
        } else if has("is_mcp_tool") || has("agent_stop_cause") {
            Recognition::Payload
        } else if (clues.has_env)("AUGMENT_HOOK_EVENT") {
            Recognition::Environment
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

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.36.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::No,
            allow: Can::No,
            rewrite: Can::Yes,
            block_prompt: Can::No,
            context_at_start: Can::Partly("documented, but client 0.36.0 drops it"),
            context_at_prompt: Can::No,
            context_after_tool: Can::Yes,
            keep_going: Can::Partly("documented, but client 0.36.0 drops it"),
        }
    }
}
