//! Gemini CLI's contract.

use std::borrow::Cow;

use becket_model::{EventData, EventKind};
use serde_json::{Map, Value, json};

use super::env::HookVar;
use super::invocation::HookInvocation;
use super::tools::{self, response_text};

/// All three directories are the agent's working directory.
pub(super) const VARS: &[HookVar] = &[
    PROJECT_DIR,
    CWD,
    HookVar("CLAUDE_PROJECT_DIR", |s| json!(s.cwd())),
    HookVar("GEMINI_SESSION_ID", |s| json!(s.event.session.as_str())),
];

pub(super) const PROJECT_DIR: HookVar = HookVar("GEMINI_PROJECT_DIR", |s| json!(s.cwd()));
pub(super) const CWD: HookVar = HookVar("GEMINI_CWD", |s| json!(s.cwd()));

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let event = invocation.event;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("session_id", json!(event.session.as_str()));
    let transcript = event.transcript.as_deref().unwrap_or_default();
    put("transcript_path", json!(transcript));
    put("cwd", json!(invocation.cwd().unwrap_or_default()));
    put("hook_event_name", json!(invocation.native_event()));
    put("timestamp", json!(invocation.metadata.timestamp));
    if let Some(call) = event.call() {
        let native = tools::native(invocation, call);
        put("tool_name", json!(native.name));
        put("tool_input", native.input);
        if let Some((server, tool)) = tools::mcp(call) {
            put(
                "mcp_context",
                json!({ "server_name": server, "tool_name": tool }),
            );
        }
    }
    details(invocation, &mut put);
    invocation.over_native(out, &["hook_event_name", "tool_name", "tool_input"])
}

fn details(invocation: &HookInvocation<'_>, put: &mut impl FnMut(&str, Value)) {
    let text = |key: &str| match invocation.raw(key, Value::is_string) {
        Value::Null => json!(""),
        own => own,
    };
    match &invocation.event.data {
        EventData::PreToolUse { .. } => {}
        EventData::PostToolUse { response, .. } => put("tool_response", result(response)),
        EventData::PostToolUseFailure { error, .. } => {
            let failed = json!({ "llmContent": error, "returnDisplay": error, "error": { "message": error } });
            put("tool_response", failed);
        }
        EventData::SessionStart { source } => {
            put("source", json!(source.as_deref().unwrap_or("startup")));
        }
        EventData::SessionEnd { reason } => {
            put("reason", json!(reason.as_deref().unwrap_or("exit")));
        }
        EventData::UserPromptSubmit { prompt } => put("prompt", json!(prompt)),
        EventData::Stop { last_message, .. } => {
            put("prompt", text("prompt"));
            let outcome = last_message.as_deref().unwrap_or("[no response text]");
            put("prompt_response", json!(outcome));
            put("stop_hook_active", json!(invocation.stop_hook_active()));
        }
        EventData::PreModelRequest | EventData::PostModelRequest => {
            let empty = json!({ "model": text("model"), "messages": [], "config": {} });
            let own = invocation.raw("llm_request", Value::is_object);
            put("llm_request", if own.is_null() { empty } else { own });
            if invocation.event.kind() == EventKind::PostModelRequest {
                let own = invocation.raw("llm_response", Value::is_object);
                let empty = json!({ "candidates": [] });
                put("llm_response", if own.is_null() { empty } else { own });
            }
        }
        EventData::Notification { kind, message } => {
            let kind = kind.as_deref().unwrap_or("ToolPermission");
            put("notification_type", json!(kind));
            put("message", json!(message));
            let own = invocation.raw("details", Value::is_object);
            put("details", if own.is_null() { json!({}) } else { own });
        }
        EventData::PreCompact { trigger, .. } => {
            put("trigger", json!(trigger.as_deref().unwrap_or("auto")));
        }
        _ => {
            for (key, value) in invocation.unmapped_fields() {
                put(&key, value);
            }
        }
    }
}

fn result(response: &Value) -> Value {
    if response.get("llmContent").is_some() {
        return response.clone();
    }
    let text = response_text(response);
    json!({ "llmContent": text, "returnDisplay": text })
}

/// The text that Gemini parses as the reply: stdout, or stderr if stdout is empty. A reply that is quoted
/// as a JSON string is unwrapped; any other JSON that is not an object is ignored.
pub(super) fn output<'o>(stdout: &'o str, stderr: &'o str) -> Cow<'o, str> {
    let text = match stdout.trim() {
        "" => stderr.trim(),
        text => text,
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(inner)) => Cow::Owned(inner),
        Ok(Value::Object(_)) | Err(_) => Cow::Borrowed(text),
        Ok(_) => Cow::Borrowed(""),
    }
}

/// The events at which a denial has an effect; after a tool it hides the result.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded()
        || matches!(
            kind,
            EventKind::PostToolUse
                | EventKind::PostToolUseFailure
                | EventKind::UserPromptSubmit
                | EventKind::PreModelRequest
                | EventKind::PostModelRequest
        )
}
