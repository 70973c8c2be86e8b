//! GitHub Copilot: payloads in, replies out.
//!
//! One event has two names, and the case of the name in the settings selects the payload: `preToolUse` gets
//! Copilot's own shape, `PreToolUse` one like Claude Code's. VS Code's local agent reads the same files, sends
//! the second shape and understands other replies, so a reply to that shape contains both formats. Copilot's
//! own terms stay in `wire` and `events`. Start at [`Copilot`]; the table in `events` says what a hook may do
//! at which event. Shapes checked against `fixtures/copilot/` (client 1.0.102, 2026-08).

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

const ID: &str = "copilot";
const TITLE: &str = "Copilot";

/// GitHub Copilot: the command line client, the cloud agent, and VS Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copilot;

/// The two payload shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopilotShape {
    /// Copilot's own: `sessionId`, `toolName`; mostly without the event's name.
    Own,
    /// Like Claude Code's: `hook_event_name`, `session_id`, `tool_name`.
    ClaudeLike,
}

impl CopilotShape {
    /// `PermissionRequest`, `Notification` and `SubagentStart` have Copilot's own shape under either name.
    fn of(payload: &Map<String, Value>) -> Self {
        if payload.contains_key("sessionId") {
            Self::Own
        } else {
            Self::ClaudeLike
        }
    }
}

impl Adapter for Copilot {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// No other agent writes the time as a number next to `sessionId`. Several agents use the other shape; there
    /// `timestamp` together with the environment identifies Copilot.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let time = clues.payload.get("timestamp");
        match CopilotShape::of(clues.payload) {
            CopilotShape::Own if time.is_some_and(Value::is_number) => Recognition::Payload,
            CopilotShape::ClaudeLike if time.is_some() && (clues.has_env)("COPILOT_CLI") => {
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

    fn may_report_twice(&self) -> bool {
        true
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("1.0.102")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial("a headless run denies instead"),
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
