//! Autohand Code: payloads in, replies out.
//!
//! Start at [`AUTOHAND`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/autohand/` (command line 0.8.2, 2026-08). The contract of hooks written for Autohand, whichever
//! agent fires them, is [`crate::contract`].

mod events;
mod parse;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use serde_json::Value;

use crate::adapter::{Recognition, SenderClues};
use crate::protocol::AgentSpec;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges, SenderMark};
use crate::tool_failure::FailureSignals;

/// Autohand Code.
///
/// No other agent has event names like `pre-tool`. Other agents share one-word names such as `stop`; those need
/// the variables that Autohand sets.
pub static AUTOHAND: AgentSpec = AgentSpec {
    id: "autohand",
    title: "Autohand Code",
    short_title: "Autohand",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::EXIT_CODES,
    limits: ReplyLimits::NONE,
    wire: &wire::AutohandWire,
    marks: &[SenderMark {
        has: &["hook_event_name"],
        lacks: &[],
        env: &["HOOK_EVENT", "HOOK_WORKSPACE"],
    }],
    partly: &[
        (Feature::Rewrite, "can change keys, but not remove them"),
        (Feature::ContextAfterTool, "sent before the tool, as a note"),
    ],
    // `file-modified`.
    file_changes: FileChanges::All,
    // Autohand ignores `additionalContext` at other events.
    injects_before_tools: true,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        recognises,
        rewritten: Some(tools::rewritten),
        ..AgentExceptions::CLAUDE
    },
};

fn recognises(clues: &SenderClues<'_>) -> Recognition {
    let name = clues.payload.get("hook_event_name").and_then(Value::as_str);
    let own = |name: &str| {
        name.contains(['-', ':']) && events::EVENTS.iter().any(|row| row.native == name)
    };
    if name.is_some_and(own) {
        Recognition::Payload
    } else {
        Recognition::No
    }
}
