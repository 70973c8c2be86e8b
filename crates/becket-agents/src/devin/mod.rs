//! Devin Local, the agent of Devin Desktop and of the `devin` command line: payloads in, replies out.
//!
//! It succeeds Windsurf's Cascade in the same product, but shares no event name, no key and no reply with
//! it, is configured in other files and is told apart by another mark; so it is an agent of its own. Its
//! payloads are Claude Code's with a few differences, and are read as such. Nothing here reads a file, the
//! environment or the clock. Start at [`Devin`]; what a hook may do at which event is the table in
//! `events`. Shapes are checked against `fixtures/devin/` (2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "devin";
const TITLE: &str = "Devin";

/// Devin Local.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Devin;

impl Adapter for Devin {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Devin Local"
    }

    /// No key of the payload is Devin's alone.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let devins =
            clues.payload.contains_key("hook_event_name") && (clues.has_env)("DEVIN_PROJECT_DIR");
        if devins {
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

    fn reports_twice(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly(
                "at PermissionRequest, where silence lets it ask; elsewhere it is refused",
            ),
            allow: Can::Yes,
            rewrite: Can::No,
            block_prompt: Can::Yes,
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::No,
            keep_going: Can::Yes,
        }
    }
}
