//! Codex's interpretation of a reply, from its output schemas (which allow no other key) and its exit codes;
//! for tests. Codex ignores a reply that is [`CodexEffect::Failed`] here, and the action proceeds.

use serde_json::{Map, Value};

use crate::adapter::Rendered;

/// The effect on the action.
#[derive(Debug, PartialEq)]
pub(super) enum CodexEffect {
    /// Codex's own rules decide.
    Nothing,
    /// Codex ignores the reply.
    Failed(String),
    /// Denied, or replaced by the reason; at `Stop`, the agent continues with it.
    Blocked(String),
    /// The turn ends.
    Stopped,
    Approved,
    Rewritten(Value),
}

const UNIVERSAL: [&str; 4] = ["continue", "stopReason", "suppressOutput", "systemMessage"];
const DECIDED: [&str; 3] = ["decision", "reason", "hookSpecificOutput"];
const EVENTS_IN_OUTPUT: [&str; 10] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
];

/// The keys in addition to the universal ones, and those in `hookSpecificOutput`.
fn schema(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match name {
        "PreToolUse" => (
            &DECIDED,
            &[
                "permissionDecision",
                "permissionDecisionReason",
                "updatedInput",
                "additionalContext",
            ],
        ),
        "PermissionRequest" => (&DECIDED[2..], &["decision"]),
        "PostToolUse" | "UserPromptSubmit" => (&DECIDED, &["additionalContext"]),
        "SessionStart" | "SubagentStart" => (&DECIDED[2..], &["additionalContext"]),
        "Stop" | "SubagentStop" => (&DECIDED[..2], &[]),
        _ => (&[], &[]),
    }
}

/// The first reason why a reply violates its schema.
fn misfit(name: &str, reply: &Map<String, Value>) -> Option<String> {
    let (top, inner) = schema(name);
    let known = |key: &&String| UNIVERSAL.contains(&key.as_str()) || top.contains(&key.as_str());
    if let Some(key) = reply.keys().find(|key| !known(key)) {
        return Some(format!("unknown key `{key}`"));
    }
    let specific = reply.get("hookSpecificOutput")?.as_object();
    let Some(specific) = specific else {
        return Some("`hookSpecificOutput` is no object".into());
    };
    let named = specific.get("hookEventName").and_then(Value::as_str);
    if !named.is_some_and(|name| EVENTS_IN_OUTPUT.contains(&name)) {
        return Some("`hookEventName` is missing or unknown".into());
    }
    let known = |key: &&String| *key == "hookEventName" || inner.contains(&key.as_str());
    let stray = specific.keys().find(|key| !known(key));
    stray.map(|key| format!("unknown key `{key}` in `hookSpecificOutput`"))
}

/// The events at which Codex ignores the output of hooks.
const UNREAD: [&str; 4] = [
    "SessionEnd",
    "PreModelRequest",
    "PostModelRequest",
    "agent-turn-complete",
];

/// The events at which exit code 2 is an ordinary failure.
const UNBLOCKED: [&str; 5] = [
    "SessionStart",
    "SubagentStart",
    "PreCompact",
    "PostCompact",
    "Interrupt",
];

/// Interprets a reply to this event.
pub(super) fn read(name: &str, rendered: &Rendered) -> CodexEffect {
    match rendered.exit {
        0 if rendered.stdout.trim().is_empty() || UNREAD.contains(&name) => CodexEffect::Nothing,
        0 => match serde_json::from_str(&rendered.stdout) {
            Ok(Value::Object(reply)) => {
                misfit(name, &reply).map_or_else(|| judge(name, &reply), CodexEffect::Failed)
            }
            _ => CodexEffect::Failed("not an object".into()),
        },
        2 if UNREAD.contains(&name) || UNBLOCKED.contains(&name) => {
            CodexEffect::Failed(format!("exit 2 at {name}"))
        }
        2 if rendered.stderr.trim().is_empty() => {
            CodexEffect::Failed("exit 2 without a word".into())
        }
        2 => CodexEffect::Blocked(rendered.stderr.trim().into()),
        code => CodexEffect::Failed(format!("exit {code}")),
    }
}

fn judge(name: &str, reply: &Map<String, Value>) -> CodexEffect {
    let flag = |key: &str| reply.get(key).and_then(Value::as_bool);
    let stops = flag("continue") == Some(false);
    let said = stops || reply.contains_key("stopReason") || flag("suppressOutput") == Some(true);
    match name {
        "PreToolUse" | "PermissionRequest" if said => {
            CodexEffect::Failed("a universal key that tool events do not take".into())
        }
        "PostToolUse" if flag("suppressOutput") == Some(true) => {
            CodexEffect::Failed("`suppressOutput`".into())
        }
        "PreToolUse" => judge_call(reply),
        "PermissionRequest" => judge_request(reply),
        // Ignored here; at `PostToolUse` only the result is replaced.
        "SubagentStart" => CodexEffect::Nothing,
        _ if stops && name != "PostToolUse" => CodexEffect::Stopped,
        _ => judge_block(reply),
    }
}

fn judge_block(reply: &Map<String, Value>) -> CodexEffect {
    let reason = reply.get("reason").and_then(Value::as_str).map(str::trim);
    match (reply.get("decision"), reason) {
        (None, None) => CodexEffect::Nothing,
        (Some(word), Some(reason)) if word == "block" && !reason.is_empty() => {
            CodexEffect::Blocked(reason.into())
        }
        _ => CodexEffect::Failed("a block and its reason go together".into()),
    }
}

fn judge_call(reply: &Map<String, Value>) -> CodexEffect {
    let specific = reply.get("hookSpecificOutput").unwrap_or(&Value::Null);
    let decision = specific["permissionDecision"].as_str();
    let reason = specific["permissionDecisionReason"].as_str().map(str::trim);
    let input = specific.get("updatedInput");
    match (decision, reason, input) {
        (Some("deny"), Some(reason), None) if !reason.is_empty() => {
            CodexEffect::Blocked(reason.into())
        }
        (Some("allow"), _, Some(input)) => CodexEffect::Rewritten(input.clone()),
        (None, None, None) => judge_block(reply),
        other => CodexEffect::Failed(format!("{other:?}")),
    }
}

fn judge_request(reply: &Map<String, Value>) -> CodexEffect {
    let Some(specific) = reply.get("hookSpecificOutput") else {
        return CodexEffect::Nothing;
    };
    let decision = &specific["decision"];
    let keys = decision
        .as_object()
        .map(|d| d.keys().all(|k| k == "behavior" || k == "message"));
    match (decision["behavior"].as_str(), keys) {
        (Some("allow"), Some(true)) => CodexEffect::Approved,
        (Some("deny"), Some(true)) => {
            CodexEffect::Blocked(decision["message"].as_str().unwrap_or_default().into())
        }
        other => CodexEffect::Failed(format!("{other:?}")),
    }
}
