//! Gemini CLI: payloads in, replies out.
//!
//! Gemini's own terms stay in `wire` and `events`; the rest of the crate uses [`becket_model`]. Nothing here
//! reads a file, the environment or the clock. Start at [`Gemini`]; the table in `events` says what a hook may
//! do at which event. Shapes checked against `fixtures/gemini/` (client 0.61.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

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

    /// Most of Gemini's event names are unique. `SessionStart` and a few others are not, and Gemini's forks send
    /// the same keys, so there the environment decides; `timestamp` distinguishes the payload from that of an agent
    /// that runs inside Gemini.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.61.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial("only with a user at the terminal; a headless run ends there"),
            allow: Support::Unsupported,
            rewrite: Support::Full,
            block_prompt: Support::Full,
            context_at_start: Support::Partial("not after /clear"),
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Full,
        }
    }
}
