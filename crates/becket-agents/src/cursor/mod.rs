//! Cursor: payloads in, replies out.
//!
//! Cursor's own terms stay in `wire` and `events`; the rest of the crate uses [`becket_model`]. Nothing here
//! reads a file, the environment or the clock. Start at [`Cursor`]; the table in `events` says what a hook may
//! do at which event. Shapes checked against `fixtures/cursor/` (SDK 1.0.32, 2026-08).
//!
//! Cursor also reads `.claude/settings.json` and so reports an action through two files: both reports have
//! Cursor's payload and get Cursor's reply; [`crate::dedupe_key`] identifies them as one.

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

const ID: &str = "cursor";
const TITLE: &str = "Cursor";

/// Cursor: the editor, its `agent` command line and its SDK.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor;

impl Adapter for Cursor {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// Every payload has `cursor_version`. The environment is no proof: child processes of Cursor, other agents
    /// included, inherit it.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        if clues.payload.contains_key("cursor_version") {
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

    fn may_report_twice(&self) -> bool {
        true
    }

    fn merges_replies(&self) -> bool {
        true
    }

    /// `afterFileEdit`, which does not fire for deleted files.
    fn reports_file_changes(&self, tool: &str) -> bool {
        tool != "Delete"
    }

    fn is_guarded(&self, event: &str) -> bool {
        matches!(
            event,
            "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" | "beforeTabFileRead"
        ) || EventKind::parse(event).is_guarded()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial(
                "shell commands only, at beforeShellExecution; elsewhere it becomes a denial",
            ),
            allow: Support::Partial("the call proceeds, but Cursor's own rules still apply"),
            rewrite: Support::Partial(
                "at preToolUse, and for a written file only the path; elsewhere it becomes a denial",
            ),
            block_prompt: Support::Partial("in the editor, not in local runs of the SDK"),
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Full,
            keep_going: Support::Partial(
                "5 times in a row, unless the hook sets another `loop_limit`",
            ),
        }
    }
}
