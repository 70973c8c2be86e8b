//! The claude-agent library's contract for commands.

use becket_model::{Dialect, EventData};
use serde_json::{Map, Value, json};

use super::claude::PLUGIN_ROOT;
use super::env::HookVar;
use super::invocation::HookInvocation;

pub(super) const VARS: &[HookVar] = &[
    HookVar("EVENT", |s| json!(s.event_name(Dialect::ClaudeAgent))),
    PLUGIN_ROOT,
];

/// The four documented keys first, then the fields of the library's own event types under their names there
/// (`tool_result`, `subagent_id`, …).
pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let mut canonical = invocation.canonical();
    canonical.insert(
        "event".into(),
        json!(invocation.event_name(Dialect::ClaudeAgent)),
    );
    let mut out = Map::new();
    for key in ["event", "session_id", "tool_name", "tool_input"] {
        if let Some(value) = canonical.get(key) {
            out.insert(key.into(), value.clone());
        }
    }

    let about_subagent = matches!(
        invocation.event.data,
        EventData::SubagentStart { .. } | EventData::SubagentStop { .. }
    );
    for (key, value) in canonical {
        let name = match key.as_str() {
            "schema_version" | "hook_event_name" | "native_event" | "agent"
            | "native_tool_name" => continue,
            "tool_response" => "tool_result",
            "agent_id" if about_subagent => "subagent_id",
            "agent_type" if about_subagent => "subagent_type",
            other => other,
        };
        out.entry(name).or_insert(value);
    }
    out.insert("timestamp".into(), json!(invocation.metadata.timestamp));
    out
}
