//! Factory Droid: payloads in, replies out.
//!
//! Droid uses Claude's protocol but ignores parts of it that it documents: `ask`, and `decision: block`
//! anywhere but at `Stop`. The table in `events` says what is supported where. Start at
//! [`DROID`]. Shapes are documented in `fixtures/droid/` (client 0.225.2, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::adapter::{Recognition, SenderClues};
use crate::agents::claude::FAILURES;
use crate::protocol::AgentSpec;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};
use crate::protocol::wire::claude::ClaudeWire;

/// Factory Droid.
pub static DROID: AgentSpec = AgentSpec {
    id: "droid",
    title: "Factory Droid",
    short_title: "Droid",
    checked_against: Some("0.225.2"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: parse::TOOLS,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits::ONE_MEBIBYTE,
    wire: &ClaudeWire {
        reads_stdout_with_exit_2: true,
        ..ClaudeWire::CLAUDE
    },
    marks: &[],
    partly: &[
        (
            Feature::Rewrite,
            "can replace and add keys, but not remove them",
        ),
        (Feature::KeepGoing, "not for subagents"),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        data: parse::data,
        recognises,
        ..AgentExceptions::CLAUDE
    },
};

fn recognises(clues: &SenderClues<'_>) -> Recognition {
    if !clues.payload.contains_key("hook_event_name") {
        return Recognition::No;
    }
    match clues.payload.get("permission_mode").and_then(Value::as_str) {
        Some(mode) if parse::MODES.contains(&mode) => Recognition::Payload,
        None if (clues.has_env)("FACTORY_PROJECT_DIR") => Recognition::Environment,
        // Another agent's mode means that the other agent runs inside Droid.
        _ => Recognition::No,
    }
}
