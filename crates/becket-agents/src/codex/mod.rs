//! OpenAI Codex CLI: its hook payloads and its `notify` program in, its replies out.
//!
//! Codex speaks Claude's protocol and rejects a whole reply, the refusal in it included, for one key
//! or value that it does not take at that event. What it takes where is the table in `events`; the
//! rest is `kin`. Start at [`Codex`] and [`notify()`]. Shapes are checked against
//! `fixtures/codex/` (client 0.166.0, 2026-08).

mod events;
mod notify;
mod parse;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

pub use notify::notify;

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};
use crate::kin::{Exit2, Kin, Suppress};

const ID: &str = "codex";

const KIN: Kin = Kin {
    id: ID,
    title: "Codex",
    rows: &events::EVENTS,
    tools: parse::TOOLS,
    own: parse::own,
    exception: |_| None,
    exit_2: Exit2::Stderr,
    suppress: Suppress::Never,
};

/// Codex CLI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Codex;

impl Adapter for Codex {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        if parse::is_codex(clues.payload) || notify::is_notification(clues.payload) {
            return Recognition::Payload;
        }
        // Codex sets no variable for hooks; this one is its launcher's, and other agents inherit
        // it. They send a transcript or no such key, never null.
        let launched = (clues.has_env)("CODEX_MANAGED_BY_NPM");
        let unsaved = clues.payload.get("transcript_path") == Some(&Value::Null);
        let named = clues.payload.contains_key("hook_event_name");
        if launched && unsaved && named {
            Recognition::Environment
        } else {
            Recognition::No
        }
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        if notify::is_notification(&payload) {
            return notify::parse(payload);
        }
        KIN.parse(hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        KIN.render(event, decision)
    }

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        KIN.render_unread(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.166.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly(
                "only where Codex is about to ask by itself; before a tool it is a refusal",
            ),
            allow: Can::Partly("only where Codex is about to ask"),
            rewrite: Can::Partly("of shell commands and patches, only the `command`"),
            block_prompt: Can::Yes,
            context_at_start: Can::Partly("with the first prompt, not before"),
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Yes,
        }
    }
}
