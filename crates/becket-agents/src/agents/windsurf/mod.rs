//! Windsurf: the hooks of its agent Cascade, payloads in, replies out.
//!
//! There is no reply protocol: exit code 2 denies, stderr is the reason, and nothing else. Start at
//! [`WINDSURF`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/windsurf/` (2026-08).
//!
//! The agent that replaces Cascade in the same product has another protocol: [`crate::devin`].

mod events;
mod parse;
#[cfg(test)]
mod tests;

use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, FileChanges, SenderMark};
use crate::protocol::tools::{KeyRow, ToolRow};
use crate::protocol::wire::exit_code::ExitCodeWire;
use crate::protocol::{AgentSpec, ToolMap};
use crate::tool_failure::FailureSignals;

/// Windsurf's Cascade.
pub static WINDSURF: AgentSpec = AgentSpec {
    id: "windsurf",
    title: "Windsurf Cascade",
    short_title: "Windsurf",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: ToolMap {
        tools: &[ToolRow::new(
            "run_command",
            "Bash",
            &[KeyRow::same("command_line", "command")],
        )],
        ..ToolMap::CANONICAL
    },
    // Each event has its input elsewhere, and that of a file's edits is put together.
    input_path: &[],
    failures: FailureSignals::EXIT_CODES,
    limits: ReplyLimits::NONE,
    wire: &ExitCodeWire,
    marks: &[SenderMark {
        has: &["agent_action_name"],
        lacks: &[],
        env: &[],
    }],
    partly: &[],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        ..AgentExceptions::CLAUDE
    },
};
