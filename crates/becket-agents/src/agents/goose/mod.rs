//! Goose: payloads in, replies out.
//!
//! Goose applies replies before a tool and at stop, and only one value: block. There is no context, no rewrite
//! and no ask. Events that fire together with a tool event for the same call are recorded under their own
//! names. Start at [`GOOSE`]; the table in `events` says what a hook may do at which event. Shapes checked
//! against `fixtures/goose/` (client 1.52.0, 2026-08).

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

/// Goose, by the Agentic AI Foundation.
///
/// It sets no variable, but every payload has `matcher_context`, sometimes null, and no other agent's has.
pub static GOOSE: AgentSpec = AgentSpec {
    id: "goose",
    title: "Goose",
    short_title: "Goose",
    checked_against: Some("1.52.0"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::LISTS,
    limits: ReplyLimits::NONE,
    wire: &wire::GooseWire,
    marks: &[SenderMark {
        has: &["event", "matcher_context"],
        lacks: &["hook_event_name"],
        env: &[],
    }],
    partly: &[(Feature::Deny, "not for calls of a subagent")],
    // `AfterFileEdit`, which does not fire for deleted files.
    file_changes: FileChanges::ButDeletions,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        ..AgentExceptions::CLAUDE
    },
};
