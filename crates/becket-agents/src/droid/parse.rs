//! What Droid's payloads have that Claude's do not.

use becket_model::EventData;

use crate::fields::Fields;
use crate::kin::{Row, Tools};

/// The values of `permission_mode`, which no other agent has.
pub(super) const MODES: [&str; 5] = ["off", "spec", "auto-low", "auto-medium", "auto-high"];

/// Droid's tools: `Execute`, `Create`, `LS` and their like are known to the model already.
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

/// The events without Claude's shape: of a task that ended, its name, and no id.
pub(super) fn own(fields: Fields<'_>, row: &Row) -> Option<EventData> {
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
