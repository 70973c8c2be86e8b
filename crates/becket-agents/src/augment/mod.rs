//! Auggie, Augment's command line: payloads in, replies out.
//!
//! Auggie adopted Claude Code's reply and applies a part of it: a denial and a rewrite before a tool, context
//! after one. Becket also sends what is documented but dropped by the tested client, and reports it as lost.
//! Auggie's own terms stay in `wire`, `events` and `tools`; nothing here reads a file, the environment or the
//! clock. Start at [`Augment`]. Shapes checked against `fixtures/augment/` (client 0.36.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

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

    /// Cursor sends the same envelope, together with its version. Child processes of Auggie inherit the variable,
    /// so it counts only for a payload of that shape.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.36.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Unsupported,
            allow: Support::Unsupported,
            rewrite: Support::Full,
            block_prompt: Support::Unsupported,
            context_at_start: Support::Partial("documented, but client 0.36.0 drops it"),
            context_at_prompt: Support::Unsupported,
            context_after_tool: Support::Full,
            keep_going: Support::Partial("documented, but client 0.36.0 drops it"),
        }
    }
}
