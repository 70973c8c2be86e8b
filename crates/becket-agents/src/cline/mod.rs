//! Cline: its hook payloads in, its replies out, for the command line and for VS Code.
//!
//! The two share the names of hook files and the shape of a reply, and little else: the command line
//! calls its events by other names, starts most hooks without listening, and takes a rewritten input;
//! VS Code listens at a task's start and to prompts, and sends every parameter as a string. Neither
//! can refuse one call without ending the run. Cline's own words stay in `wire`, `events` and
//! `tools`; nothing here reads a file, the environment or the clock. Start at [`Cline`]. Shapes are
//! checked against `fixtures/cline/` (command line 3.0.65, VS Code 4.1.13, 2026-08).

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

    /// The environment proves nothing: the command line runs its hooks in a daemon that has the
    /// environment of whoever started it first.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("3.0.65")
    }

    fn is_guarded(&self, event: &str) -> bool {
        event == "tool_call" || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Partly("the whole run ends with the call"),
            ask: Can::No,
            allow: Can::No,
            rewrite: Can::Partly("on the command line, not in VS Code"),
            block_prompt: Can::Partly("in VS Code, not on the command line"),
            context_at_start: Can::Partly("in VS Code before 4.1, not on the command line"),
            context_at_prompt: Can::Partly("in VS Code before 4.1, not on the command line"),
            context_after_tool: Can::Yes,
            keep_going: Can::No,
        }
    }
}
