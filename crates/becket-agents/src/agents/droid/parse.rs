//! Droid's additions to Claude's payloads.

use becket_model::EventData;

use crate::fields::PayloadFields;
use crate::kin::{KinEventRow, Tools};

/// The values of `permission_mode`, which no other agent has.
pub(super) const MODES: [&str; 5] = ["off", "spec", "auto-low", "auto-medium", "auto-high"];

/// Droid's tools: the model crate already knows `Execute`, `Create`, `LS` and similar names.
pub(super) const TOOLS: Tools = Tools {
    names: &[("FetchUrl", "WebFetch")],
    keys: &[
        ("ApplyPatch", "input", "command"),
        ("Edit", "old_str", "old_string"),
        ("Edit", "new_str", "new_string"),
        ("List", "directory_path", "path"),
        ("Glob", "folder", "path"),
    ],
};

/// The events without Claude's shape: a finished task has a name, but no id.
pub(super) fn own(fields: PayloadFields<'_>, row: &KinEventRow) -> Option<EventData> {
    if row.name != "SubagentStop" {
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
