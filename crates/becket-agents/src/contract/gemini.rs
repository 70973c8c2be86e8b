//! Gemini CLI's contract.

use std::borrow::Cow;

use becket_model::{EventData, EventKind};
use serde_json::{Map, Value, json};

use super::env::Var;
use super::scene::Scene;
use super::tools::{self, answer};

/// All three directories are the one that the agent works in.
pub(super) const VARS: &[Var] = &[
    PROJECT_DIR,
    CWD,
    Var("CLAUDE_PROJECT_DIR", |s| json!(s.cwd())),
    Var("GEMINI_SESSION_ID", |s| json!(s.event.session.as_str())),
];

pub(super) const PROJECT_DIR: Var = Var("GEMINI_PROJECT_DIR", |s| json!(s.cwd()));
pub(super) const CWD: Var = Var("GEMINI_CWD", |s| json!(s.cwd()));

pub(super) fn payload(scene: &Scene<'_>) -> Map<String, Value> {
    let event = scene.event;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("session_id", json!(event.session.as_str()));
    let transcript = event.transcript.as_deref().unwrap_or_default();
    put("transcript_path", json!(transcript));
    put("cwd", json!(scene.cwd().unwrap_or_default()));
    put("hook_event_name", json!(scene.native_event()));
    put("timestamp", json!(scene.around.timestamp));
    if let Some(call) = event.call() {
        let native = tools::native(scene, call);
        put("tool_name", json!(native.name));
        put("tool_input", native.input);
        if let Some((server, tool)) = tools::mcp(call) {
            put(
                "mcp_context",
                json!({ "server_name": server, "tool_name": tool }),
            );
        }
    }
    details(scene, &mut put);
    scene.over_own(out, &["hook_event_name", "tool_name", "tool_input"])
}

fn details(scene: &Scene<'_>, put: &mut impl FnMut(&str, Value)) {
    let text = |key: &str| match scene.raw(key, Value::is_string) {
        Value::Null => json!(""),
        own => own,
    };
    match &scene.event.data {
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
            let said = last_message.as_deref().unwrap_or("[no response text]");
            put("prompt_response", json!(said));
            put("stop_hook_active", json!(scene.stop_hook_active()));
        }
        EventData::PreModelRequest | EventData::PostModelRequest => {
            let empty = json!({ "model": text("model"), "messages": [], "config": {} });
            let own = scene.raw("llm_request", Value::is_object);
            put("llm_request", if own.is_null() { empty } else { own });
            if scene.event.kind() == EventKind::PostModelRequest {
                let own = scene.raw("llm_response", Value::is_object);
                let empty = json!({ "candidates": [] });
                put("llm_response", if own.is_null() { empty } else { own });
            }
        }
        EventData::Notification { kind, message } => {
            let kind = kind.as_deref().unwrap_or("ToolPermission");
            put("notification_type", json!(kind));
            put("message", json!(message));
            let own = scene.raw("details", Value::is_object);
            put("details", if own.is_null() { json!({}) } else { own });
        }
        EventData::PreCompact { trigger, .. } => {
            put("trigger", json!(trigger.as_deref().unwrap_or("auto")));
        }
        _ => {
            for (key, value) in scene.foreign() {
                put(&key, value);
            }
        }
    }
}

fn result(response: &Value) -> Value {
    if response.get("llmContent").is_some() {
        return response.clone();
    }
    let text = answer(response);
    json!({ "llmContent": text, "returnDisplay": text })
}

/// The text that Gemini reads an answer from: stdout, or stderr if that is empty. An answer that is
/// quoted once more is unwrapped; any other JSON that is no object says nothing.
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

/// Where a denial has an effect: after a tool it hides the result.
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
