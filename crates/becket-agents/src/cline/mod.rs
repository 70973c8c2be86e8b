//! Cline: payloads in, replies out, for the command line and for VS Code.
//!
//! The two share the names of hook files and the reply format, and little else: the command line has other
//! event names, ignores the reply of most hooks, and accepts a rewritten input; VS Code reads replies at the
//! start of a task and at prompts, and sends every parameter as a string. Neither can deny one call without
//! ending the run. Cline's own terms stay in `wire`, `events` and `tools`; nothing here reads a file, the
//! environment or the clock. Start at [`Cline`]. Shapes checked against `fixtures/cline/` (command line
//! 3.0.65, VS Code 4.1.13, 2026-08).

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

const ID: &str = "cline";
const TITLE: &str = "Cline";

/// Cline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cline;

impl Adapter for Cline {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// The environment is no proof: the command line runs its hooks in a daemon with the environment of the
    /// process that started it first.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if clues.payload.contains_key("clineVersion") {
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

    fn checked_against(&self) -> Option<&'static str> {
        Some("3.0.65")
    }

    fn is_guarded(&self, event: &str) -> bool {
        event == "tool_call" || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Partial("ends the whole run"),
            ask: Support::Unsupported,
            allow: Support::Unsupported,
            rewrite: Support::Partial("on the command line, not in VS Code"),
            block_prompt: Support::Partial("in VS Code, not on the command line"),
            context_at_start: Support::Partial("in VS Code before 4.1, not on the command line"),
            context_at_prompt: Support::Partial("in VS Code before 4.1, not on the command line"),
            context_after_tool: Support::Full,
            keep_going: Support::Unsupported,
        }
    }
}
