//! GitHub Copilot's contract. The case of the event's key in the file selects one of two payloads:
//! Copilot's own with camelCase keys, or one with Claude's event and tool names.

use std::borrow::Cow;

use becket_model::{EventData, EventKind, ToolCall};
use serde_json::{Map, Value, json};

use super::claude::PLUGIN_ROOT;
use super::env::HookVar;
use super::invocation::{HookInvocation, epoch_ms};
use super::tools::{self, response_text};

pub(super) const VARS: &[HookVar] = &[
    HookVar("CLAUDE_PROJECT_DIR", |s| json!(s.project_dir())),
    PROJECT_DIR,
    HookVar("COPILOT_CLI", |_| json!("1")),
    HookVar("COPILOT_HOOK_DIR", |s| {
        let dir = s.hook.source.file.parent();
        json!(dir.map(|dir| dir.to_string_lossy()))
    }),
    HookVar("PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    HookVar("COPILOT_PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    PLUGIN_ROOT,
];

pub(super) const PROJECT_DIR: HookVar = HookVar("COPILOT_PROJECT_DIR", |s| json!(s.project_dir()));

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let kind = invocation.event.kind();
    let pascal = invocation.hook.native_event.is_some()
        // These events have the same body in both payloads, except for the case of the keys.
        && !matches!(
            kind,
            EventKind::PermissionRequest | EventKind::Notification | EventKind::SubagentStart
        );
    let camel = camel(invocation, pascal);
    let mut out = Map::new();
    if pascal {
        out.insert("hook_event_name".into(), json!(invocation.native_event()));
        out.extend(
            camel
                .into_iter()
                .map(|(key, value)| snake_entry(&key, value)),
        );
        out.insert("timestamp".into(), json!(invocation.metadata.timestamp));
    } else {
        out = camel;
    }
    let current = [
        "toolName",
        "toolArgs",
        "toolInput",
        "tool_name",
        "tool_input",
    ];
    invocation.over_native(out, &current)
}

fn camel(invocation: &HookInvocation<'_>, pascal: bool) -> Map<String, Value> {
    let event = invocation.event;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            out.insert(key.to_owned(), value);
        }
    };
    if let EventData::PermissionRequest { .. } = &event.data {
        put("hookName", json!("permissionRequest"));
    }
    put("sessionId", json!(event.session.as_str()));
    put("timestamp", json!(epoch_ms(invocation.metadata.timestamp)));
    put("cwd", json!(invocation.cwd().unwrap_or_default()));
    if let Some(subagent) = &event.subagent {
        put("agentId", json!(subagent.id));
        put("agentType", json!(subagent.kind));
    }
    if let Some(call) = event.call() {
        tool(invocation, call, pascal, &mut put);
    }
    details(invocation, &mut put);
    out
}

fn tool(
    invocation: &HookInvocation<'_>,
    call: &ToolCall,
    pascal: bool,
    put: &mut impl FnMut(&str, Value),
) {
    let native = tools::native(invocation, call);
    if invocation.event.kind() == EventKind::PermissionRequest {
        let (name, input) = permission(call, native);
        put("toolName", json!(name));
        put("toolInput", input);
        put("permissionSuggestions", json!([]));
        return;
    }
    let name = if pascal {
        claude_name(call).to_owned()
    } else {
        native.name
    };
    put("toolName", json!(name));
    put("toolArgs", native.input);
}

/// Copilot requests permission for a category and not for a tool: every change of a file is an `edit`.
fn permission(call: &ToolCall, native: tools::DialectCall) -> (String, Value) {
    let file = || call.file_path().or_else(|| call.paths().first().copied());
    match call.name.as_str() {
        "Bash" => (native.name, json!({ "command": call.command() })),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "ApplyPatch" => (
            "edit".to_owned(),
            json!({ "file_path": file(), "diff": tools::patch(call) }),
        ),
        _ => (native.name, native.input),
    }
}

fn claude_name(call: &ToolCall) -> &str {
    match call.name.as_str() {
        "ApplyPatch" => "Edit",
        "Task" => "Agent",
        name => name,
    }
}

fn details(invocation: &HookInvocation<'_>, put: &mut impl FnMut(&str, Value)) {
    let event = invocation.event;
    let transcript = || json!(event.transcript.as_deref().unwrap_or_default());
    match &event.data {
        EventData::PreToolUse { .. } | EventData::PermissionRequest { .. } => {}
        EventData::PostToolUse { response, .. } => {
            let text = response_text(response);
            put(
                "toolResult",
                json!({ "resultType": "success", "textResultForLlm": text }),
            );
        }
        EventData::PostToolUseFailure { error, .. } => put("error", json!(error)),
        EventData::SessionStart { source } => {
            put("source", json!(source.as_deref().unwrap_or("new")));
        }
        EventData::SessionEnd { reason } => {
            put("reason", json!(reason.as_deref().unwrap_or("complete")));
        }
        EventData::UserPromptSubmit { prompt } => put("prompt", json!(prompt)),
        EventData::Stop { .. } => {
            put("transcriptPath", transcript());
            put("stopReason", json!("end_turn"));
            put("stop_hook_active", json!(invocation.stop_hook_active()));
        }
        EventData::SubagentStart {
            id,
            kind,
            description,
        } => {
            put("transcriptPath", transcript());
            put("agentName", json!(kind));
            put("agentDescription", json!(description));
            put("agentId", json!(id));
            put("agentType", json!(kind));
            put("parentAgentId", json!(event.session.as_str()));
        }
        EventData::SubagentStop {
            id,
            kind,
            last_message,
            ..
        } => {
            put("transcriptPath", transcript());
            put("agentName", json!(kind));
            put("agentId", json!(id));
            put("agentType", json!(kind));
            put("parentAgentId", json!(event.session.as_str()));
            put(
                "response",
                json!(last_message.as_deref().unwrap_or_default()),
            );
            put("stopReason", json!("end_turn"));
            put("stop_hook_active", json!(invocation.stop_hook_active()));
        }
        EventData::PreCompact {
            trigger,
            instructions,
        } => {
            put("transcriptPath", transcript());
            put("trigger", json!(trigger.as_deref().unwrap_or("auto")));
            let instructions = instructions.as_deref().unwrap_or_default();
            put("customInstructions", json!(instructions));
        }
        EventData::SessionError { error, code } => {
            let name = code.as_deref().unwrap_or("Error");
            put("error", json!({ "message": error, "name": name }));
            put("errorContext", json!("system"));
            put("recoverable", json!(false));
        }
        EventData::Notification { kind, message } => {
            put("message", json!(message));
            put("title", invocation.raw("title", Value::is_string));
            put("hook_event_name", json!("Notification"));
            put("notification_type", json!(kind));
        }
        _ => {
            for (key, value) in invocation.unmapped_fields() {
                put(&super::code_agent::camel(&key), value);
            }
        }
    }
}

/// Converts a key of one payload to the spelling of the other.
fn snake_entry(key: &str, value: Value) -> (String, Value) {
    let name = match key {
        "toolArgs" => "tool_input".to_owned(),
        "response" => "last_assistant_message".to_owned(),
        _ => snake(key),
    };
    let value = match (key, value) {
        ("toolResult", Value::Object(fields)) => fields
            .into_iter()
            .map(|(key, value)| (snake(&key), value))
            .collect::<Map<_, _>>()
            .into(),
        (_, value) => value,
    };
    (name, value)
}

fn snake(camel: &str) -> String {
    let mut out = String::with_capacity(camel.len() + 4);
    for c in camel.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Removes the lines of stdout that only report progress.
pub(super) fn without_progress(stdout: &str) -> Cow<'_, str> {
    let reports = |line: &str| {
        line.contains("\"progress\"")
            && serde_json::from_str::<Value>(line.trim())
                .is_ok_and(|line| line.get("type") == Some(&json!("progress")))
    };
    if !stdout.contains("\"progress\"") {
        return Cow::Borrowed(stdout);
    }
    let kept: Vec<&str> = stdout.lines().filter(|line| !reports(line)).collect();
    Cow::Owned(kept.join("\n"))
}

/// The events at which a denial has an effect; after a tool it replaces the result.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded() || matches!(kind, EventKind::PostToolUse | EventKind::UserPromptSubmit)
}
