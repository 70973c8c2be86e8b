//! Qwen Code: payloads in, replies out.
//!
//! A fork of Gemini CLI with Claude's event names, which behaves like neither. The table in `events` says what
//! is supported where; `kin` does the rest. Start at [`Qwen`]. Shapes checked against `fixtures/qwen/` (client
//! 0.24.4, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};
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

    /// Qwen also sets `CLAUDE_PROJECT_DIR` and `GEMINI_PROJECT_DIR`, so they are no proof.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if parse::is_qwen(clues.payload) {
            return Recognition::Payload;
        }
        // An agent that runs inside Qwen inherits the variable; Claude sends no timestamp, and Gemini no permission
        // mode.
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        KIN.render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.24.4")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial(
                "at the terminal; without one, and in the background, it becomes a denial",
            ),
            allow: Support::Partial("only where Qwen is about to ask"),
            rewrite: Support::Partial("only where Qwen is about to ask, with an allow"),
            block_prompt: Support::Full,
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Full,
        }
    }
}
