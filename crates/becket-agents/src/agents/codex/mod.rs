//! OpenAI Codex CLI: hook payloads and `notify` payloads in, replies out.
//!
//! Codex uses Claude's protocol but rejects a whole reply, including a denial, for one key or value that the
//! event does not support. Start at [`CODEX`] and [`notify()`]; the table in `events` says what is supported
//! where. Shapes checked against `fixtures/codex/` (client 0.166.0, 2026-08).

mod events;
mod notify;
mod parse;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod tests;

use becket_model::Event;
use serde_json::{Map, Value};

pub use notify::notify;

use crate::adapter::{ParseError, Recognition, SenderClues};
use crate::agents::claude::FAILURES;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::capability::{TextExcess, TextLimit, TextUnit};
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};
use crate::protocol::wire::claude::ClaudeWire;
use crate::protocol::{AgentSpec, claude_payload};

const ID: &str = "codex";

/// 2,500 tokens, which Codex takes to be four bytes each.
const CONTEXT_LIMIT: TextLimit = TextLimit {
    max: 10_000,
    unit: TextUnit::Bytes,
    excess: TextExcess::Agent("puts", " in a file; the model sees both ends of it"),
};

/// Codex CLI.
pub static CODEX: AgentSpec = AgentSpec {
    id: ID,
    title: "Codex CLI",
    short_title: "Codex",
    checked_against: Some("0.166.0"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: parse::TOOLS,
    input_path: &["tool_input"],
    failures: FAILURES,
    limits: ReplyLimits {
        context: Some(CONTEXT_LIMIT),
        ..ReplyLimits::ONE_MEBIBYTE
    },
    wire: &ClaudeWire {
        rewrites_with_allow: true,
        ..ClaudeWire::CLAUDE
    },
    marks: &[],
    partly: &[
        (
            Feature::Ask,
            "only where Codex is about to ask anyway; before a tool it becomes a denial",
        ),
        (Feature::Allow, "only where Codex is about to ask"),
        (
            Feature::Rewrite,
            "for shell commands and patches, only the `command`",
        ),
        (
            Feature::ContextAtStart,
            "with the first prompt, not earlier",
        ),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse,
        data: parse::data,
        recognises,
        ..AgentExceptions::CLAUDE
    },
};

fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    payload: Map<String, Value>,
) -> Result<Event, ParseError> {
    if notify::is_notification(&payload) {
        return notify::parse(payload);
    }
    claude_payload::parse(spec, hint, payload)
}

fn recognises(clues: &SenderClues<'_>) -> Recognition {
    if parse::is_codex(clues.payload) || notify::is_notification(clues.payload) {
        return Recognition::Payload;
    }
    // Codex sets no variable for hooks; this one is from its launcher, and other agents inherit it. They send a
    // transcript or no such key, never null.
    let launched = (clues.has_env)("CODEX_MANAGED_BY_NPM");
    let unsaved = clues.payload.get("transcript_path") == Some(&Value::Null);
    let named = clues.payload.contains_key("hook_event_name");
    if launched && unsaved && named {
        Recognition::Environment
    } else {
        Recognition::No
    }
}
