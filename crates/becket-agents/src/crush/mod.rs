//! Crush: its one hook event in, its replies out.
//!
//! Crush asks before a tool runs and at no other time, so nothing can be said at a session's start,
//! with a prompt, after a tool or at rest. Crush's own words stay in `wire`, `events` and `tools`;
//! nothing here reads a file, the environment or the clock. Start at [`Crush`]. Shapes are checked
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

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

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

    /// The variable alone proves nothing, because whatever Crush starts inherits it. Goose names its
    /// events under the same key, and always sends `matcher_context` beside it.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    /// It fires nothing else.
    fn hears_before_tools(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Partly("not for the calls of a subagent"),
            ask: Can::No,
            allow: Can::Yes,
            rewrite: Can::Partly("keys are replaced and added, never removed"),
            block_prompt: Can::No,
            context_at_start: Can::No,
            context_at_prompt: Can::No,
            context_after_tool: Can::Partly("said before the tool, added to its result"),
            keep_going: Can::No,
        }
    }
}
