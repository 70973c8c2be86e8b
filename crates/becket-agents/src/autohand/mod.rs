//! Autohand Code: payloads in, replies out.
//!
//! Autohand's own terms stay in `wire`, `events` and `tools`; the rest of the crate uses [`becket_model`].
//! Nothing here reads a file, the environment or the clock. Start at [`Autohand`]; the table in `events` says
//! what a hook may do at which event. Shapes checked against `fixtures/autohand/` (command line 0.8.2,
//! 2026-08). The contract of hooks written for Autohand, whichever agent fires them, is [`crate::contract`].

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

    /// No other agent has event names like `pre-tool`. Other agents share one-word names such as `stop`; those
    /// need the variables that Autohand sets.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    /// `file-modified`.
    fn reports_file_changes(&self, _tool: &str) -> bool {
        true
    }

    /// Autohand ignores `additionalContext` at other events.
    fn injects_before_tools(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Full,
            allow: Support::Full,
            rewrite: Support::Partial("can change keys, but not remove them"),
            block_prompt: Support::Unsupported,
            context_at_start: Support::Unsupported,
            context_at_prompt: Support::Unsupported,
            context_after_tool: Support::Partial("sent before the tool, as a note"),
            keep_going: Support::Unsupported,
        }
    }
}
