//! Crush: its one hook event in, replies out.
//!
//! Crush fires an event before a tool runs and at no other time, so Becket cannot inject context at the start
//! of a session, with a prompt, after a tool or at stop. Crush's own terms stay in `wire`, `events` and
//! `tools`; nothing here reads a file, the environment or the clock. Start at [`Crush`]. Shapes checked
//! against `fixtures/crush/` (source 37f36e9, 2026-08).

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

const ID: &str = "crush";
const TITLE: &str = "Crush";

/// Crush, by Charm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Crush;

impl Adapter for Crush {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// The variable alone is no proof, because child processes of Crush inherit it. Goose names its events under
    /// the same key, and always sends `matcher_context` with it.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let has = |key| clues.payload.contains_key(key);
        let shape = has("event") && !has("hook_event_name") && !has("matcher_context");
        if shape && (clues.has_env)("CRUSH") {
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

    /// Crush fires no other event.
    fn injects_before_tools(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Partial("not for calls of a subagent"),
            ask: Support::Unsupported,
            allow: Support::Full,
            rewrite: Support::Partial("can replace and add keys, but not remove them"),
            block_prompt: Support::Unsupported,
            context_at_start: Support::Unsupported,
            context_at_prompt: Support::Unsupported,
            context_after_tool: Support::Partial("sent before the tool, added to its result"),
            keep_going: Support::Unsupported,
        }
    }
}
