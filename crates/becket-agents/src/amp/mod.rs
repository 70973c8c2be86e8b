//! Amp: what its plugin events say, and what they are answered.
//!
//! Amp runs no hook commands. [`plugin_source`] is a plugin for it that forwards what happens to
//! Becket and applies the answers; payloads and replies are those of the bridge (`crate::bridge`). Nothing here
//! reads a file, the environment or the clock. Start at [`Amp`]; what can be done at which event is
//! the table in `events`. Shapes are checked against `fixtures/amp/` (client 0.0.1790142911, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};
use crate::bridge;

const ID: &str = "amp";
const TITLE: &str = "Amp";
const BRIDGE: &str = "amp/1";

/// Amp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amp;

/// The plugin that forwards to the given program, for Amp's `plugins` directory.
pub fn plugin_source(binary: &str) -> String {
    bridge::compose(include_str!("plugin.ts"), ID, BRIDGE, binary)
}

impl Adapter for Amp {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let ours = clues.payload.get(bridge::MARK).and_then(Value::as_str);
        if ours.is_some_and(|bridge| bridge.starts_with("amp/")) {
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

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.0.1790142911")
    }

    fn is_guarded(&self, event: &str) -> bool {
        event == "tool.call" || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::Partly("in a dialog; where Amp can show none, it is refused"),
            allow: Can::Partly("Amp asks nothing by itself, so an allow says what silence does"),
            rewrite: Can::Yes,
            block_prompt: Can::Partly("the turn is cancelled; the prompt stays in the thread"),
            context_at_start: Can::Partly("with the first prompt"),
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Yes,
        }
    }
}
