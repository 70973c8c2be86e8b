//! Cursor: payloads in, replies out.
//!
//! Start at [`CURSOR`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/cursor/` (SDK 1.0.32, 2026-08).
//!
//! Cursor also reads `.claude/settings.json` and so reports an action through two files: both reports have
//! Cursor's payload and get Cursor's reply; [`crate::dedupe_key`] identifies them as one.

mod events;
mod parse;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use becket_model::Event;
use serde_json::Value;

use crate::protocol::capability::{ReplyLimits, TextExcess, TextLimit, TextUnit};
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges, SenderMark};
use crate::protocol::{AgentReply, AgentSpec, EventRow, ReplyAct};
use crate::tool_failure::FailureSignals;

/// Cursor drops all of a longer context, and with `failClosed` it denies the tool.
const CONTEXT_LIMIT: TextLimit = TextLimit {
    max: 10_000,
    unit: TextUnit::Utf16,
    excess: TextExcess::CutHere,
};

/// How often in a row Cursor goes on when a hook wants it, unless `loop_limit` says otherwise.
const LOOP_LIMIT: u64 = 5;

/// Cursor: the editor, its `agent` command line and its SDK.
///
/// Every payload has `cursor_version`. The environment is no proof: child processes of Cursor, other agents
/// included, inherit it.
pub static CURSOR: AgentSpec = AgentSpec {
    id: "cursor",
    title: "Cursor",
    short_title: "Cursor",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::EXIT_CODES,
    limits: ReplyLimits {
        context: Some(CONTEXT_LIMIT),
        ..ReplyLimits::NONE
    },
    wire: &wire::CursorWire,
    marks: &[SenderMark {
        has: &["cursor_version"],
        lacks: &[],
        env: &[],
    }],
    partly: &[
        (
            Feature::Ask,
            "shell commands only, at beforeShellExecution; elsewhere it becomes a denial",
        ),
        (
            Feature::Allow,
            "the call proceeds, but Cursor's own rules still apply",
        ),
        (
            Feature::Rewrite,
            "at preToolUse, and for a written file only the path; elsewhere it becomes a denial",
        ),
        (
            Feature::BlockPrompt,
            "in the editor, not in local runs of the SDK",
        ),
        (
            Feature::KeepGoing,
            "5 times in a row, unless the hook sets another `loop_limit`",
        ),
    ],
    // `afterFileEdit` does not fire for deleted files.
    file_changes: FileChanges::ButDeletions,
    injects_before_tools: false,
    may_report_twice: true,
    merges_replies: true,
    exceptions: AgentExceptions {
        parse: parse::parse,
        rewritten: Some(tools::rewritten),
        review: review_follow_up,
        ..AgentExceptions::CLAUDE
    },
};

/// What Cursor will not follow up is still said, in case this version does, but reported as lost.
fn review_follow_up(row: &EventRow, event: &Event, reply: &mut AgentReply) {
    if !matches!(reply.act, ReplyAct::KeepGoing { .. }) {
        return;
    }
    let rounds = event.raw.get("loop_count").and_then(Value::as_u64);
    if rounds.is_some_and(|rounds| rounds >= LOOP_LIMIT) {
        reply.lost.push(format!(
            "Cursor goes on {LOOP_LIMIT} times in a row unless `loop_limit` says otherwise."
        ));
    }
    let status = event.raw.get("status").and_then(Value::as_str);
    if row.native == "subagentStop" && status.is_some_and(|status| status != "completed") {
        let lost = "Cursor goes on with a subagent only if it completed.";
        reply.lost.push(lost.to_owned());
    }
}
