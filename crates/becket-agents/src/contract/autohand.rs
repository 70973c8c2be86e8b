//! Autohand's contract: thirty fields, each a key on stdin and an environment variable.

use becket_model::{Dialect, EventData};
use serde_json::{Map, Value, json};

use super::invocation::{HookInvocation, permission_type, plain};
use super::tools;

/// One documented field.
pub(super) struct AutohandField {
    key: &'static str,
    pub(super) var: &'static str,
    get: fn(&HookInvocation<'_>) -> Value,
}

const fn field(
    key: &'static str,
    var: &'static str,
    get: fn(&HookInvocation<'_>) -> Value,
) -> AutohandField {
    AutohandField { key, var, get }
}

/// In the order of the documented JSON. A field that an event does not have is `null` on stdin and unset
/// in the environment.
pub(super) const FIELDS: [AutohandField; 30] = [
    field("session_id", "HOOK_SESSION_ID", session_id),
    field("cwd", "HOOK_WORKSPACE", |s| json!(s.cwd())),
    field("hook_event_name", "HOOK_EVENT", |s| {
        json!(s.event_name(Dialect::Autohand))
    }),
    field("tool_name", "HOOK_TOOL", |s| {
        let agent = s.event.agent.as_str();
        json!(
            s.event
                .call()
                .map(|call| tools::name(Dialect::Autohand, agent, call))
        )
    }),
    field("tool_input", "HOOK_ARGS", |s| {
        json!(
            s.event
                .call()
                .map(|call| tools::input(Dialect::Autohand, call, None))
        )
    }),
    field("tool_use_id", "HOOK_TOOL_CALL_ID", |s| {
        json!(s.event.call().and_then(|call| call.id.as_ref()))
    }),
    field("tool_response", "HOOK_OUTPUT", tool_response),
    field("tool_success", "HOOK_SUCCESS", tool_success),
    field("file_path", "HOOK_PATH", file_path),
    field("change_type", "HOOK_CHANGE_TYPE", |s| match &s.event.data {
        EventData::FileModified { change, .. } => json!(change),
        _ => Value::Null,
    }),
    field("instruction", "HOOK_INSTRUCTION", |s| match &s.event.data {
        EventData::UserPromptSubmit { prompt } => json!(prompt),
        _ => Value::Null,
    }),
    field("mentioned_files", "HOOK_MENTIONED_FILES", |s| {
        match &s.event.data {
            EventData::UserPromptSubmit { .. } => s.raw("mentioned_files", Value::is_array),
            _ => Value::Null,
        }
    }),
    field("tokens_used", "HOOK_TOKENS", |s| at_stop(s, "tokens_used")),
    field("tool_calls_count", "HOOK_TOOL_CALLS_COUNT", |s| {
        at_stop(s, "tool_calls_count")
    }),
    field("turn_tool_calls", "HOOK_TURN_TOOL_CALLS", |s| {
        at_stop(s, "turn_tool_calls")
    }),
    field("turn_duration", "HOOK_TURN_DURATION", |s| {
        at_stop(s, "turn_duration")
    }),
    field("duration", "HOOK_DURATION", duration),
    field("error", "HOOK_ERROR", |s| match &s.event.data {
        EventData::SessionError { error, .. }
        | EventData::StopFailure { error, .. }
        | EventData::PostToolUseFailure { error, .. } => json!(error),
        _ => Value::Null,
    }),
    field("error_code", "HOOK_ERROR_CODE", |s| match &s.event.data {
        EventData::SessionError { code, .. } => json!(code),
        _ => Value::Null,
    }),
    field("session_type", "HOOK_SESSION_TYPE", |s| {
        match &s.event.data {
            EventData::SessionStart { source } => json!(source),
            _ => Value::Null,
        }
    }),
    field(
        "session_end_reason",
        "HOOK_SESSION_END_REASON",
        |s| match &s.event.data {
            EventData::SessionEnd { reason } => json!(reason),
            _ => Value::Null,
        },
    ),
    field("subagent_id", "HOOK_SUBAGENT_ID", |s| match &s.event.data {
        EventData::SubagentStart { id, .. } | EventData::SubagentStop { id, .. } => json!(id),
        _ => Value::Null,
    }),
    field("subagent_name", "HOOK_SUBAGENT_NAME", subagent_name),
    field("subagent_type", "HOOK_SUBAGENT_TYPE", |s| {
        json!(subagent_type(s))
    }),
    field("subagent_success", "HOOK_SUBAGENT_SUCCESS", |s| {
        match &s.event.data {
            EventData::SubagentStop { success, .. } => json!(success),
            _ => Value::Null,
        }
    }),
    field("subagent_error", "HOOK_SUBAGENT_ERROR", |s| {
        match &s.event.data {
            EventData::SubagentStop { error, .. } => json!(error),
            _ => Value::Null,
        }
    }),
    field(
        "subagent_duration",
        "HOOK_SUBAGENT_DURATION",
        |s| match &s.event.data {
            EventData::SubagentStop { .. } => number(s, &["subagent_duration", "duration_ms"]),
            _ => Value::Null,
        },
    ),
    field("permission_type", "HOOK_PERMISSION_TYPE", permission_type),
    field(
        "notification_type",
        "HOOK_NOTIFICATION_TYPE",
        |s| match &s.event.data {
            EventData::Notification { kind, .. } => json!(kind),
            _ => Value::Null,
        },
    ),
    field(
        "notification_message",
        "HOOK_NOTIFICATION_MSG",
        |s| match &s.event.data {
            EventData::Notification { message, .. } => json!(message),
            _ => Value::Null,
        },
    ),
];

impl AutohandField {
    /// The value of the variable: strings as they are, everything else as JSON.
    pub(super) fn text(&self, invocation: &HookInvocation<'_>) -> Option<String> {
        let value = (self.get)(invocation);
        // The documentation says "JSON-encoded tool arguments", so even arguments that are one string are quoted.
        if self.key == "tool_input" && value.is_string() {
            return Some(value.to_string());
        }
        plain(&value)
    }
}

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    FIELDS
        .iter()
        .map(|fact| (fact.key.to_owned(), (fact.get)(invocation)))
        .collect()
}

fn session_id(invocation: &HookInvocation<'_>) -> Value {
    match invocation.event.session.as_str() {
        "" => Value::Null,
        id => json!(id),
    }
}

fn tool_response(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUse { response, .. } => response.clone(),
        EventData::PostToolUseFailure { error, .. } => json!(error),
        _ => Value::Null,
    }
}

fn tool_success(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUse { .. } => json!(true),
        EventData::PostToolUseFailure { .. } => json!(false),
        _ => Value::Null,
    }
}

/// The documentation gives a path on two events only; on the others it is taken from the tool's input.
fn file_path(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::FileModified { path, .. } => json!(path),
        EventData::PermissionRequest { call } => json!(call.paths().first()),
        _ => Value::Null,
    }
}

fn duration(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUse { duration_ms, .. }
        | EventData::PostToolUseFailure { duration_ms, .. } => json!(duration_ms),
        EventData::Stop { .. } => number(invocation, &["duration", "duration_ms", "turn_duration"]),
        EventData::SessionEnd { .. } => number(invocation, &["duration", "duration_ms"]),
        _ => Value::Null,
    }
}

fn at_stop(invocation: &HookInvocation<'_>, key: &'static str) -> Value {
    match &invocation.event.data {
        EventData::Stop { .. } => invocation.raw(key, Value::is_number),
        _ => Value::Null,
    }
}

fn number(invocation: &HookInvocation<'_>, keys: &[&str]) -> Value {
    let mut found = keys.iter().map(|key| invocation.raw(key, Value::is_number));
    found.find(|value| !value.is_null()).unwrap_or_default()
}

/// Agents that do not name their subagents identify them by type.
fn subagent_name(invocation: &HookInvocation<'_>) -> Value {
    let Some(kind) = subagent_type(invocation) else {
        return Value::Null;
    };
    let own = invocation.raw("subagent_name", Value::is_string);
    if own.is_null() { json!(kind) } else { own }
}

fn subagent_type<'a>(invocation: &HookInvocation<'a>) -> Option<&'a str> {
    match &invocation.event.data {
        EventData::SubagentStart { kind, .. } | EventData::SubagentStop { kind, .. } => Some(kind),
        _ => None,
    }
}
