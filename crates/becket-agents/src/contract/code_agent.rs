//! Code Agent's contract: its documented event object and five variables, plus the variables its program
//! sets without documenting them.

use becket_model::{Dialect, EventData, Subagent};
use serde_json::{Map, Value, json};

use super::claude;
use super::env::HookVar;
use super::invocation::{HookInvocation, epoch_ms, permission_type};

/// `COMMAND` and `SESSION_ID` are too generic to set for hooks of any other dialect.
pub(super) const VARS: &[HookVar] = &[
    HookVar("TOOL_NAME", |s| {
        json!(s.event.call().map_or("", |call| call.name.as_str()))
    }),
    HookVar("TOOL_INPUT", |s| json!(tool_input(s).unwrap_or_default())),
    HookVar("SESSION_ID", |s| json!(s.event.session.as_str())),
    HookVar("FILE_PATH", |s| json!(s.event.paths().first())),
    HookVar("COMMAND", command),
    HookVar("HOOK_EVENT", |s| json!(s.event_name(Dialect::CodeAgent))),
    HookVar("HOOK_SESSION_ID", |s| json!(s.event.session.as_str())),
    HookVar("HOOK_WORKING_DIR", |s| json!(s.cwd())),
    HookVar("HOOK_TOOL_NAME", |s| {
        json!(s.event.call().map(|call| &call.name))
    }),
    HookVar("HOOK_TOOL_INPUT", |s| json!(tool_input(s))),
    HookVar("HOOK_TOOL_OUTPUT", |s| match &s.event.data {
        EventData::PostToolUse { response, .. } => response.clone(),
        _ => Value::Null,
    }),
    HookVar("HOOK_ERROR_MESSAGE", error),
    HookVar("HOOK_USER_PROMPT", |s| match &s.event.data {
        EventData::UserPromptSubmit { prompt } => json!(prompt),
        _ => Value::Null,
    }),
    HookVar("HOOK_PERMISSION_TYPE", permission_type),
    HookVar("HOOK_RESOURCE", |s| match &s.event.data {
        EventData::PermissionRequest { call } => {
            json!(call.file_path().or_else(|| call.command()))
        }
        _ => Value::Null,
    }),
    HookVar("HOOK_REASON", |s| match &s.event.data {
        EventData::PermissionDenied { reason, .. } | EventData::SessionEnd { reason } => {
            json!(reason)
        }
        _ => Value::Null,
    }),
    HookVar("HOOK_TASK_ID", |s| match &s.event.data {
        EventData::TaskCreated { id, .. } | EventData::TaskCompleted { id, .. } => json!(id),
        _ => Value::Null,
    }),
    HookVar("HOOK_STOP_HOOK_ACTIVE", |s| json!(s.stop_hook_active())),
    HookVar("HOOK_SUBAGENT_ID", |s| json!(subagent(s).map(|a| a.id))),
    HookVar("HOOK_SUBAGENT_TYPE", |s| {
        json!(subagent(s).and_then(|a| a.kind))
    }),
];

/// The documented object first, then Claude's snake_case keys for scripts that support both.
pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    let kind = invocation.event_name(Dialect::CodeAgent);
    out.insert("type".into(), json!(kind));
    out.insert(
        "timestamp".into(),
        json!(epoch_ms(invocation.metadata.timestamp)),
    );
    out.insert("sessionId".into(), json!(invocation.event.session.as_str()));
    out.insert("payload".into(), Value::Object(event_payload(invocation)));
    for (key, value) in claude::payload(invocation) {
        out.entry(key).or_insert(value);
    }
    out
}

fn event_payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in invocation.canonical() {
        let name = match key.as_str() {
            "schema_version" | "event" | "hook_event_name" | "agent" | "native_event"
            | "session_id" | "cwd" | "transcript_path" | "native_tool_name" => continue,
            "tool_input" => "input".to_owned(),
            "tool_response" => "output".to_owned(),
            other => camel(other),
        };
        out.insert(name, value);
    }
    out
}

pub(super) fn camel(snake: &str) -> String {
    let mut parts = snake.split('_');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut chars = part.chars();
        out.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(chars.as_str());
    }
    out
}

fn tool_input(invocation: &HookInvocation<'_>) -> Option<String> {
    invocation.event.call().map(|call| call.input.to_string())
}

/// Only for the shell: some agents also send a patch under the key `command`.
fn command(invocation: &HookInvocation<'_>) -> Value {
    let shell = invocation.event.call().filter(|call| call.name == "Bash");
    json!(shell.and_then(|call| call.command()))
}

fn error(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUseFailure { error, .. }
        | EventData::StopFailure { error, .. }
        | EventData::SessionError { error, .. } => json!(error),
        EventData::SubagentStop { error, .. } => json!(error),
        _ => Value::Null,
    }
}

fn subagent(invocation: &HookInvocation<'_>) -> Option<Subagent> {
    match &invocation.event.data {
        EventData::SubagentStart { id, kind, .. } | EventData::SubagentStop { id, kind, .. } => {
            Some(Subagent {
                id: id.clone(),
                kind: Some(kind.clone()),
            })
        }
        _ => invocation.event.subagent.clone(),
    }
}
