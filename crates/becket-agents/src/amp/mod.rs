//! Amp: payloads and replies of its plugin.
//!
//! Amp runs no hook commands. [`plugin_source`] is a plugin that forwards Amp's events to Becket and applies
//! the replies, in the format of the bridge (`crate::bridge`). Nothing here reads a file, the environment or
//! the clock. Start at [`Amp`]; the table in `events` says what is possible at which event. Shapes checked
//! against `fixtures/amp/` (client 0.0.1790142911, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};
use crate::bridge;

const ID: &str = "amp";
const TITLE: &str = "Amp";
const BRIDGE: &str = "amp/1";

/// Amp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amp;

/// The source of the plugin for Amp's `plugins` directory; it runs the given program.
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

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("0.0.1790142911")
    }

    fn is_guarded(&self, event: &str) -> bool {
        event == "tool.call" || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial("in a dialog; if Amp cannot show one, it becomes a denial"),
            allow: Support::Partial("Amp has no permission prompts, so it has no effect"),
            rewrite: Support::Full,
            block_prompt: Support::Partial("the turn is cancelled; the prompt stays in the thread"),
            context_at_start: Support::Partial("with the first prompt"),
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Full,
        }
    }
}
