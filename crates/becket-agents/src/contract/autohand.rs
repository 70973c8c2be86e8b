//! Autohand's contract: thirty facts, each with a key on stdin and a variable in the environment.

use becket_model::{Dialect, EventData};
use serde_json::{Map, Value, json};

use super::scene::{Scene, permission_type, plain};
use super::tools;

/// One documented fact.
pub(super) struct Fact {
    key: &'static str,
    pub(super) var: &'static str,
    get: fn(&Scene<'_>) -> Value,
}

const fn fact(key: &'static str, var: &'static str, get: fn(&Scene<'_>) -> Value) -> Fact {
    Fact { key, var, get }
}

/// In the order of the documented JSON. A fact that an event does not have is `null` on stdin and unset
/// in the environment.
pub(super) const FACTS: [Fact; 30] = [
    fact("session_id", "HOOK_SESSION_ID", session_id),
    fact("cwd", "HOOK_WORKSPACE", |s| json!(s.cwd())),
    fact("hook_event_name", "HOOK_EVENT", |s| {
        json!(s.event_name(Dialect::Autohand))
    }),
    fact("tool_name", "HOOK_TOOL", |s| {
        let agent = s.event.agent.as_str();
        json!(
            s.event
                .call()
                .map(|call| tools::name(Dialect::Autohand, agent, call))
        )
    }),
    fact("tool_input", "HOOK_ARGS", |s| {
        json!(
            s.event
                .call()
                .map(|call| tools::input(Dialect::Autohand, call, None))
        )
    }),
    fact("tool_use_id", "HOOK_TOOL_CALL_ID", |s| {
        json!(s.event.call().and_then(|call| call.id.as_ref()))
    }),
    fact("tool_response", "HOOK_OUTPUT", tool_response),
    fact("tool_success", "HOOK_SUCCESS", tool_success),
    fact("file_path", "HOOK_PATH", file_path),
    fact("change_type", "HOOK_CHANGE_TYPE", |s| match &s.event.data {
        EventData::FileModified { change, .. } => json!(change),
        _ => Value::Null,
    }),
    fact("instruction", "HOOK_INSTRUCTION", |s| match &s.event.data {
        EventData::UserPromptSubmit { prompt } => json!(prompt),
        _ => Value::Null,
    }),
    fact("mentioned_files", "HOOK_MENTIONED_FILES", |s| {
        match &s.event.data {
            EventData::UserPromptSubmit { .. } => s.raw("mentioned_files", Value::is_array),
            _ => Value::Null,
        }
    }),
    fact("tokens_used", "HOOK_TOKENS", |s| at_stop(s, "tokens_used")),
    fact("tool_calls_count", "HOOK_TOOL_CALLS_COUNT", |s| {
        at_stop(s, "tool_calls_count")
    }),
    fact("turn_tool_calls", "HOOK_TURN_TOOL_CALLS", |s| {
        at_stop(s, "turn_tool_calls")
    }),
    fact("turn_duration", "HOOK_TURN_DURATION", |s| {
        at_stop(s, "turn_duration")
    }),
    fact("duration", "HOOK_DURATION", duration),
    fact("error", "HOOK_ERROR", |s| match &s.event.data {
        EventData::SessionError { error, .. }
        | EventData::StopFailure { error, .. }
        | EventData::PostToolUseFailure { error, .. } => json!(error),
        _ => Value::Null,
    }),
    fact("error_code", "HOOK_ERROR_CODE", |s| match &s.event.data {
        EventData::SessionError { code, .. } => json!(code),
        _ => Value::Null,
    }),
    fact("session_type", "HOOK_SESSION_TYPE", |s| {
        match &s.event.data {
            EventData::SessionStart { source } => json!(source),
            _ => Value::Null,
        }
    }),
    fact(
        "session_end_reason",
        "HOOK_SESSION_END_REASON",
        |s| match &s.event.data {
            EventData::SessionEnd { reason } => json!(reason),
            _ => Value::Null,
        },
    ),
    fact("subagent_id", "HOOK_SUBAGENT_ID", |s| match &s.event.data {
        EventData::SubagentStart { id, .. } | EventData::SubagentStop { id, .. } => json!(id),
        _ => Value::Null,
    }),
    fact("subagent_name", "HOOK_SUBAGENT_NAME", subagent_name),
    fact("subagent_type", "HOOK_SUBAGENT_TYPE", |s| {
        json!(subagent_type(s))
    }),
    fact("subagent_success", "HOOK_SUBAGENT_SUCCESS", |s| {
        match &s.event.data {
            EventData::SubagentStop { success, .. } => json!(success),
            _ => Value::Null,
        }
    }),
    fact("subagent_error", "HOOK_SUBAGENT_ERROR", |s| {
        match &s.event.data {
            EventData::SubagentStop { error, .. } => json!(error),
            _ => Value::Null,
        }
    }),
    fact(
        "subagent_duration",
        "HOOK_SUBAGENT_DURATION",
        |s| match &s.event.data {
            EventData::SubagentStop { .. } => number(s, &["subagent_duration", "duration_ms"]),
            _ => Value::Null,
        },
    ),
    fact("permission_type", "HOOK_PERMISSION_TYPE", permission_type),
    fact(
        "notification_type",
        "HOOK_NOTIFICATION_TYPE",
        |s| match &s.event.data {
            EventData::Notification { kind, .. } => json!(kind),
            _ => Value::Null,
        },
    ),
    fact(
        "notification_message",
        "HOOK_NOTIFICATION_MSG",
        |s| match &s.event.data {
            EventData::Notification { message, .. } => json!(message),
            _ => Value::Null,
        },
    ),
];

impl Fact {
    /// The variable's value: text plain, the rest JSON.
    pub(super) fn text(&self, scene: &Scene<'_>) -> Option<String> {
        let value = (self.get)(scene);
        // "JSON-encoded tool arguments": even arguments that are one string are quoted.
        if self.key == "tool_input" && value.is_string() {
            return Some(value.to_string());
        }
        plain(&value)
    }
}

pub(super) fn payload(scene: &Scene<'_>) -> Map<String, Value> {
    FACTS
        .iter()
        .map(|fact| (fact.key.to_owned(), (fact.get)(scene)))
        .collect()
}

fn session_id(scene: &Scene<'_>) -> Value {
    match scene.event.session.as_str() {
        "" => Value::Null,
        id => json!(id),
    }
}

fn tool_response(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::PostToolUse { response, .. } => response.clone(),
        EventData::PostToolUseFailure { error, .. } => json!(error),
        _ => Value::Null,
    }
}

fn tool_success(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::PostToolUse { .. } => json!(true),
        EventData::PostToolUseFailure { .. } => json!(false),
        _ => Value::Null,
    }
}

/// The document gives a path on two events only; on the others it is in the tool's input.
fn file_path(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::FileModified { path, .. } => json!(path),
        EventData::PermissionRequest { call } => json!(call.paths().first()),
        _ => Value::Null,
    }
}

fn duration(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::PostToolUse { duration_ms, .. }
        | EventData::PostToolUseFailure { duration_ms, .. } => json!(duration_ms),
        EventData::Stop { .. } => number(scene, &["duration", "duration_ms", "turn_duration"]),
        EventData::SessionEnd { .. } => number(scene, &["duration", "duration_ms"]),
        _ => Value::Null,
    }
}

fn at_stop(scene: &Scene<'_>, key: &'static str) -> Value {
    match &scene.event.data {
        EventData::Stop { .. } => scene.raw(key, Value::is_number),
        _ => Value::Null,
    }
}

fn number(scene: &Scene<'_>, keys: &[&str]) -> Value {
    let mut found = keys.iter().map(|key| scene.raw(key, Value::is_number));
    found.find(|value| !value.is_null()).unwrap_or_default()
}

/// Agents that do not name their subagents call them by their type.
fn subagent_name(scene: &Scene<'_>) -> Value {
    let Some(kind) = subagent_type(scene) else {
        return Value::Null;
    };
    let own = scene.raw("subagent_name", Value::is_string);
    if own.is_null() { json!(kind) } else { own }
}

fn subagent_type<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    match &scene.event.data {
        EventData::SubagentStart { kind, .. } | EventData::SubagentStop { kind, .. } => Some(kind),
        _ => None,
    }
}
