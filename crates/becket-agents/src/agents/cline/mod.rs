//! Cline: payloads in, replies out, for the command line and for VS Code.
//!
//! The two share the names of hook files and the reply format, and little else: the command line has other
//! event names, ignores the reply of most hooks, and accepts a rewritten input; VS Code reads replies at the
//! start of a task and at prompts, and sends every parameter as a string. Neither can deny one call without
//! ending the run. Start at [`CLINE`]; the table in `events` says what a hook may do at which event. Shapes
//! checked against `fixtures/cline/` (command line 3.0.65, VS Code 4.1.13, 2026-08).

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

/// Cline.
///
/// The environment is no mark: the command line runs its hooks in a daemon with the environment of the process
/// that started it first.
pub static CLINE: AgentSpec = AgentSpec {
    id: "cline",
    title: "Cline",
    short_title: "Cline",
    checked_against: Some("3.0.65"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_call", "input"],
    failures: FailureSignals::LISTS,
    limits: ReplyLimits::NONE,
    wire: &wire::ClineWire,
    marks: &[SenderMark {
        has: &["clineVersion"],
        lacks: &[],
        env: &[],
    }],
    partly: &[
        (Feature::Deny, "ends the whole run"),
        (Feature::Rewrite, "on the command line, not in VS Code"),
        (Feature::BlockPrompt, "in VS Code, not on the command line"),
        (
            Feature::ContextAtStart,
            "in VS Code before 4.1, not on the command line",
        ),
        (
            Feature::ContextAtPrompt,
            "in VS Code before 4.1, not on the command line",
        ),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        review: events::review,
        ..AgentExceptions::CLAUDE
    },
};
