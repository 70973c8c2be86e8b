//! Kiro: payloads in, replies out.
//!
//! Kiro runs the hooks of an agent file (`.kiro/agents/*.json`) and those of hook files (`.kiro/hooks/*.json`,
//! `version: v1`), and sends both the same payload. It reads no JSON: a reply is an exit code, with context on
//! stdout or the reason of a denial on stderr. There is no ask, no rewrite and no approval. Start at [`KIRO`]; the
//! table in `events` says what a hook may do at which event. Shapes checked against `fixtures/kiro/` (2026-08).

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
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};
use crate::tool_failure::FailureSignals;

/// Every key of Kiro's payloads.
const KEYS: &[&str] = &[
    "assistant_response",
    "cwd",
    "file_path",
    "hook_event_name",
    "prompt",
    "session_id",
    "tool_input",
    "tool_name",
    "tool_response",
];

/// Kiro, by AWS: the command line and the editor.
pub static KIRO: AgentSpec = AgentSpec {
    id: "kiro",
    title: "Kiro",
    short_title: "Kiro",
    checked_against: None,
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    nameless: None,
    tools: tools::TOOLS,
    input_path: &["tool_input"],
    failures: FailureSignals::LISTS,
    limits: ReplyLimits {
        // A fraction of what Kiro reads.
        rewrite_shown: 2_000,
        ..ReplyLimits::NONE
    },
    wire: &wire::KiroWire,
    marks: &[],
    partly: &[
        (
            Feature::Deny,
            "other calls of the same batch may be skipped as well",
        ),
        (
            Feature::BlockPrompt,
            "with a hook file; with an agent file it is only a warning",
        ),
        (
            Feature::ContextAfterTool,
            "with a hook file, not with an agent file",
        ),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        recognises,
        ..AgentExceptions::CLAUDE
    },
};

/// Kiro sets no variable and no unique key. It spells event names in camel case, as only Cursor also does, and
/// sends few other keys, whereas Cursor sends many.
fn recognises(clues: &SenderClues<'_>) -> Recognition {
    let name = clues.payload.get("hook_event_name").and_then(Value::as_str);
    let camel = name.is_some_and(events::is_camel);
    // Other agents share names such as `stop`; Kiro always sends its working directory.
    let shaped =
        clues.payload.contains_key("cwd") && clues.payload.keys().all(|key| KEYS.contains(&&**key));
    if camel && shaped {
        Recognition::Payload
    } else {
        Recognition::No
    }
}
