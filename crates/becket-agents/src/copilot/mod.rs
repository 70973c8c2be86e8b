//! GitHub Copilot: its hook payloads in, its replies out.
//!
//! One event has two names, and the case of the name in the settings chooses the payload:
//! `preToolUse` gets Copilot's own shape, `PreToolUse` one like Claude Code's. VS Code's local agent
//! reads the same files, sends the second shape and understands other replies, so a reply to that
//! shape says everything in both ways. Copilot's own words stay in `wire` and `events`. Start at
//! [`Copilot`]; what a hook may do at which event is the table in `events`. Shapes are checked
//! against `fixtures/copilot/` (client 1.0.102, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "copilot";
const TITLE: &str = "Copilot";

/// GitHub Copilot: the command line client, the cloud agent, and VS Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copilot;

/// Which of the two shapes a payload has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Copilot's own: `sessionId`, `toolName`; mostly without the event's name.
    Own,
    /// Like Claude Code's: `hook_event_name`, `session_id`, `tool_name`.
    ClaudeLike,
}

impl Shape {
    /// `PermissionRequest`, `Notification` and `SubagentStart` come in Copilot's own shape under
    /// either name.
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

    /// Nobody else writes the time as a number beside `sessionId`. The other shape is like those of
    /// several agents; there `timestamp` and the environment together speak for Copilot.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let time = clues.payload.get("timestamp");
        match Shape::of(clues.payload) {
            Shape::Own if time.is_some_and(Value::is_number) => Recognition::Payload,
            Shape::ClaudeLike if time.is_some() && (clues.has_env)("COPILOT_CLI") => {
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

    fn reports_twice(&self) -> bool {
        true
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("1.0.102")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly("a headless run refuses instead"),
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
