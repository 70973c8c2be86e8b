//! Claude Code: its hook payloads in, its replies out, its settings file.
//!
//! Claude's own words stay in `wire` and `events`; the rest of the crate speaks [`becket_model`].
//! Nothing here reads a file, the environment or the clock. Start at [`Claude`]; what a hook may do
//! at which event is the table in `events`. Shapes are checked against `fixtures/claude/`
//! (client 2.1.325, 2026-08).

mod events;
pub mod install;
mod parse;
mod render;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "claude";

/// Claude Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claude;

impl Adapter for Claude {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    /// `CLAUDE_PROJECT_DIR` proves nothing: four other agents set it. No key of the payload is
    /// Claude's alone, so an agent that knows its own payload comes before.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let claudes =
            clues.payload.contains_key("hook_event_name") && (clues.has_env)("CLAUDECODE");
        if claudes {
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
        Some("2.1.325")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Yes,
            allow: Can::Yes,
            rewrite: Can::Yes,
            block_prompt: Can::Yes,
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Yes,
        }
    }
}
