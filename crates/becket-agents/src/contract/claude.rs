//! Claude Code's contract: a hook reads Claude's payload, whichever agent fires the event.

use becket_model::{Dialect, EventKind};
use serde_json::{Map, Value, json};

use super::env::HookVar;
use super::invocation::HookInvocation;

/// Keys of the canonical event that Claude's payload does not have.
const CANONICAL_ONLY: &[&str] = &[
    "schema_version",
    "event",
    "agent",
    "native_event",
    "native_tool_name",
];

/// Keys that add information about another agent's event, and none about Claude's own.
const FOREIGN_ONLY: &[&str] = &["success", "description", "subject"];

pub(super) const VARS: &[HookVar] = &[
    HookVar("CLAUDE_PROJECT_DIR", |s| json!(s.project_dir())),
    PLUGIN_ROOT,
];

pub(super) const PLUGIN_ROOT: HookVar = HookVar("CLAUDE_PLUGIN_ROOT", |s| {
    json!(s.hook.root.as_ref().map(|root| root.to_string_lossy()))
});

/// Claude's keys. A payload from Claude itself is passed on whole, except that the current tool input
/// replaces the original one.
pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let event = invocation.event;
    let native = event.agent.as_str() == "claude";
    let mut out = if native {
        event.raw.clone()
    } else {
        Map::new()
    };

    let mut fill = |key: &str, value: Value| {
        out.entry(key).or_insert(value);
    };
    fill("session_id", json!(event.session.as_str()));
    // Scripts paste these two into paths; an empty string does less harm there than `null`.
    fill(
        "transcript_path",
        json!(event.transcript.as_deref().unwrap_or_default()),
    );
    fill("cwd", json!(invocation.cwd().unwrap_or_default()));
    let name = invocation.event_name(Dialect::Claude);
    fill("hook_event_name", json!(name));
    for (key, value) in invocation.canonical() {
        let hidden = CANONICAL_ONLY.contains(&key.as_str())
            || (native && FOREIGN_ONLY.contains(&key.as_str()));
        if !hidden {
            fill(&key, value);
        }
    }

    // A tool that reports its own failure is a failure here, whatever event name the agent used.
    out.insert("hook_event_name".into(), json!(name));
    if let Some(call) = event.call() {
        let name = if native {
            &call.native_name
        } else {
            &call.name
        };
        out.insert("tool_name".into(), json!(name));
        out.insert("tool_input".into(), call.input.clone());
    }
    if let Some(active) = invocation.stop_hook_active() {
        out.insert("stop_hook_active".into(), json!(active));
    }
    out
}

/// Whether plain text on stdout is injected as context; on every other event it is only logged.
pub(super) fn text_is_context(kind: &EventKind) -> bool {
    match kind {
        EventKind::SessionStart | EventKind::UserPromptSubmit => true,
        EventKind::Other(name) => matches!(&**name, "UserPromptExpansion" | "PostModelSwitch"),
        _ => false,
    }
}
