//! Dedupe keys for one action that an agent reports through two configuration files.
//!
//! Cursor runs the hooks of `.cursor/hooks.json` and of `.claude/settings.json`, so an installation for both
//! receives every event twice with the same payload; other agents that read Claude's files do the same.
//! [`dedupe_key`] is equal for two such reports and different for two actions. An event that nothing identifies (no
//! id, for most agents) has no key and returns `None`: without an id, the same command run twice in one turn looks
//! like one action, and a duplicate record is only a nuisance, but a dropped event is a hole in the audit trail.
//!
//! Cursor also reports some calls twice with different events; [`paired_report`] returns the key that those two
//! reports share.
//!
//! This module keeps no state. The caller decides how long a key is valid: a session that starts again may
//! end again, and one compaction may follow another.

use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

/// The keys under which agents that report twice send the id of a turn.
const TURN_KEYS: [&str; 3] = ["generation_id", "prompt_id", "turn_id"];

/// One of two different reports of the same call: Cursor reports a command as a tool call (`preToolUse`) and
/// then as a command (`beforeShellExecution`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairedReport {
    /// The general report, which comes first. The decision is stored under this key.
    Earlier(String),
    /// The specific report that may follow. It has no id, so its key is valid once.
    Later(String),
}

/// The key that the two reports of a call share, for a call that runs with `input`: a rewrite at the first
/// report is the input of the second.
pub fn paired_report(event: &Event, input: &Value) -> Option<PairedReport> {
    let sort: fn(String) -> PairedReport = match (event.agent.as_str(), event.native_name.as_str())
    {
        ("cursor", "preToolUse") => PairedReport::Earlier,
        ("cursor", "beforeShellExecution" | "beforeMCPExecution") => PairedReport::Later,
        _ => return None,
    };
    let call = event.call()?;
    // The general report of an MCP tool does not name its server.
    let (tool, fingerprinted) = match call.native_name.strip_prefix("MCP:") {
        Some(tool) => (tool, input.to_string()),
        None if call.name == "Bash" => ("", input.get("command")?.as_str()?.to_owned()),
        None => return None,
    };
    let (session, turn) = (event.session.as_str(), turn(event)?);
    let fingerprinted = fingerprint(&fingerprinted);
    Some(sort(format!("{session}|{turn}|{tool}|{fingerprinted}")))
}

/// The turn that an event ends, for agents that report it in two ways: Codex lets `Stop` hooks prolong a
/// turn, and runs its `notify` program when the turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// A `Stop` hook runs. It may run again in the same turn.
    StopHook(String),
    /// The turn is over. If a `Stop` hook ran, this is a duplicate.
    Notification(String),
}

/// The turn that this event ends; see [`TurnEnd`].
pub fn turn_end(event: &Event) -> Option<TurnEnd> {
    if event.agent.as_str() != "codex" || !matches!(event.data, EventData::Stop { .. }) {
        return None;
    }
    let id = |key: &str| filled(event.raw.get(key)?.as_str()?);
    id("turn-id")
        .map(TurnEnd::Notification)
        .or_else(|| id("turn_id").map(TurnEnd::StopHook))
}

/// The identity of the action that an event reports, across configuration files: `event|session|parts`.
/// `None` if nothing proves that an equal report is the same action.
pub fn dedupe_key(event: &Event) -> Option<String> {
    let session = event.session.as_str();
    // Ids of calls and turns are unique only within a session.
    if session.is_empty() {
        return None;
    }
    let id = event.call().and_then(call_id).map(|id| vec![id]);
    let parts = id
        .or_else(|| timestamp_identity(event))
        .or_else(|| identity(event))?;
    let kind = event.kind();
    let mut key = format!("{}|{session}", kind.name());
    for part in parts {
        key.push('|');
        key.push_str(&part);
    }
    Some(key)
}

fn identity(event: &Event) -> Option<Vec<String>> {
    Some(match &event.data {
        // The label is part of the key: both reports pass, so the session is recorded under the more specific label.
        EventData::SessionStart { source } => {
            vec![
                event.agent.as_str().to_owned(),
                source.clone().unwrap_or_default(),
            ]
        }
        EventData::SessionEnd { .. } => Vec::new(),
        EventData::UserPromptSubmit { prompt } => vec![turn(event)?, fingerprint(prompt)],
        EventData::Stop { .. } => vec![turn(event)?, round(event)],
        EventData::SubagentStart { id, .. } => vec![filled(id)?],
        EventData::SubagentStop { id, .. } => vec![filled(id)?, round(event)],
        EventData::PreCompact { .. } => {
            let size = event.raw.get("context_tokens").and_then(Value::as_u64);
            turn(event)
                .into_iter()
                .chain(size.map(|size| size.to_string()))
                .collect()
        }
        EventData::AgentThought { text } | EventData::AgentResponse { text } => {
            vec![turn(event)?, fingerprint(text)]
        }
        _ => return None,
    })
}

/// Copilot sends no ids for calls and turns, but an action has one timestamp in milliseconds in every report;
/// simultaneous calls differ in tool or input.
fn timestamp_identity(event: &Event) -> Option<Vec<String>> {
    if event.agent.as_str() != "copilot" {
        return None;
    }
    let time = match event.raw.get("timestamp")? {
        Value::Number(millis) => millis.as_i64()?,
        Value::String(text) => milliseconds(text)?,
        _ => return None,
    };
    let call = event.call();
    let fingerprinted = call.map(|call| fingerprint(&format!("{} {}", call.name, call.input)));
    Some(
        std::iter::once(time.to_string())
            .chain(fingerprinted)
            .collect(),
    )
}

/// Milliseconds since 1970 of `2026-11-15T18:56:07.398Z`.
fn milliseconds(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.')?;
    let numbers = |text: &str, sign| {
        let parts: Option<Vec<i64>> = text.split(sign).map(|part| part.parse().ok()).collect();
        <[i64; 3]>::try_from(parts?).ok()
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let millis: i64 = (fraction.len() == 3).then(|| fraction.parse().ok())??;
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    // Years start in March here, so the leap day is the last day of a year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis)
}

fn call_id(call: &ToolCall) -> Option<String> {
    filled(call.id.as_ref()?)
}

fn turn(event: &Event) -> Option<String> {
    TURN_KEYS
        .iter()
        .find_map(|key| filled(event.raw.get(*key)?.as_str()?))
}

/// How many times hooks have already kept the agent working in this turn.
fn round(event: &Event) -> String {
    let count = event.raw.get("loop_count").and_then(Value::as_u64);
    count.unwrap_or(0).to_string()
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// FNV-1a hash. The key may be stored where the text must not be; within one turn this is unique enough.
fn fingerprint(text: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::adapter::Adapter;
    use crate::autohand::AUTOHAND;
    use crate::claude::CLAUDE;
    use crate::copilot::COPILOT;
    use crate::cursor::CURSOR;

    fn event(extra: &Value) -> Event {
        let mut payload = json!({
            "conversation_id": "c-71", "session_id": "c-71", "generation_id": "g-4",
            "cursor_version": "3.18.2", "workspace_roots": ["/home/ana/shop"],
        });
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        CURSOR
            .parse(None, payload.as_object().unwrap().clone())
            .unwrap()
    }

    fn key(extra: Value) -> Option<String> {
        dedupe_key(&event(&extra))
    }

    #[test]
    fn duplicate_reports_have_equal_keys() {
        for payload in [
            json!({ "hook_event_name": "sessionStart" }),
            json!({ "hook_event_name": "sessionEnd", "reason": "completed" }),
            json!({ "hook_event_name": "beforeSubmitPrompt", "prompt": "hi" }),
            json!({ "hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {}, "tool_use_id": "t1" }),
            json!({ "hook_event_name": "postToolUse", "tool_name": "Read", "tool_input": {}, "tool_use_id": "t1" }),
            json!({ "hook_event_name": "postToolUseFailure", "tool_name": "Read", "tool_use_id": "t1" }),
            json!({ "hook_event_name": "subagentStart", "subagent_id": "s1" }),
            json!({ "hook_event_name": "subagentStop", "subagent_id": "s1", "loop_count": 0 }),
            json!({ "hook_event_name": "preCompact", "context_tokens": 172_000 }),
            json!({ "hook_event_name": "stop", "loop_count": 0 }),
            json!({ "hook_event_name": "afterAgentResponse", "text": "Done." }),
            json!({ "hook_event_name": "afterAgentThought", "text": "Hm." }),
        ] {
            let first = key(payload.clone());
            assert!(first.is_some(), "{payload}");
            assert_eq!(first, key(payload.clone()), "{payload}");
        }
    }

    #[test]
    fn distinct_actions_have_distinct_keys() {
        let read = |name: &str, id: &str| json!({ "hook_event_name": name, "tool_name": "Read", "tool_input": {}, "tool_use_id": id });
        let prompt = |turn: &str, text: &str| json!({ "hook_event_name": "beforeSubmitPrompt", "prompt": text, "generation_id": turn });
        let stop = |turn: &str, round: u64| json!({ "hook_event_name": "stop", "loop_count": round, "generation_id": turn });
        let compact =
            |tokens: u64| json!({ "hook_event_name": "preCompact", "context_tokens": tokens });
        for (one, other) in [
            (read("preToolUse", "t1"), read("preToolUse", "t2")),
            (read("preToolUse", "t1"), read("postToolUse", "t1")),
            (prompt("g1", "continue"), prompt("g2", "continue")),
            (prompt("g1", "a"), prompt("g1", "b")),
            (stop("g1", 0), stop("g1", 1)),
            (stop("g1", 0), stop("g2", 0)),
            (compact(1), compact(2)),
        ] {
            assert_ne!(key(one.clone()), key(other.clone()), "{one} {other}");
        }
    }

    #[test]
    fn events_without_an_id_have_no_key() {
        for payload in [
            json!({ "hook_event_name": "beforeShellExecution", "command": "cargo test" }),
            json!({ "hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {} }),
            json!({ "hook_event_name": "stop", "generation_id": "" }),
            json!({ "hook_event_name": "afterFileEdit", "file_path": "a.rs" }),
            json!({ "hook_event_name": "afterShellExecution", "command": "ls", "output": "" }),
            json!({ "hook_event_name": "sessionEnd", "session_id": "", "conversation_id": "" }),
        ] {
            assert_eq!(key(payload.clone()), None, "{payload}");
        }
        let nameless = json!({ "hook_event_name": "pre-tool", "tool_name": "shell", "tool_input": {}, "tool_use_id": "call_1" });
        let event = AUTOHAND.parse(None, nameless.as_object().unwrap().clone());
        assert_eq!(dedupe_key(&event.unwrap()), None);
    }

    #[test]
    fn copilot_timestamps_identify_an_action_in_both_payload_shapes() {
        let key = |hint: &str, payload: Value| {
            let payload = payload.as_object().unwrap().clone();
            dedupe_key(&COPILOT.parse(Some(hint), payload).unwrap())
        };
        let own = |millis: u64, command: &str| {
            key(
                "preToolUse",
                json!({ "sessionId": "s", "timestamp": millis, "toolName": "bash", "toolArgs": { "command": command } }),
            )
        };
        let like = key(
            "PreToolUse",
            json!({ "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-16T01:53:45.744Z",
                "tool_name": "Bash", "tool_input": { "command": "ls" } }),
        );
        assert!(like.is_some());
        assert_eq!(own(1_794_794_025_744, "ls"), like);
        assert_ne!(own(1_794_794_025_745, "ls"), like);
        assert_ne!(own(1_794_794_025_744, "ls -a"), like);
    }

    #[test]
    fn timestamps_are_parsed_to_milliseconds() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("2000-02-29T12:00:00.001Z", Some(951_825_600_001)),
            ("2026-11-16T01:53:45.744Z", Some(1_794_794_025_744)),
            ("2026-13-16T01:53:45.744Z", None),
            ("2026-11-16T01:53:45Z", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }

    #[test]
    fn session_start_key_includes_the_agent_and_other_keys_do_not() {
        let payload = |name: &str| json!({ "hook_event_name": name, "session_id": "c-71", "source": "startup", "agent_id": "s1" });
        let labelled = |adapter: &dyn Adapter, name: &str| {
            let payload = payload(name).as_object().unwrap().clone();
            dedupe_key(&adapter.parse(None, payload).unwrap())
        };
        assert_ne!(
            labelled(&CLAUDE, "SessionStart"),
            labelled(&CURSOR, "sessionStart")
        );
        assert_eq!(
            labelled(&CLAUDE, "SessionEnd"),
            labelled(&CURSOR, "sessionEnd")
        );
    }

    #[test]
    fn general_and_specific_reports_of_a_call_share_a_key() {
        let of = |payload: Value, input: Value| paired_report(&event(&payload), &input);
        let general = |command: &str| {
            let input = json!({ "command": command, "cwd": "/w" });
            let payload = json!({ "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": input, "tool_use_id": "t1" });
            of(payload, input)
        };
        let special = |command: &str| {
            let payload = json!({ "hook_event_name": "beforeShellExecution", "command": command });
            of(payload, json!({ "command": command }))
        };
        let (Some(PairedReport::Earlier(one)), Some(PairedReport::Later(other))) =
            (general("ls"), special("ls"))
        else {
            panic!("{:?} {:?}", general("ls"), special("ls"));
        };
        assert_eq!(one, other);
        assert_ne!(special("ls"), special("ls -a"));

        let general = json!({ "hook_event_name": "preToolUse", "tool_name": "MCP:create_issue", "tool_input": { "title": "x" }, "tool_use_id": "t1" });
        let special = json!({ "hook_event_name": "beforeMCPExecution", "tool_name": "create_issue", "tool_input": "{\"title\":\"x\"}", "mcp_server_name": "github" });
        let (Some(PairedReport::Earlier(one)), Some(PairedReport::Later(other))) = (
            of(general, json!({ "title": "x" })),
            of(special, json!({ "title": "x" })),
        ) else {
            panic!("both have a key");
        };
        assert_eq!(one, other);

        let read = json!({ "hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {}, "tool_use_id": "t1" });
        assert_eq!(of(read, json!({})), None);
    }

    #[test]
    fn key_does_not_contain_the_prompt() {
        let key = key(json!({ "hook_event_name": "beforeSubmitPrompt", "prompt": "my-password" }));
        assert!(!key.unwrap().contains("password"));
    }
}
