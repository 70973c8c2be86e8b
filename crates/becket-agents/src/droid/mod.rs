//! Factory Droid: its hook payloads in, its replies out.
//!
//! Droid speaks Claude's protocol and leaves parts of it unread that it documents: `ask`, and
//! `decision: block` anywhere but at `Stop`. What it takes where is the table in `events`; the rest
//! is `kin`. Start at [`Droid`]. Shapes are written down in `fixtures/droid/` (client
//! 0.225.2, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};
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

    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        if !clues.payload.contains_key("hook_event_name") {
            return Recognition::No;
        }
        match clues.payload.get("permission_mode").and_then(Value::as_str) {
            Some(mode) if parse::MODES.contains(&mode) => Recognition::Payload,
            None if (clues.has_env)("FACTORY_PROJECT_DIR") => Recognition::Environment,
            // With another agent's mode it is that agent, which runs inside Droid.
            _ => Recognition::No,
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
        Some("0.225.2")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::No,
            allow: Can::Yes,
            rewrite: Can::Partly("keys are replaced or added, not taken away"),
            block_prompt: Can::Yes,
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Partly("not for subagents"),
        }
    }
}
