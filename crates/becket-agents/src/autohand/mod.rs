//! Autohand Code: its hook payloads in, its replies out.
//!
//! Autohand's own words stay in `wire`, `events` and `tools`; the rest of the crate speaks
//! [`becket_model`]. Nothing here reads a file, the environment or the clock. Start at [`Autohand`]; what a
//! hook may do at which event is the table in `events`. Shapes are checked against `fixtures/autohand/`
//! (command line 0.8.2, 2026-08). The contract of hooks that were written for Autohand, whichever agent
//! fires them, is [`crate::contract`] and another matter.

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

const ID: &str = "autohand";
const TITLE: &str = "Autohand";

/// Autohand Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Autohand;

impl Adapter for Autohand {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Autohand Code"
    }

    /// Nobody else writes event names like `pre-tool`. Names of one word, such as `stop`, are others'
    /// too, and need the variables that Autohand sets.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let Some(name) = clues.payload.get("hook_event_name").and_then(Value::as_str) else {
            return Recognition::No;
        };
        if name.contains(['-', ':']) && events::exact(name).is_some() {
            Recognition::Payload
        } else if (clues.has_env)("HOOK_EVENT") && (clues.has_env)("HOOK_WORKSPACE") {
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

    /// `file-modified`.
    fn tells_of_changes(&self, _tool: &str) -> bool {
        true
    }

    /// Elsewhere `additionalContext` is ignored.
    fn hears_before_tools(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Yes,
            allow: Can::Yes,
            rewrite: Can::Partly("keys can be changed, not taken away"),
            block_prompt: Can::No,
            context_at_start: Can::No,
            context_at_prompt: Can::No,
            context_after_tool: Can::Partly("said before the tool, as a note"),
            keep_going: Can::No,
        }
    }
}
