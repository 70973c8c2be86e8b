//! Gemini CLI: its hook payloads in, its replies out.
//!
//! Gemini's own words stay in `wire` and `events`; the rest of the crate speaks [`becket_model`].
//! Nothing here reads a file, the environment or the clock. Start at [`Gemini`]; what a hook may do
//! at which event is the table in `events`. Shapes are checked against `fixtures/gemini/`
//! (client 0.61.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "gemini";
const TITLE: &str = "Gemini CLI";

/// Gemini CLI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gemini;

impl Adapter for Gemini {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// Most of Gemini's event names are its alone. `SessionStart` and a few others are not, and its
    /// descendants send the same keys, so there the environment decides; `timestamp` tells the
    /// payload from that of an agent that was started inside Gemini.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let text = |key| clues.payload.get(key).and_then(Value::as_str);
        match text("hook_event_name") {
            Some(name) if events::is_geminis_alone(name) => Recognition::Payload,
            Some(_) if text("timestamp").is_some() && (clues.has_env)("GEMINI_SESSION_ID") => {
                Recognition::Environment
            }
            _ => Recognition::No,
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
        Some("0.61.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly("only with a person at the terminal; a headless run ends there"),
            allow: Can::No,
            rewrite: Can::Yes,
            block_prompt: Can::Yes,
            context_at_start: Can::Partly("not after /clear"),
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Yes,
        }
    }
}
