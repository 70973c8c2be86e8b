//! Codex's additions to Claude's payloads.

use becket_model::EventData;
use serde_json::{Map, Value};

use super::CODEX;
use crate::fields::PayloadFields;
use crate::protocol::claude_payload::reported_call;
use crate::protocol::tools::{KeyRow, ToolRow, UnmentionedKeys};
use crate::protocol::{EventRow, ToolMap};

/// Codex itself names shell calls `Bash`, and hides all of their input but the command. Only the tool that
/// starts a subagent has its own keys.
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::keys_of("Bash", &[]).only(&["command"]),
        ToolRow::keys_of("ApplyPatch", &[]).only(&["command"]),
        ToolRow::keys_of(
            "Task",
            &[
                KeyRow::same("message", "prompt"),
                KeyRow::same("agent_type", "subagent_type"),
            ],
        ),
    ],
    unmentioned: UnmentionedKeys::KeptInCanonicalTools,
    ..ToolMap::CANONICAL
};

/// The events without Claude's shape.
pub(super) fn data(fields: PayloadFields<'_>, row: &EventRow) -> Option<EventData> {
    match row.native {
        "PostToolUse" => failed_patch(fields),
        "PreModelRequest" => Some(EventData::PreModelRequest),
        "PostModelRequest" => Some(EventData::PostModelRequest),
        _ => None,
    }
}

/// A patch reports its exit code in the first line. A shell command does not, so such a line is the command's
/// own output.
fn failed_patch(fields: PayloadFields<'_>) -> Option<EventData> {
    let call = reported_call(&CODEX, fields).ok()?;
    let error = fields.filled("tool_response")?;
    let code = error.strip_prefix("Exit code: ")?.lines().next()?;
    let failed = call.name == "ApplyPatch" && code.trim() != "0";
    failed.then_some(EventData::PostToolUseFailure {
        call,
        error,
        interrupted: false,
        duration_ms: None,
    })
}

/// Whether only Codex sends this: a turn's id together with the model, or a transcript that is a rollout.
pub(super) fn is_codex(payload: &Map<String, Value>) -> bool {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let rollout = text("transcript_path")
        .and_then(|path| path.rsplit(['/', '\\']).next())
        .and_then(|name| name.strip_prefix("rollout-")?.strip_suffix(".jsonl"))
        .is_some();
    text("hook_event_name").is_some()
        && (rollout || text("turn_id").is_some() && text("model").is_some())
}
