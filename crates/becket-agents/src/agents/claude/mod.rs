//! Claude Code: payloads in, replies out, settings file.
//!
//! Claude's own terms stay in `wire` and `events`; the rest of the crate uses [`becket_model`]. Nothing here
//! reads a file, the environment or the clock. Start at [`Claude`]; the table in `events` says what a hook may
//! do at which event. Shapes checked against `fixtures/claude/` (client 2.1.325, 2026-08).

mod events;
pub mod install;
mod parse;
mod render;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

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

    /// `CLAUDE_PROJECT_DIR` is no proof: four other agents set it. No key of the payload is unique to Claude, so
    /// agents that recognise their own payload take precedence.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("2.1.325")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Full,
            allow: Support::Full,
            rewrite: Support::Full,
            block_prompt: Support::Full,
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Full,
        }
    }
}
