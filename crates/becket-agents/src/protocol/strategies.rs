//! Strategies for payloads in Claude's shape, for the property tests of the agents that send them.

use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::AgentSpec;
use crate::arbitrary::any_object;

/// The keys that a parser or a tool looks at, so that chance finds them.
pub(crate) const KEYS: &[&str] = &[
    "agent_id",
    "agent_type",
    "command",
    "content",
    "cwd",
    "description",
    "directory_path",
    "displayed_text",
    "error",
    "file_path",
    "folder",
    "hook_event_name",
    "input",
    "isError",
    "is_final",
    "last-assistant-message",
    "message",
    "new_str",
    "old_str",
    "old_string",
    "phase",
    "prompt",
    "reason",
    "session_id",
    "source",
    "success",
    "task_error",
    "thread-id",
    "tool_input",
    "tool_name",
    "tool_response",
    "tool_use_id",
    "transcript_path",
    "type",
];

const TOOLS: &[&str] = &[
    "ApplyPatch",
    "Bash",
    "Edit",
    "Execute",
    "FetchUrl",
    "Glob",
    "LS",
    "apply_patch",
    "edit",
    "mcp__a__b",
    "monitor",
    "run_shell_command",
    "spawn_agent",
];

/// A name of one of the agent's events, now and then another one.
pub(crate) fn any_name(spec: &AgentSpec) -> impl Strategy<Value = String> + use<> {
    let own: Vec<String> = spec
        .events
        .iter()
        .map(|row| row.native.to_owned())
        .collect();
    prop_oneof![6 => prop::sample::select(own), 1 => ".{0,12}"]
}

/// A payload, more often than not one that can be read.
pub(crate) fn any_payload(spec: &AgentSpec) -> impl Strategy<Value = Map<String, Value>> + use<> {
    let call = option::of(any_call());
    (any_object(KEYS), option::of(any_name(spec)), call).prop_map(|(mut payload, name, call)| {
        if let Some(name) = name {
            payload.insert("hook_event_name".into(), name.into());
        }
        if let Some((tool, input)) = call {
            payload.insert("tool_name".into(), tool.into());
            payload.insert("tool_input".into(), Value::Object(input));
            payload.entry("prompt").or_insert_with(|| "hi".into());
        }
        payload
    })
}

/// A tool and an input for it.
pub(crate) fn any_call() -> impl Strategy<Value = (String, Map<String, Value>)> {
    let tool = prop::sample::select(TOOLS).prop_map(str::to_owned);
    (tool, any_object(KEYS))
}
