//! Auggie, Augment's command line: payloads in, replies out.
//!
//! Auggie adopted Claude Code's reply and applies a part of it: a denial and a rewrite before a tool, context
//! after one. Becket also sends what is documented but dropped by the tested client, and reports it as lost.
//! Start at [`AUGMENT`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/augment/` (client 0.36.0, 2026-08).

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

const NAME: &str = "hook_event_name";
const SESSION: &str = "conversation_id";
const ROOTS: &str = "workspace_roots";

/// Auggie, by Augment.
///
/// Cursor sends the same envelope, together with its version. Child processes of Auggie inherit the variable,
/// so it counts only for a payload of that shape.
pub static AUGMENT: AgentSpec = AgentSpec {
    id: "augment",
    title: "Auggie",
    short_title: "Auggie",
    checked_against: Some("0.36.0"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::LISTS,
    limits: ReplyLimits::NONE,
    wire: &wire::AugmentWire,
    marks: &[
        mark(&[NAME, SESSION, ROOTS, "is_mcp_tool"], &[]),
        mark(&[NAME, SESSION, ROOTS, "agent_stop_cause"], &[]),
        mark(&[NAME, SESSION, ROOTS], &["AUGMENT_HOOK_EVENT"]),
    ],
    partly: &[
        (
            Feature::ContextAtStart,
            "documented, but client 0.36.0 drops it",
        ),
        (Feature::KeepGoing, "documented, but client 0.36.0 drops it"),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        rewritten: Some(tools::rewritten),
        ..AgentExceptions::CLAUDE
    },
};

const fn mark(has: &'static [&'static str], env: &'static [&'static str]) -> SenderMark {
    SenderMark {
        has,
        lacks: &["cursor_version"],
        env,
    }
}
