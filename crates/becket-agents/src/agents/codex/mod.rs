//! OpenAI Codex CLI: hook payloads and `notify` payloads in, replies out.
//!
//! Codex uses Claude's protocol but rejects a whole reply, including a denial, for one key or value that the
//! event does not support. The table in `events` says what is supported where; `kin` does the rest. Start at
//! [`Codex`] and [`notify()`]. Shapes checked against `fixtures/codex/` (client 0.166.0, 2026-08).

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

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};
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

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if parse::is_codex(clues.payload) || notify::is_notification(clues.payload) {
            return Recognition::Payload;
        }
        // Codex sets no variable for hooks; this one is from its launcher, and other agents inherit it. They send a
        // transcript or no such key, never null.
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        KIN.render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.166.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial(
                "only where Codex is about to ask anyway; before a tool it becomes a denial",
            ),
            allow: Support::Partial("only where Codex is about to ask"),
            rewrite: Support::Partial("for shell commands and patches, only the `command`"),
            block_prompt: Support::Full,
            context_at_start: Support::Partial("with the first prompt, not earlier"),
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Full,
        }
    }
}
