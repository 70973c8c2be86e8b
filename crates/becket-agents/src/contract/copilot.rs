//! GitHub Copilot's contract. The case of the event's key in the file chooses between two payloads:
//! Copilot's own with camelCase keys, and one with Claude's event and tool names.

use std::borrow::Cow;

use becket_model::{EventData, EventKind, ToolCall};
use serde_json::{Map, Value, json};

use super::claude::PLUGIN_ROOT;
use super::env::Var;
use super::scene::{Scene, epoch_ms};
use super::tools::{self, answer};

pub(super) const VARS: &[Var] = &[
    Var("CLAUDE_PROJECT_DIR", |s| json!(s.project_dir())),
    PROJECT_DIR,
    Var("COPILOT_CLI", |_| json!("1")),
    Var("COPILOT_HOOK_DIR", |s| {
        let dir = s.hook.source.file.parent();
        json!(dir.map(|dir| dir.to_string_lossy()))
    }),
    Var("PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    Var("COPILOT_PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    PLUGIN_ROOT,
];

pub(super) const PROJECT_DIR: Var = Var("COPILOT_PROJECT_DIR", |s| json!(s.project_dir()));

pub(super) fn payload(scene: &Scene<'_>) -> Map<String, Value> {
    let kind = scene.event.kind();
    let pascal = scene.hook.native_event.is_some()
        // These keep the body of the other payload whatever the case of their key.
        && !matches!(
            kind,
            EventKind::PermissionRequest | EventKind::Notification | EventKind::SubagentStart
        );
    let camel = camel(scene, pascal);
    let mut out = Map::new();
    if pascal {
        out.insert("hook_event_name".into(), json!(scene.native_event()));
        out.extend(
            camel
                .into_iter()
                .map(|(key, value)| snake_entry(&key, value)),
        );
        out.insert("timestamp".into(), json!(scene.around.timestamp));
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
    scene.over_own(out, &current)
}

fn camel(scene: &Scene<'_>, pascal: bool) -> Map<String, Value> {
    let event = scene.event;
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
    put("timestamp", json!(epoch_ms(scene.around.timestamp)));
    put("cwd", json!(scene.cwd().unwrap_or_default()));
    if let Some(subagent) = &event.subagent {
        put("agentId", json!(subagent.id));
        put("agentType", json!(subagent.kind));
    }
    if let Some(call) = event.call() {
        tool(scene, call, pascal, &mut put);
    }
    details(scene, &mut put);
    out
}

fn tool(scene: &Scene<'_>, call: &ToolCall, pascal: bool, put: &mut impl FnMut(&str, Value)) {
    let native = tools::native(scene, call);
    if scene.event.kind() == EventKind::PermissionRequest {
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

/// A permission is asked for a kind of thing and not for a tool: every change of a file is an `edit`.
fn permission(call: &ToolCall, native: tools::Native) -> (String, Value) {
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

fn details(scene: &Scene<'_>, put: &mut impl FnMut(&str, Value)) {
    let event = scene.event;
    let transcript = || json!(event.transcript.as_deref().unwrap_or_default());
    match &event.data {
        EventData::PreToolUse { .. } | EventData::PermissionRequest { .. } => {}
        EventData::PostToolUse { response, .. } => {
            let text = answer(response);
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
            put("stop_hook_active", json!(scene.stop_hook_active()));
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
            put("stop_hook_active", json!(scene.stop_hook_active()));
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
            put("title", scene.raw("title", Value::is_string));
            put("hook_event_name", json!("Notification"));
            put("notification_type", json!(kind));
        }
        _ => {
            for (key, value) in scene.foreign() {
                put(&super::code_agent::camel(&key), value);
            }
        }
    }
}

/// A key of one payload as the other spells it.
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

/// Stdout without the lines that only report progress.
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

/// Where a denial in an answer has an effect: after a tool it replaces the result.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded() || matches!(kind, EventKind::PostToolUse | EventKind::UserPromptSubmit)
}
