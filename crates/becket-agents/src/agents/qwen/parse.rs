//! Qwen Code's additions to Claude's payloads.

use becket_model::EventData;
use serde_json::{Map, Value};

use super::events::WRITTEN;
use crate::fields::{PayloadFields, other};
use crate::protocol::tools::{ToolRow, UnmentionedKeys};
use crate::protocol::{EventRow, ToolMap};

/// Inputs already have canonical keys. `monitor` runs a shell command in the background, so it is guarded as
/// one.
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("monitor", "Bash", &[]),
        ToolRow::new("notebook_edit", "NotebookEdit", &[]),
    ],
    unmentioned: UnmentionedKeys::KeptInCanonicalTools,
    ..ToolMap::CANONICAL
};

/// The events without Claude's shape.
pub(super) fn data(fields: PayloadFields<'_>, row: &EventRow) -> Option<EventData> {
    let id = || fields.scalar("todo_id").unwrap_or_default();
    let subject = || fields.text("todo_content").unwrap_or_default();
    match row.native {
        // After every tool Qwen submits an empty prompt to continue; the user did not type that.
        "UserPromptSubmit" if fields.text("prompt").is_some_and(|p| p.is_empty()) => {
            Some(other("UserPromptContinuation", None))
        }
        // Each chunk contains all the text so far; the last one is the answer.
        "MessageDisplay" if fields.is("is_final") => Some(EventData::AgentResponse {
            text: fields.text("displayed_text").unwrap_or_default(),
        }),
        // Fired before the list is written, and again after it.
        "TodoCreated" | "TodoCompleted" if fields.text("phase").as_deref() == Some(WRITTEN) => {
            Some(other(row.native, Some(WRITTEN.to_owned())))
        }
        "TodoCreated" => Some(EventData::TaskCreated {
            id: id(),
            subject: subject(),
        }),
        "TodoCompleted" => Some(EventData::TaskCompleted {
            id: id(),
            subject: subject(),
        }),
        _ => None,
    }
}

/// Whether only Qwen sends this: its prompt ids, or its id for a call next to the provider's.
pub(super) fn is_qwen(payload: &Map<String, Value>) -> bool {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let prompt = text("prompt_id").is_some_and(|id| id.contains("########"));
    let call = text("tool_use_id").is_some_and(|id| id.starts_with("toolu_"))
        && text("tool_call_id").is_some();
    text("hook_event_name").is_some() && (prompt || call)
}
