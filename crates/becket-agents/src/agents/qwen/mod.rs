//! Qwen Code: payloads in, replies out.
//!
//! A fork of Gemini CLI with Claude's event names, which behaves like neither. Start at [`QWEN`]; the table in
//! `events` says what is supported where. Shapes checked against `fixtures/qwen/` (client 0.24.4, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use crate::adapter::{Recognition, SenderClues};
use crate::agents::claude::FAILURES;
use crate::protocol::AgentSpec;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges, SenderMark};
use crate::protocol::wire::claude::ClaudeWire;

/// Qwen Code. It also sets `CLAUDE_PROJECT_DIR` and `GEMINI_PROJECT_DIR`, so they are no marks.
///
/// An agent that runs inside Qwen inherits its variable; Claude sends no timestamp, and Gemini no permission
/// mode.
pub static QWEN: AgentSpec = AgentSpec {
    id: "qwen",
    title: "Qwen Code",
    short_title: "Qwen Code",
    checked_against: Some("0.24.4"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: parse::TOOLS,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits::ONE_MEBIBYTE,
    wire: &ClaudeWire::CLAUDE,
    marks: &[SenderMark {
        has: &["hook_event_name", "timestamp", "permission_mode"],
        lacks: &[],
        env: &["QWEN_CODE_SESSION_ID"],
    }],
    partly: &[
        (
            Feature::Ask,
            "at the terminal; without one, and in the background, it becomes a denial",
        ),
        (Feature::Allow, "only where Qwen is about to ask"),
        (
            Feature::Rewrite,
            "only where Qwen is about to ask, with an allow",
        ),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        data: parse::data,
        row: events::exception,
        recognises,
        ..AgentExceptions::CLAUDE
    },
};

fn recognises(clues: &SenderClues<'_>) -> Recognition {
    if parse::is_qwen(clues.payload) {
        Recognition::Payload
    } else {
        Recognition::No
    }
}
