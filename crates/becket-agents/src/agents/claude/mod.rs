//! Claude Code: payloads in, replies out, settings file.
//!
//! Start at [`CLAUDE`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/claude/` (client 2.1.325, 2026-08).

mod events;
pub mod install;
#[cfg(test)]
mod parsing;
#[cfg(test)]
mod tests;

use becket_model::EventData;

use crate::fields::{PayloadFields, other};
use crate::protocol::capability::{ReplyLimits, TextExcess, TextLimit, TextUnit};
use crate::protocol::spec::{AgentExceptions, FileChanges, SenderMark};
use crate::protocol::wire::claude::ClaudeWire;
use crate::protocol::{AgentSpec, EventRow, ToolMap};
use crate::tool_failure::FailureSignals;

/// How responses in Claude's shape tell of a failure.
pub(crate) const FAILURES: FailureSignals = FailureSignals {
    lists: false,
    exit_codes: false,
    texts: &["error", "message", "stderr", "content"],
};

/// Claude counts as JavaScript does.
const CONTEXT_LIMIT: TextLimit = TextLimit {
    max: 10_000,
    unit: TextUnit::Utf16,
    excess: TextExcess::Agent("puts", " in a file; the model sees the first 2 KB"),
};

/// Claude Code.
///
/// `CLAUDE_PROJECT_DIR` is no mark: four other agents set it. No key of the payload is unique to Claude, so
/// agents that recognise their own payload take precedence.
pub static CLAUDE: AgentSpec = AgentSpec {
    id: "claude",
    title: "Claude Code",
    short_title: "Claude Code",
    checked_against: Some("2.1.325"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: ToolMap::CANONICAL,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits {
        context: Some(CONTEXT_LIMIT),
        ..ReplyLimits::NONE
    },
    wire: &ClaudeWire::CLAUDE,
    marks: &[SenderMark {
        has: &["hook_event_name"],
        lacks: &[],
        env: &["CLAUDECODE"],
    }],
    partly: &[],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        data,
        row: events::exception,
        ..AgentExceptions::CLAUDE
    },
};

/// A matcher is tested against the base name of a changed file.
fn data(fields: PayloadFields<'_>, row: &EventRow) -> Option<EventData> {
    (row.native == "FileChanged")
        .then(|| other(row.native, fields.text("file_path").map(base_name)))
}

fn base_name(path: String) -> String {
    match path.rsplit(['/', '\\']).next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => path,
    }
}
