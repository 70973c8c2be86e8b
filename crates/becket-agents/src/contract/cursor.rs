//! Cursor's contract: its payload, its variables, its flat replies.
//!
//! A value that Becket does not have is sent as Cursor sends an unknown one: an empty string, zero, or an
//! empty list. A hook on `beforeReadFile` gets no `content`, because here it runs before the file is read.

use becket_model::{EventData, EventKind, ToolCall};
use serde_json::{Map, Value, json};

use super::claude::PLUGIN_ROOT;
use super::env::HookVar;
use super::invocation::HookInvocation;
use super::tools::{self, response_text};

/// Scripts test for the variable and the key of this name to detect Cursor's contract.
const VERSION: &str = "0.0.0";

pub(super) const VARS: &[HookVar] = &[
    PROJECT_DIR,
    HookVar("CURSOR_VERSION", version),
    HookVar("CURSOR_USER_EMAIL", |s| {
        s.raw("user_email", Value::is_string)
    }),
    HookVar("CURSOR_TRANSCRIPT_PATH", |s| json!(s.event.transcript)),
    HookVar("CLAUDE_PROJECT_DIR", |s| json!(s.project_dir())),
    HookVar("CURSOR_PLUGIN_ROOT", |s| (PLUGIN_ROOT.1)(s)),
    PLUGIN_ROOT,
];

pub(super) const PROJECT_DIR: HookVar = HookVar("CURSOR_PROJECT_DIR", |s| json!(s.project_dir()));

fn version(invocation: &HookInvocation<'_>) -> Value {
    match invocation.raw("cursor_version", Value::is_string) {
        Value::Null => json!(VERSION),
        own => own,
    }
}

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    let name = invocation.native_event();
    if name != "workspaceOpen" {
        common(invocation, &mut out);
        details(invocation, &name, &mut out);
    }
    out.insert("hook_event_name".into(), json!(name));
    out.insert("cursor_version".into(), version(invocation));
    out.insert("workspace_roots".into(), roots(invocation));
    out.insert(
        "user_email".into(),
        invocation.raw("user_email", Value::is_string),
    );
    if name != "workspaceOpen" {
        out.insert("transcript_path".into(), json!(invocation.event.transcript));
    }
    invocation.over_native(
        out,
        &["hook_event_name", "tool_name", "tool_input", "command"],
    )
}

fn common(invocation: &HookInvocation<'_>, out: &mut Map<String, Value>) {
    let session = invocation.event.session.as_str();
    let text = |keys: &[&str], otherwise: &str| {
        let found = keys.iter().map(|key| invocation.raw(key, Value::is_string));
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

fn roots(invocation: &HookInvocation<'_>) -> Value {
    match invocation.raw("workspace_roots", Value::is_array) {
        Value::Null => json!(invocation.project_dir().into_iter().collect::<Vec<_>>()),
        own => own,
    }
}

fn details(invocation: &HookInvocation<'_>, name: &str, out: &mut Map<String, Value>) {
    let event = invocation.event;
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    match name {
        "beforeShellExecution" | "afterShellExecution" => shell(invocation, name, &mut put),
        "beforeMCPExecution" | "afterMCPExecution" => mcp(invocation, name, &mut put),
        "beforeReadFile" => {
            let path = event.call().and_then(ToolCall::file_path);
            put("file_path", json!(path.unwrap_or_default()));
            put("content", json!(""));
            put("attachments", json!([]));
        }
        _ if event.call().is_some() => tool(invocation, &mut put),
        _ => session(invocation, &mut put),
    }
}

fn duration(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUse { duration_ms, .. }
        | EventData::PostToolUseFailure { duration_ms, .. } => json!(duration_ms.unwrap_or(0)),
        _ => json!(0),
    }
}

/// The tool's result, as the JSON that Cursor wraps in a string.
fn output(invocation: &HookInvocation<'_>) -> Value {
    match &invocation.event.data {
        EventData::PostToolUse { response, .. } => response.clone(),
        EventData::PostToolUseFailure { error, .. } => json!({ "error": error }),
        _ => Value::Null,
    }
}

fn tool(invocation: &HookInvocation<'_>, put: &mut impl FnMut(&str, Value)) {
    let Some(call) = invocation.event.call() else {
        return;
    };
    let native = tools::native(invocation, call);
    put("tool_name", json!(native.name));
    put("tool_input", native.input);
    put("tool_use_id", json!(call.id.as_deref().unwrap_or_default()));
    if call.name == "Bash" {
        put("cwd", json!(invocation.cwd().unwrap_or_default()));
    }
    match &invocation.event.data {
        EventData::PostToolUse { .. } => {
            put("tool_output", as_text(&output(invocation)));
            put("duration", duration(invocation));
        }
        EventData::PostToolUseFailure {
            error, interrupted, ..
        } => {
            put("error_message", json!(error));
            put("failure_type", json!("error"));
            put("duration", duration(invocation));
            put("is_interrupt", json!(interrupted));
        }
        EventData::PermissionDenied { reason, .. } => put("reason", json!(reason)),
        _ => {}
    }
}

fn shell(invocation: &HookInvocation<'_>, name: &str, put: &mut impl FnMut(&str, Value)) {
    let command = invocation.event.call().and_then(ToolCall::command);
    put("command", json!(command.unwrap_or_default()));
    if name == "beforeShellExecution" {
        put("cwd", json!(invocation.cwd().unwrap_or_default()));
    } else {
        let text = match &invocation.event.data {
            EventData::PostToolUseFailure { error, .. } => error.clone(),
            _ => response_text(&output(invocation)),
        };
        put("output", json!(text));
        put("duration", duration(invocation));
    }
    put("sandbox", json!(false));
}

fn mcp(invocation: &HookInvocation<'_>, name: &str, put: &mut impl FnMut(&str, Value)) {
    let Some(call) = invocation.event.call() else {
        return;
    };
    let (server, tool) = tools::mcp(call).unwrap_or(("", &call.name));
    put("tool_name", json!(tool));
    put("tool_input", as_text(&call.input));
    if name == "afterMCPExecution" {
        put("result_json", as_text(&output(invocation)));
        put("duration", duration(invocation));
    }
    put("mcp_server_name", json!(server));
}

fn as_text(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

fn session(invocation: &HookInvocation<'_>, put: &mut impl FnMut(&str, Value)) {
    let number = |key: &str| match invocation.raw(key, Value::is_number) {
        Value::Null => json!(0),
        own => own,
    };
    let loops = u8::from(invocation.stop_hook_active() == Some(true));
    let session = invocation.event.session.as_str();
    match &invocation.event.data {
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
            let edits = invocation.raw("edits", Value::is_array);
            put("edits", if edits.is_null() { json!([]) } else { edits });
        }
        EventData::AgentResponse { text } | EventData::AgentThought { text } => {
            put("text", json!(text));
        }
        _ => {
            for (key, value) in invocation.unmapped_fields() {
                put(&key, value);
            }
        }
    }
}

/// The part of stdout that Cursor parses as the reply: all of it, or the last complete object after other
/// output.
pub(super) fn reply_part(stdout: &str) -> &str {
    /// Bounds the work for hostile output.
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

/// The events at which Cursor lets a hook decide before the action.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded()
        || matches!(
            kind,
            EventKind::SubagentStart | EventKind::UserPromptSubmit | EventKind::SessionStart
        )
}
