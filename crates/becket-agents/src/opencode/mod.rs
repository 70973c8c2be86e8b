//! OpenCode: payloads and replies of its plugin.
//!
//! OpenCode runs no hook commands. [`plugin_source`] is a plugin that forwards OpenCode's events to Becket and
//! applies the replies, in the format of the bridge (`crate::bridge`). Nothing here reads a file, the
//! environment or the clock. Start at [`OpenCode`]; the table in `events` says what is possible at which hook.
//! Shapes checked against `fixtures/opencode/` (client 1.18.33, 2026-08).

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

const ID: &str = "opencode";
const TITLE: &str = "OpenCode";
const BRIDGE: &str = "opencode/1";

/// OpenCode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenCode;

/// The source of the plugin for OpenCode's `plugins` directory; it runs the given program.
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

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    /// `file.edited`, which does not fire for deleted files.
    fn reports_file_changes(&self, tool: &str) -> bool {
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
            deny: Support::Full,
            ask: Support::Unsupported,
            allow: Support::Partial("by answering OpenCode's own prompt, not before it"),
            rewrite: Support::Full,
            block_prompt: Support::Partial(
                "OpenCode shows a general error; the reason is in a toast",
            ),
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Partial(
                "with a new prompt when the session is idle; not for subagents, not in `opencode run`",
            ),
        }
    }
}
