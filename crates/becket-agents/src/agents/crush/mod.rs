//! Crush: its one hook event in, replies out.
//!
//! Crush fires an event before a tool runs and at no other time, so Becket cannot inject context at the start
//! of a session, with a prompt, after a tool or at stop. Start at [`CRUSH`]. Shapes checked against
//! `fixtures/crush/` (source 37f36e9, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use crate::protocol::AgentSpec;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges, SenderMark};
use crate::tool_failure::FailureSignals;

/// Crush, by Charm.
///
/// The variable alone is no mark, because child processes of Crush inherit it. Goose names its events under the
/// same key, and always sends `matcher_context` with it.
pub static CRUSH: AgentSpec = AgentSpec {
    id: "crush",
    title: "Crush",
    short_title: "Crush",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::LISTS,
    limits: ReplyLimits::NONE,
    wire: &wire::CrushWire,
    marks: &[SenderMark {
        has: &["event"],
        lacks: &["hook_event_name", "matcher_context"],
        env: &["CRUSH"],
    }],
    partly: &[
        (Feature::Deny, "not for calls of a subagent"),
        (
            Feature::Rewrite,
            "can replace and add keys, but not remove them",
        ),
        (
            Feature::ContextAfterTool,
            "sent before the tool, added to its result",
        ),
    ],
    file_changes: FileChanges::None,
    // Crush fires no other event.
    injects_before_tools: true,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        rewritten: Some(tools::rewritten),
        ..AgentExceptions::CLAUDE
    },
};
