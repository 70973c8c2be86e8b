//! Goose: its hook payloads in, its replies out.
//!
//! Goose hears a hook before a tool and at rest, and one word of it: block. There is no context, no
//! rewrite and no question. The events that fire beside a tool event for the same call are recorded
//! under their own names. Goose's own words stay in `wire`, `events` and `tools`; nothing here reads
//! a file, the environment or the clock. Start at [`Goose`]. Shapes are checked against
//! `fixtures/goose/` (client 1.52.0, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

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

    /// Goose sets no variable of its own, but every payload has `matcher_context`, if only as null,
    /// and no other agent's has.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    /// `AfterFileEdit`, which is not for files that are deleted.
    fn tells_of_changes(&self, tool: &str) -> bool {
        tool != "Delete"
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("1.52.0")
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Partly("not for the calls of a subagent"),
            ask: Can::No,
            allow: Can::No,
            rewrite: Can::No,
            block_prompt: Can::No,
            context_at_start: Can::No,
            context_at_prompt: Can::No,
            context_after_tool: Can::No,
            keep_going: Can::Yes,
        }
    }
}
