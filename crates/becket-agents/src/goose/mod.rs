//! Goose: payloads in, replies out.
//!
//! Goose applies replies before a tool and at stop, and only one value: block. There is no context, no rewrite
//! and no ask. Events that fire together with a tool event for the same call are recorded under their own
//! names. Goose's own terms stay in `wire`, `events` and `tools`; nothing here reads a file, the environment or
//! the clock. Start at [`Goose`]. Shapes checked against `fixtures/goose/` (client 1.52.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

const ID: &str = "goose";
const TITLE: &str = "Goose";

/// Goose, by the Agentic AI Foundation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Goose;

impl Adapter for Goose {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// Goose sets no variable, but every payload has `matcher_context`, sometimes null, and no other agent's has.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let has = |key| clues.payload.contains_key(key);
        if has("event") && has("matcher_context") && !has("hook_event_name") {
            Recognition::Payload
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

    /// `AfterFileEdit`, which does not fire for deleted files.
    fn reports_file_changes(&self, tool: &str) -> bool {
        tool != "Delete"
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("1.52.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Partial("not for calls of a subagent"),
            ask: Support::Unsupported,
            allow: Support::Unsupported,
            rewrite: Support::Unsupported,
            block_prompt: Support::Unsupported,
            context_at_start: Support::Unsupported,
            context_at_prompt: Support::Unsupported,
            context_after_tool: Support::Unsupported,
            keep_going: Support::Full,
        }
    }
}
