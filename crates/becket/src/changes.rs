//! Derives `FileModified` events from tool calls, for agents without that event.

use becket_agents::Adapter;
use becket_model::{Event, EventData, EventKind};
use serde_json::{Map, Value, json};

/// The files that a call has changed, as events; empty if the agent reports them itself.
pub fn changes(adapter: &dyn Adapter, event: &Event) -> Vec<Event> {
    let EventData::PostToolUse { call, response, .. } = &event.data else {
        return Vec::new();
    };
    let announced = adapter.reports_file_changes(&call.name);
    let changes = call.changes().into_iter().filter(|_| !announced);
    // Claude Code and compatible agents report whether a written file is new.
    let written = match response.get("type").and_then(Value::as_str) {
        Some("create") => Some("create"),
        Some("update") => Some("modify"),
        _ => None,
    };
    let modified = |(path, change): (&str, Option<&str>)| {
        let raw =
            json!({ "tool_name": call.native_name, "tool_use_id": call.id, "file_path": path });
        Event {
            native_name: EventKind::FileModified.name().to_owned(),
            data: EventData::FileModified {
                path: path.to_owned(),
                change: change.or(written).map(str::to_owned),
            },
            raw: match raw {
                Value::Object(map) => map,
                _ => Map::new(),
            },
            ..event.clone()
        }
    };
    changes.map(modified).collect()
}
