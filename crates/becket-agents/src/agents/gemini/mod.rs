//! Gemini CLI: payloads in, replies out.
//!
//! Payloads are Claude's under other event names. Start at [`GEMINI`]; the table in `events` says what a hook
//! may do at which event. Shapes checked against `fixtures/gemini/` (client 0.61.0, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;
mod wire;

use serde_json::Value;

use crate::adapter::{Recognition, SenderClues};
use crate::agents::claude::FAILURES;
use crate::protocol::AgentSpec;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};

/// Gemini CLI.
pub static GEMINI: AgentSpec = AgentSpec {
    id: "gemini",
    title: "Gemini CLI",
    short_title: "Gemini CLI",
    checked_against: Some("0.61.0"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: parse::TOOLS,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits::NONE,
    wire: &wire::GeminiWire,
    marks: &[],
    partly: &[
        (
            Feature::Ask,
            "only with a user at the terminal; a headless run ends there",
        ),
        (Feature::ContextAtStart, "not after /clear"),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        data: parse::data,
        row: events::exception,
        recognises,
        ..AgentExceptions::CLAUDE
    },
};

/// Most of Gemini's event names are unique. `SessionStart` and a few others are not, and Gemini's forks send the
/// same keys, so there the environment decides; `timestamp` distinguishes the payload from that of an agent that
/// runs inside Gemini.
fn recognises(clues: &SenderClues<'_>) -> Recognition {
    let text = |key| clues.payload.get(key).and_then(Value::as_str);
    match text("hook_event_name") {
        Some(name) if events::is_unique(name) => Recognition::Payload,
        Some(_) if text("timestamp").is_some() && (clues.has_env)("GEMINI_SESSION_ID") => {
            Recognition::Environment
        }
        _ => Recognition::No,
    }
}
