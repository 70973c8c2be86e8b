//! Factory Droid: payloads in, replies out.
//!
//! Droid uses Claude's protocol but ignores parts of it that it documents: `ask`, and `decision: block`
//! anywhere but at `Stop`. The table in `events` says what is supported where; `kin` does the rest. Start at
//! [`Droid`]. Shapes are documented in `fixtures/droid/` (client 0.225.2, 2026-08).

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

const ID: &str = "droid";

const KIN: Kin = Kin {
    id: ID,
    title: "Droid",
    rows: &events::EVENTS,
    tools: parse::TOOLS,
    own: parse::own,
    exception: |_| None,
    exit_2: Exit2::StdoutToo,
    suppress: Suppress::Taken,
};

/// Factory Droid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Droid;

impl Adapter for Droid {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Factory Droid"
    }

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if !clues.payload.contains_key("hook_event_name") {
            return Recognition::No;
        }
        match clues.payload.get("permission_mode").and_then(Value::as_str) {
            Some(mode) if parse::MODES.contains(&mode) => Recognition::Payload,
            None if (clues.has_env)("FACTORY_PROJECT_DIR") => Recognition::Environment,
            // Another agent's mode means that the other agent runs inside Droid.
            _ => Recognition::No,
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
        Some("0.225.2")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Unsupported,
            allow: Support::Full,
            rewrite: Support::Partial("can replace and add keys, but not remove them"),
            block_prompt: Support::Full,
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Partial("not for subagents"),
        }
    }
}
