//! GitHub Copilot: payloads in, replies out.
//!
//! One event has two names, and the case of the name in the settings selects the payload: `preToolUse` gets
//! Copilot's own shape, `PreToolUse` one like Claude Code's. VS Code's local agent reads the same files, sends
//! the second shape and understands other replies, so a reply to that shape contains both formats. Start at
//! [`COPILOT`]; the table in `events` says what a hook may do at which event. Shapes checked against
//! `fixtures/copilot/` (client 1.0.102, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;
mod tools;
mod wire;

use serde_json::{Map, Value};

use crate::adapter::{Recognition, SenderClues};
use crate::agents::claude::FAILURES;
use crate::protocol::AgentSpec;
use crate::protocol::capability::{ReplyLimits, TextExcess, TextLimit, TextUnit};
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};

const ID: &str = "copilot";
const TITLE: &str = "Copilot";

/// Copilot cuts longer context.
const CONTEXT_LIMIT: TextLimit = TextLimit {
    max: 10 * 1024,
    unit: TextUnit::Bytes,
    excess: TextExcess::Agent("cuts", ""),
};

/// GitHub Copilot: the command line client, the cloud agent, and VS Code.
pub static COPILOT: AgentSpec = AgentSpec {
    id: ID,
    title: TITLE,
    short_title: TITLE,
    checked_against: Some("1.0.102"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["toolArgs"],
    failures: FAILURES,
    limits: ReplyLimits {
        context: Some(CONTEXT_LIMIT),
        ..ReplyLimits::NONE
    },
    wire: &wire::CopilotWire,
    marks: &[],
    partly: &[(Feature::Ask, "a headless run denies instead")],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: true,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        recognises,
        rewritten: Some(tools::rewritten),
        ..AgentExceptions::CLAUDE
    },
};

/// Whether a payload has Copilot's own shape: `sessionId`, `toolName`, mostly without the event's name.
/// `PermissionRequest`, `Notification` and `SubagentStart` have it under either name.
fn has_own_shape(payload: &Map<String, Value>) -> bool {
    payload.contains_key("sessionId")
}

/// No other agent writes the time as a number next to `sessionId`. Several agents use the other shape; there
/// `timestamp` together with the environment identifies Copilot.
fn recognises(clues: &SenderClues<'_>) -> Recognition {
    let time = clues.payload.get("timestamp");
    match has_own_shape(clues.payload) {
        true if time.is_some_and(Value::is_number) => Recognition::Payload,
        false if time.is_some() && (clues.has_env)("COPILOT_CLI") => Recognition::Environment,
        _ => Recognition::No,
    }
}
