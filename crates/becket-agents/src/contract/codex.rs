//! Codex's contract: Claude's shapes, validated strictly.

use becket_model::{EventData, EventKind, Verdict};
use serde_json::{Map, Value, json};

use super::env::HookVar;
use super::invocation::HookInvocation;
use super::reply::HookReply;
use super::tools;

/// Codex itself sets variables for plugins only.
pub(super) const VARS: &[HookVar] = &[
    HookVar("PLUGIN_ROOT", |s| (super::claude::PLUGIN_ROOT.1)(s)),
    super::claude::PLUGIN_ROOT,
];

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let event = invocation.event;
    let kind = event.kind();
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    let text = |keys: &[&str], otherwise: &str| {
        let mut found = keys.iter().map(|key| invocation.raw(key, Value::is_string));
        found
            .find(|value| !value.is_null())
            .unwrap_or_else(|| json!(otherwise))
    };
    let bare = kind == EventKind::SessionEnd;
    put("session_id", json!(event.session.as_str()));
    if !bare && kind != EventKind::SessionStart {
        put("turn_id", text(&["turn_id", "prompt_id"], ""));
    }
    put("transcript_path", json!(event.transcript));
    put("cwd", json!(invocation.cwd().unwrap_or_default()));
    put("hook_event_name", json!(invocation.native_event()));
    if !bare {
        put("model", text(&["model"], ""));
    }
    let compacts = matches!(kind, EventKind::PreCompact | EventKind::PostCompact);
    let asks_model = matches!(
        kind,
        EventKind::PreModelRequest | EventKind::PostModelRequest
    );
    if !bare && !compacts && !asks_model {
        put("permission_mode", text(&["permission_mode"], "default"));
    }
    if let Some(subagent) = &event.subagent {
        put("agent_id", json!(subagent.id));
        put("agent_type", json!(subagent.kind));
    }
    if let Some(call) = event.call() {
        let native = tools::native(invocation, call);
        put("tool_name", json!(native.name));
        put("tool_input", native.input);
        if kind != EventKind::PermissionRequest {
            put("tool_use_id", json!(call.id.as_deref().unwrap_or_default()));
        }
    }
    details(invocation, &mut put);
    invocation.over_native(out, &["hook_event_name", "tool_name", "tool_input"])
}

fn details(invocation: &HookInvocation<'_>, put: &mut impl FnMut(&str, Value)) {
    match &invocation.event.data {
        EventData::PreToolUse { .. } | EventData::PermissionRequest { .. } => {}
        // Codex sends shell output as plain text; the response of other tools may be any JSON.
        EventData::PostToolUse { call, response, .. } if call.name == "Bash" => {
            put("tool_response", json!(tools::response_text(response)));
        }
        EventData::PostToolUse { response, .. } => put("tool_response", response.clone()),
        EventData::SessionStart { source } => {
            put("source", json!(source.as_deref().unwrap_or("startup")));
        }
        EventData::SessionEnd { reason } => {
            put("reason", json!(reason.as_deref().unwrap_or("other")));
        }
        EventData::UserPromptSubmit { prompt } => put("prompt", json!(prompt)),
        EventData::PreCompact { trigger, .. } | EventData::PostCompact { trigger, .. } => {
            put("trigger", json!(trigger.as_deref().unwrap_or("auto")));
        }
        EventData::Stop { last_message, .. } => {
            put("stop_hook_active", json!(invocation.stop_hook_active()));
            put("last_assistant_message", json!(last_message));
        }
        EventData::PostModelRequest => {
            let or = |key: &str, has_type: fn(&Value) -> bool, otherwise: Value| {
                let own = invocation.raw(key, has_type);
                if own.is_null() { otherwise } else { own }
            };
            put("status", or("status", Value::is_string, json!("completed")));
            put("error", or("error", Value::is_string, Value::Null));
            put(
                "token_usage",
                or("token_usage", Value::is_object, json!({})),
            );
        }
        EventData::SubagentStart { id, kind, .. } => {
            put("agent_id", json!(id));
            put("agent_type", json!(kind));
        }
        EventData::SubagentStop {
            id,
            kind,
            last_message,
            ..
        } => {
            put("agent_transcript_path", Value::Null);
            put("stop_hook_active", json!(invocation.stop_hook_active()));
            put("agent_id", json!(id));
            put("agent_type", json!(kind));
            put("last_assistant_message", json!(last_message));
        }
        _ => {
            for (key, value) in invocation.unmapped_fields() {
                put(&key, value);
            }
        }
    }
}

/// The events at which exit code 2 with a reason on stderr blocks; elsewhere it is only a failure.
pub(super) fn may_block(kind: &EventKind) -> bool {
    kind.is_guarded()
        || matches!(
            kind,
            EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::UserPromptSubmit
        )
}

/// Whether plain text on stdout is injected as context.
pub(super) fn text_is_context(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::UserPromptSubmit
    )
}

/// The reasons for which Codex rejects a whole reply. One wrong key is enough.
pub(super) fn problems(kind: &EventKind, reply: &HookReply) -> Vec<String> {
    let mut found: Vec<String> = reply
        .keys
        .iter()
        .filter(|key| !allows(kind, key))
        .take(4)
        .map(|key| format!("Codex does not know `{key}` on {}", kind.name()))
        .collect();
    let has = |key: &str| reply.keys.iter().any(|found| found == key);
    let mut refuse = |wrong: bool, message: &str| {
        if wrong {
            found.push(message.to_owned());
        }
    };
    let guarded = kind.is_guarded();
    let tool = guarded || *kind == EventKind::PostToolUse;
    refuse(
        guarded && has("continue") && reply.verdict == Verdict::Halt,
        "Codex refuses `continue: false` before a tool",
    );
    refuse(
        guarded && has("stopReason"),
        "Codex refuses `stopReason` before a tool",
    );
    refuse(
        tool && reply.suppress_logging,
        "Codex refuses `suppressOutput` here",
    );
    refuse(
        tool && has("reason") && !has("decision"),
        "a `reason` without a `decision`",
    );
    if *kind == EventKind::PreToolUse {
        let rewrites = reply.updated_input.is_some();
        refuse(
            reply.verdict == Verdict::Ask,
            "Codex has no `ask` before a tool",
        );
        refuse(
            reply.verdict == Verdict::Allow && !rewrites,
            "Codex takes `allow` only with an `updatedInput`",
        );
        refuse(
            rewrites && reply.verdict == Verdict::NoOpinion,
            "Codex takes an `updatedInput` only with `allow`",
        );
    }
    if *kind == EventKind::PermissionRequest {
        refuse(
            reply.updated_input.is_some(),
            "Codex does not rewrite a call that waits for permission",
        );
    }
    found
}

fn allows(kind: &EventKind, key: &str) -> bool {
    use EventKind as E;
    let decides = matches!(
        kind,
        E::PreToolUse
            | E::PostToolUse
            | E::PostToolUseFailure
            | E::UserPromptSubmit
            | E::Stop
            | E::SubagentStop
    );
    let adds_context = matches!(
        kind,
        E::PreToolUse
            | E::PostToolUse
            | E::PostToolUseFailure
            | E::UserPromptSubmit
            | E::SessionStart
            | E::SubagentStart
    );
    match key {
        "continue" | "stopReason" | "systemMessage" | "suppressOutput" => true,
        "decision" | "reason" => decides,
        "hookSpecificOutput" | "hookSpecificOutput.hookEventName" => {
            adds_context || *kind == E::PermissionRequest
        }
        "hookSpecificOutput.additionalContext" => adds_context,
        "hookSpecificOutput.permissionDecision"
        | "hookSpecificOutput.permissionDecisionReason"
        | "hookSpecificOutput.updatedInput" => *kind == E::PreToolUse,
        "hookSpecificOutput.decision" => *kind == E::PermissionRequest,
        _ => false,
    }
}
