//! Devin Local, the agent of Devin Desktop and of the `devin` command line: payloads in, replies out.
//!
//! It succeeds Windsurf's Cascade in the same product, but has other event names, keys, replies, settings files
//! and another marker, so it is a separate agent. Its payloads are Claude Code's with a few differences, and so
//! are its replies, in the older form with `approve` and `block`. Start at [`DEVIN`]; the table in `events` says
//! what a hook may do at which event. Shapes checked against `fixtures/devin/` (2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use crate::agents::claude::FAILURES;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges, SenderMark};
use crate::protocol::wire::claude::ClaudeWire;
use crate::protocol::{AgentSpec, ToolMap};

/// Devin Local. No key of the payload is unique to it.
pub static DEVIN: AgentSpec = AgentSpec {
    id: "devin",
    title: "Devin Local",
    short_title: "Devin",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: ToolMap::CANONICAL,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits::NONE,
    wire: &ClaudeWire::CLAUDE,
    marks: &[SenderMark {
        has: &["hook_event_name"],
        lacks: &[],
        env: &["DEVIN_PROJECT_DIR"],
    }],
    partly: &[(
        Feature::Ask,
        "at PermissionRequest, where an empty reply makes Devin ask; elsewhere it becomes a denial",
    )],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: true,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        ..AgentExceptions::CLAUDE
    },
};
