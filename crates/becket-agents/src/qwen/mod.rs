//! Qwen Code: its hook payloads in, its replies out.
//!
//! A fork of Gemini CLI that took over Claude's event names, and neither of the two. What it takes
//! where is the table in `events`; the rest is `kin`. Start at [`Qwen`]. Shapes are
//! checked against `fixtures/qwen/` (client 0.24.4, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};
use crate::kin::{Exit2, Kin, Suppress};

const ID: &str = "qwen";

const KIN: Kin = Kin {
    id: ID,
    title: "Qwen Code",
    rows: &events::EVENTS,
    tools: parse::TOOLS,
    own: parse::own,
    exception: events::exception,
    exit_2: Exit2::Stderr,
    suppress: Suppress::Taken,
};

/// Qwen Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Qwen;

impl Adapter for Qwen {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    /// `CLAUDE_PROJECT_DIR` and `GEMINI_PROJECT_DIR` are set here too, and prove nothing.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        if parse::is_qwen(clues.payload) {
            return Recognition::Payload;
        }
        // An agent that runs inside Qwen inherits the variable; Claude sends no timestamp, and
        // Gemini no permission mode.
        let shaped = ["hook_event_name", "timestamp", "permission_mode"]
            .iter()
            .all(|key| clues.payload.contains_key(*key));
        if shaped && (clues.has_env)("QWEN_CODE_SESSION_ID") {
            Recognition::Environment
        } else {
            Recognition::No
        }
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        KIN.parse(hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        KIN.render(event, decision)
    }

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        KIN.render_unread(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.24.4")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly(
                "at the terminal; without one, and in the background, it is a refusal",
            ),
            allow: Can::Partly("only where Qwen is about to ask"),
            rewrite: Can::Partly("only where Qwen is about to ask, with an allow"),
            block_prompt: Can::Yes,
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Yes,
        }
    }
}
