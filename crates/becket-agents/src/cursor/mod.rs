//! Cursor: its hook payloads in, its replies out.
//!
//! Cursor's own words stay in `wire` and `events`; the rest of the crate speaks [`becket_model`]. Nothing
//! here reads a file, the environment or the clock. Start at [`Cursor`]; what a hook may do at which
//! event is the table in `events`. Shapes are checked against `fixtures/cursor/` (SDK 1.0.32, 2026-08).
//!
//! Cursor reads `.claude/settings.json` too and so reports an action through two files: both reports have
//! Cursor's payload and get Cursor's reply; [`crate::double_fire`] tells that they are one.

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

    /// Every payload has `cursor_version`. The environment is no clue: whatever Cursor starts, other
    /// agents included, inherits it.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    fn reports_twice(&self) -> bool {
        true
    }

    fn joins_answers(&self) -> bool {
        true
    }

    /// `afterFileEdit`, which is not for files that are deleted.
    fn tells_of_changes(&self, tool: &str) -> bool {
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
            deny: Can::Yes,
            ask: Can::Partly(
                "shell commands only, at beforeShellExecution; elsewhere it is refused",
            ),
            allow: Can::Partly("the call proceeds, but Cursor's own rules still apply"),
            rewrite: Can::Partly(
                "at preToolUse, and of a file that is written only the path; elsewhere it is refused",
            ),
            block_prompt: Can::Partly("the editor does, local runs of the SDK do not"),
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Yes,
            keep_going: Can::Partly(
                "5 times in a row unless the hook's `loop_limit` says otherwise",
            ),
        }
    }
}
