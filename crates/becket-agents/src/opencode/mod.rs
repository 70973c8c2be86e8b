//! OpenCode: what its plugin hooks and events say, and what they are answered.
//!
//! OpenCode runs no hook commands. [`plugin_source`] is a plugin for it that forwards what happens to
//! Becket and applies the answers; payloads and replies are those of the bridge (`crate::bridge`). Nothing here
//! reads a file, the environment or the clock. Start at [`OpenCode`]; what can be done at which hook
//! is the table in `events`. Shapes are checked against `fixtures/opencode/` (client 1.18.33, 2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};
use crate::bridge;

const ID: &str = "opencode";
const TITLE: &str = "OpenCode";
const BRIDGE: &str = "opencode/1";

/// OpenCode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenCode;

/// The plugin that forwards to the given program, for OpenCode's `plugins` directory.
pub fn plugin_source(binary: &str) -> String {
    bridge::compose(include_str!("plugin.js"), ID, BRIDGE, binary)
}

impl Adapter for OpenCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let ours = clues.payload.get(bridge::MARK).and_then(Value::as_str);
        if ours.is_some_and(|bridge| bridge.starts_with("opencode/")) {
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

    /// `file.edited`, which is not for files that are deleted.
    fn tells_of_changes(&self, tool: &str) -> bool {
        tool != "Delete"
    }

    fn checked_against(&self) -> Option<&'static str> {
        Some("1.18.33")
    }

    fn is_guarded(&self, event: &str) -> bool {
        matches!(event, "tool.execute.before" | "permission.asked")
            || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Yes,
            ask: Can::No,
            allow: Can::Partly("by answering OpenCode's own prompt, not before it"),
            rewrite: Can::Yes,
            block_prompt: Can::Partly("OpenCode shows a general error; the reason is in a toast"),
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Partly(
                "by a new prompt once the session rests; not for subagents, not in `opencode run`",
            ),
        }
    }
}
