//! Cursor's contract: its payload, its variables, its flat answers.
//!
//! What Becket cannot know it says as Cursor does where it does not know: an empty string, zero, or an
//! empty list. A hook on `beforeReadFile` finds no `content`: here it runs before the file is read.

use becket_model::{EventData, EventKind, ToolCall};
use serde_json::{Map, Value, json};

use super::claude::PLUGIN_ROOT;
use super::env::Var;
use super::scene::Scene;
use super::tools::{self, answer};

/// Scripts ask for the variable and for the key of this name to know that Cursor's contract holds.
const VERSION: &str = "0.0.0";

pub(super) const VARS: &[Var] = &[
    PROJECT_DIR,
    Var("CURSOR_VERSION", version),
    Var("CURSOR_USER_EMAIL", |s| {
        s.raw("user_email", Value::is_string)
    }),
    Var("CURSOR_TRANSCRIPT_PATH", |s| json!(s.event.transcript)),
    Var("CLAUDE_PROJECT_DIR", |s| json!(s.project_dir())),
    Var("CURSOR_PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    PLUGIN_ROOT,
];

pub(super) const PROJECT_DIR: Var = Var("CURSOR_PROJECT_DIR", |s| json!(s.project_dir()));

fn version(scene: &Scene<'_>) -> Value {
    match scene.raw("cursor_version", Value::is_string) {
        Value::Null => json!(VERSION),
        own => own,
    }
}

pub(super) fn payload(scene: &Scene<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    let name = scene.native_event();
    if name != "workspaceOpen" {
        common(scene, &mut out);
        details(scene, &name, &mut out);
    }
    out.insert("hook_event_name".into(), json!(name));
    out.insert("cursor_version".into(), version(scene));
    out.insert("workspace_roots".into(), roots(scene));
    out.insert(
        "user_email".into(),
        scene.raw("user_email", Value::is_string),
    );
    if name != "workspaceOpen" {
        out.insert("transcript_path".into(), json!(scene.event.transcript));
    }
    scene.over_own(
        out,
        &["hook_event_name", "tool_name", "tool_input", "command"],
    )
}

fn common(scene: &Scene<'_>, out: &mut Map<String, Value>) {
    let session = scene.event.session.as_str();
    let text = |keys: &[&str], otherwise: &str| {
        let found = keys.iter().map(|key| scene.raw(key, Value::is_string));
        found
            .into_iter()
            .find(|value| !value.is_null())
            .unwrap_or_else(|| json!(otherwise))
    };
    out.insert("conversation_id".into(), json!(session));
    out.insert(
        "generation_id".into(),
        text(&["generation_id", "turn_id", "prompt_id"], ""),
    );
    out.insert("model".into(), text(&["model"], "unknown"));
    out.insert("session_id".into(), json!(session));
}

fn roots(scene: &Scene<'_>) -> Value {
    match scene.raw("workspace_roots", Value::is_array) {
        Value::Null => json!(scene.project_dir().into_iter().collect::<Vec<_>>()),
        own => own,
    }
}

fn details(scene: &Scene<'_>, name: &str, out: &mut Map<String, Value>) {
    let event = scene.event;
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    match name {
        "beforeShellExecution" | "afterShellExecution" => shell(scene, name, &mut put),
        "beforeMCPExecution" | "afterMCPExecution" => mcp(scene, name, &mut put),
        "beforeReadFile" => {
            let path = event.call().and_then(ToolCall::file_path);
            put("file_path", json!(path.unwrap_or_default()));
            put("content", json!(""));
            put("attachments", json!([]));
        }
        _ if event.call().is_some() => tool(scene, &mut put),
        _ => session(scene, &mut put),
    }
}

fn duration(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::PostToolUse { duration_ms, .. }
        | EventData::PostToolUseFailure { duration_ms, .. } => json!(duration_ms.unwrap_or(0)),
        _ => json!(0),
    }
}

/// What the tool gave, in the JSON that Cursor wraps as a string.
fn output(scene: &Scene<'_>) -> Value {
    match &scene.event.data {
        EventData::PostToolUse { response, .. } => response.clone(),
        EventData::PostToolUseFailure { error, .. } => json!({ "error": error }),
        _ => Value::Null,
    }
}

fn tool(scene: &Scene<'_>, put: &mut impl FnMut(&str, Value)) {
    let Some(call) = scene.event.call() else {
        return;
    };
    let native = tools::native(scene, call);
    put("tool_name", json!(native.name));
    put("tool_input", native.input);
    put("tool_use_id", json!(call.id.as_deref().unwrap_or_default()));
    if call.name == "Bash" {
        put("cwd", json!(scene.cwd().unwrap_or_default()));
    }
    match &scene.event.data {
        EventData::PostToolUse { .. } => {
            put("tool_output", as_text(&output(scene)));
            put("duration", duration(scene));
        }
        EventData::PostToolUseFailure {
            error, interrupted, ..
        } => {
            put("error_message", json!(error));
            put("failure_type", json!("error"));
            put("duration", duration(scene));
            put("is_interrupt", json!(interrupted));
        }
        EventData::PermissionDenied { reason, .. } => put("reason", json!(reason)),
        _ => {}
    }
}

fn shell(scene: &Scene<'_>, name: &str, put: &mut impl FnMut(&str, Value)) {
    let command = scene.event.call().and_then(ToolCall::command);
    put("command", json!(command.unwrap_or_default()));
    if name == "beforeShellExecution" {
        put("cwd", json!(scene.cwd().unwrap_or_default()));
    } else {
        let text = match &scene.event.data {
            EventData::PostToolUseFailure { error, .. } => error.clone(),
            _ => answer(&output(scene)),
        };
        put("output", json!(text));
        put("duration", duration(scene));
    }
    put("sandbox", json!(false));
}

fn mcp(scene: &Scene<'_>, name: &str, put: &mut impl FnMut(&str, Value)) {
    let Some(call) = scene.event.call() else {
        return;
    };
    let (server, tool) = tools::mcp(call).unwrap_or(("", &call.name));
    put("tool_name", json!(tool));
    put("tool_input", as_text(&call.input));
    if name == "afterMCPExecution" {
        put("result_json", as_text(&output(scene)));
        put("duration", duration(scene));
    }
    put("mcp_server_name", json!(server));
}

fn as_text(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

fn session(scene: &Scene<'_>, put: &mut impl FnMut(&str, Value)) {
    let number = |key: &str| match scene.raw(key, Value::is_number) {
        Value::Null => json!(0),
        own => own,
    };
    let loops = u8::from(scene.stop_hook_active() == Some(true));
    let session = scene.event.session.as_str();
    match &scene.event.data {
        EventData::SessionStart { .. } => put("is_background_agent", json!(false)),
        EventData::SessionEnd { reason } => {
            let reason = reason.as_deref().unwrap_or("completed");
            put("reason", json!(reason));
            put("duration_ms", number("duration_ms"));
            put("is_background_agent", json!(false));
            put("final_status", json!(reason));
        }
        EventData::UserPromptSubmit { prompt } => {
            put("prompt", json!(prompt));
            put("attachments", json!([]));
        }
        EventData::Stop { .. } => {
            put("status", json!("completed"));
            put("loop_count", json!(loops));
        }
        EventData::SubagentStart {
            id,
            kind,
            description,
        } => {
            put("subagent_id", json!(id));
            put("subagent_type", json!(kind));
            put("task", json!(description));
            put("parent_conversation_id", json!(session));
            put("tool_call_id", json!(""));
            put("is_parallel_worker", json!(false));
        }
        EventData::SubagentStop {
            id,
            kind,
            success,
            error,
            last_message,
            ..
        } => {
            put("subagent_id", json!(id));
            put("subagent_type", json!(kind));
            let status = if *success { "completed" } else { "error" };
            put("status", json!(status));
            put("duration_ms", number("duration_ms"));
            put(
                "summary",
                json!(last_message.as_deref().unwrap_or_default()),
            );
            put("parent_conversation_id", json!(session));
            put("message_count", json!(0));
            put("tool_call_count", json!(0));
            if let Some(error) = error {
                put("error_message", json!(error));
            }
            put("modified_files", json!([]));
            put("loop_count", json!(loops));
            put("task", json!(""));
            put("description", json!(""));
            put("agent_transcript_path", Value::Null);
        }
        EventData::PreCompact { trigger, .. } => {
            put("trigger", json!(trigger.as_deref().unwrap_or("auto")));
            for key in [
                "context_usage_percent",
                "context_tokens",
                "context_window_size",
                "message_count",
                "messages_to_compact",
            ] {
                put(key, number(key));
            }
            put("is_first_compaction", json!(false));
        }
        EventData::FileModified { path, .. } => {
            put("file_path", json!(path));
            let edits = scene.raw("edits", Value::is_array);
            put("edits", if edits.is_null() { json!([]) } else { edits });
        }
        EventData::AgentResponse { text } | EventData::AgentThought { text } => {
            put("text", json!(text));
        }
        _ => {
            for (key, value) in scene.foreign() {
                put(&key, value);
            }
        }
    }
}

/// The part of stdout that Cursor takes for the answer: all of it, or what follows the noise before
/// the last complete object.
pub(super) fn part(stdout: &str) -> &str {
    /// So that hostile output stays cheap.
    const MAX_STARTS: usize = 64;
    let text = stdout.trim();
    if serde_json::from_str::<Value>(text).is_ok() || !text.ends_with('}') {
        return text;
    }
    let starts = text.rmatch_indices('{').take(MAX_STARTS);
    starts
        .map(|(at, _)| &text[at..])
        .find(|part| serde_json::from_str::<Value>(part).is_ok())
        .unwrap_or(text)
}

/// What Cursor asks a hook about before it happens.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded()
        || matches!(
            kind,
            EventKind::SubagentStart | EventKind::UserPromptSubmit | EventKind::SessionStart
        )
}
