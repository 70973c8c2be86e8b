//! One and the same action, reported through two configuration files.
//!
//! Cursor runs the hooks of `.cursor/hooks.json` and of `.claude/settings.json`, so that an installation
//! for both hears of everything twice, with the same payload; other agents that read Claude's files do
//! likewise. [`double_fire_key`] is equal for two such reports and different for two actions. It proves
//! sameness or says nothing: an event without an identity of its own (the same command run twice in one
//! turn looks like one) has no key, because an event that is recorded twice is a nuisance and one that
//! is dropped is a hole in the trail.
//!
//! Cursor also announces some calls twice in ways that differ; what those have in common is [`sibling`].
//!
//! Nothing is remembered here. How long a key counts is the caller's affair: a session that starts again
//! may end again, and another compaction may follow when one is over.

use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

/// Where agents that fire twice put the id of a turn.
const TURN_KEYS: [&str; 3] = ["generation_id", "prompt_id", "turn_id"];

/// A report of a call beside another one of the same call, of another sort: Cursor announces a
/// command in general (`preToolUse`) and then as a command (`beforeShellExecution`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sibling {
    /// The general one, which comes first. What hooks said is kept under this key.
    Earlier(String),
    /// The one that may follow. It has no id of its own, so that its key counts once.
    Later(String),
}

/// What a report of a call has in common with its sibling, for a call that runs with `input`: what
/// was rewritten at the first report is announced as it will run at the second.
pub fn sibling(event: &Event, input: &Value) -> Option<Sibling> {
    let sort: fn(String) -> Sibling = match (event.agent.as_str(), event.native_name.as_str()) {
        ("cursor", "preToolUse") => Sibling::Earlier,
        ("cursor", "beforeShellExecution" | "beforeMCPExecution") => Sibling::Later,
        _ => return None,
    };
    let call = event.call()?;
    // The general report of a tool of an MCP server does not say whose it is.
    let (tool, what) = match call.native_name.strip_prefix("MCP:") {
        Some(tool) => (tool, input.to_string()),
        None if call.name == "Bash" => ("", input.get("command")?.as_str()?.to_owned()),
        None => return None,
    };
    let (session, turn) = (event.session.as_str(), turn(event)?);
    let what = fingerprint(&what);
    Some(sort(format!("{session}|{turn}|{tool}|{what}")))
}

/// The turn at whose end an event stands, for agents that tell of it in two ways: Codex lets `Stop`
/// hooks prolong a turn, and once it is over tells its `notify` program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// Hooks are asked. It may happen again in the same turn.
    Asked(String),
    /// The turn is over; where hooks were asked, this is nothing new.
    Told(String),
}

/// See [`TurnEnd`].
pub fn turn_end(event: &Event) -> Option<TurnEnd> {
    if event.agent.as_str() != "codex" || !matches!(event.data, EventData::Stop { .. }) {
        return None;
    }
    let id = |key: &str| filled(event.raw.get(key)?.as_str()?);
    id("turn-id")
        .map(TurnEnd::Told)
        .or_else(|| id("turn_id").map(TurnEnd::Asked))
}

/// What identifies the action that an event reports, across the files that it may be reported
/// through: `event|session|parts`. `None` if nothing proves that an equal report is the same action.
pub fn double_fire_key(event: &Event) -> Option<String> {
    let session = event.session.as_str();
    // Ids of calls and turns count within a session only.
    if session.is_empty() {
        return None;
    }
    let id = event.call().and_then(call_id).map(|id| vec![id]);
    let parts = id.or_else(|| moment(event)).or_else(|| identity(event))?;
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
        // Both labels get through, so that a session is known under the more specific one.
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

/// Copilot gives calls and turns no ids, but an action has one time, to the millisecond, through
/// whichever file it is reported; calls at one time differ in what they do.
fn moment(event: &Event) -> Option<Vec<String>> {
    if event.agent.as_str() != "copilot" {
        return None;
    }
    let time = match event.raw.get("timestamp")? {
        Value::Number(millis) => millis.as_i64()?,
        Value::String(text) => milliseconds(text)?,
        _ => return None,
    };
    let call = event.call();
    let what = call.map(|call| fingerprint(&format!("{} {}", call.name, call.input)));
    Some(std::iter::once(time.to_string()).chain(what).collect())
}

/// The time since 1970 of `2026-11-15T18:56:07.398Z`.
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
    // Counted from March, a leap day is the last of its year.
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

/// How often the agent was made to go on before: each time it stops again.
fn round(event: &Event) -> String {
    let count = event.raw.get("loop_count").and_then(Value::as_u64);
    count.unwrap_or(0).to_string()
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// FNV-1a. The key may be stored where the text must not be; within one turn no more is needed.
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
    use crate::autohand::Autohand;
    use crate::claude::Claude;
    use crate::copilot::Copilot;
    use crate::cursor::Cursor;

    fn event(extra: &Value) -> Event {
        let mut payload = json!({
            "conversation_id": "c-71", "session_id": "c-71", "generation_id": "g-4",
            "cursor_version": "3.18.2", "workspace_roots": ["/home/ana/shop"],
        });
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        Cursor
            .parse(None, payload.as_object().unwrap().clone())
            .unwrap()
    }

    fn key(extra: Value) -> Option<String> {
        double_fire_key(&event(&extra))
    }

    #[test]
    fn the_second_report_of_an_action_has_the_key_of_the_first() {
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
    fn two_actions_have_two_keys() {
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
    fn what_proves_nothing_has_no_key() {
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
        let event = Autohand.parse(None, nameless.as_object().unwrap().clone());
        assert_eq!(double_fire_key(&event.unwrap()), None);
    }

    #[test]
    fn an_action_of_copilot_is_known_by_its_time_in_either_shape() {
        let key = |hint: &str, payload: Value| {
            let payload = payload.as_object().unwrap().clone();
            double_fire_key(&Copilot.parse(Some(hint), payload).unwrap())
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
    fn times_are_read_as_they_are_written() {
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
    fn a_start_counts_once_under_each_label_and_all_else_once_under_both() {
        let payload = |name: &str| json!({ "hook_event_name": name, "session_id": "c-71", "source": "startup", "agent_id": "s1" });
        let labelled = |adapter: &dyn Adapter, name: &str| {
            let payload = payload(name).as_object().unwrap().clone();
            double_fire_key(&adapter.parse(None, payload).unwrap())
        };
        assert_ne!(
            labelled(&Claude, "SessionStart"),
            labelled(&Cursor, "sessionStart")
        );
        assert_eq!(
            labelled(&Claude, "SessionEnd"),
            labelled(&Cursor, "sessionEnd")
        );
    }

    #[test]
    fn a_command_announced_in_general_and_as_a_command_has_a_sibling() {
        let of = |payload: Value, input: Value| sibling(&event(&payload), &input);
        let general = |command: &str| {
            let input = json!({ "command": command, "cwd": "/w" });
            let payload = json!({ "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": input, "tool_use_id": "t1" });
            of(payload, input)
        };
        let special = |command: &str| {
            let payload = json!({ "hook_event_name": "beforeShellExecution", "command": command });
            of(payload, json!({ "command": command }))
        };
        let (Some(Sibling::Earlier(one)), Some(Sibling::Later(other))) =
            (general("ls"), special("ls"))
        else {
            panic!("{:?} {:?}", general("ls"), special("ls"));
        };
        assert_eq!(one, other);
        assert_ne!(special("ls"), special("ls -a"));

        let general = json!({ "hook_event_name": "preToolUse", "tool_name": "MCP:create_issue", "tool_input": { "title": "x" }, "tool_use_id": "t1" });
        let special = json!({ "hook_event_name": "beforeMCPExecution", "tool_name": "create_issue", "tool_input": "{\"title\":\"x\"}", "mcp_server_name": "github" });
        let (Some(Sibling::Earlier(one)), Some(Sibling::Later(other))) = (
            of(general, json!({ "title": "x" })),
            of(special, json!({ "title": "x" })),
        ) else {
            panic!("both have one");
        };
        assert_eq!(one, other);

        let read = json!({ "hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {}, "tool_use_id": "t1" });
        assert_eq!(of(read, json!({})), None);
    }

    #[test]
    fn a_prompt_is_not_readable_in_its_key() {
        let key = key(json!({ "hook_event_name": "beforeSubmitPrompt", "prompt": "my-password" }));
        assert!(!key.unwrap().contains("password"));
    }
}
