//! Droid's additions to Claude's payloads.

use becket_model::EventData;

use crate::fields::PayloadFields;
use crate::protocol::tools::{KeyRow, ToolRow, UnmentionedKeys};
use crate::protocol::{EventRow, ToolMap};

/// The values of `permission_mode`, which no other agent has.
pub(super) const MODES: [&str; 5] = ["off", "spec", "auto-low", "auto-medium", "auto-high"];

/// Droid's tools: the model crate already knows `Execute`, `Create`, `LS` and similar names.
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("FetchUrl", "WebFetch", &[]),
        ToolRow::keys_of("ApplyPatch", &[KeyRow::same("input", "command")]),
        ToolRow::keys_of(
            "Edit",
            &[
                KeyRow::same("old_str", "old_string"),
                KeyRow::same("new_str", "new_string"),
            ],
        ),
        ToolRow::keys_of("List", &[KeyRow::same("directory_path", "path")]),
        ToolRow::keys_of("Glob", &[KeyRow::same("folder", "path")]),
    ],
    unmentioned: UnmentionedKeys::KeptInCanonicalTools,
    ..ToolMap::CANONICAL
};

/// The events without Claude's shape: a finished task has a name, but no id.
pub(super) fn data(fields: PayloadFields<'_>, row: &EventRow) -> Option<EventData> {
    if row.native != "SubagentStop" {
        return None;
    }
    let error = fields.scalar("task_error");
    let error = error.filter(|error| !error.is_empty());
    Some(EventData::SubagentStop {
        id: fields.scalar("agent_id").unwrap_or_default(),
        kind: fields.text("task_name").unwrap_or_default(),
        active: fields.is("stop_hook_active"),
        success: error.is_none(),
        error,
        last_message: fields.text("task_result"),
    })
}
