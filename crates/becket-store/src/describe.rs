//! One-line descriptions of events: the command, the file or the text that an event is about, for every agent.

use std::borrow::Cow;

use becket_base::text::prefix_chars;
use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

use crate::injected_context::strip_injected;
use crate::record::event_of_record;

/// The longest line, in characters.
const MAX_LINE_CHARS: usize = 300;

/// The members of a tool's input that describe the call, tried after its command and its files.
const SUBJECT_KEYS: [&str; 8] = [
    "url",
    "query",
    "pattern",
    "description",
    "prompt",
    "subject",
    "skill",
    "name",
];

/// Describes the event of a record in one line: its command, file, prompt or answer. `None` if the record has none.
pub fn describe_record(record: &Value) -> Option<String> {
    describe_event(&event_of_record(record)?)
}

/// Like [`describe_record`], not truncated and with its line breaks.
pub fn describe_record_in_full(record: &Value) -> Option<String> {
    event_subject(&event_of_record(record)?)
}

/// Describes a tool call whose event is no longer stored.
pub fn describe_call(name: &str, input: &Value) -> Option<String> {
    line(&call_subject(&ToolCall::new(name, input.clone()))?)
}

/// Describes an event in one line.
pub(crate) fn describe_event(event: &Event) -> Option<String> {
    line(&event_subject(event)?)
}

fn event_subject(event: &Event) -> Option<String> {
    if let Some(call) = event.call() {
        return call_subject(call);
    }
    let text = match &event.data {
        EventData::UserPromptSubmit { prompt: text }
        | EventData::AgentThought { text }
        | EventData::AgentResponse { text }
        | EventData::Notification { message: text, .. }
        | EventData::FileModified { path: text, .. }
        | EventData::SessionError { error: text, .. }
        | EventData::StopFailure { error: text, .. }
        | EventData::TaskCreated { subject: text, .. }
        | EventData::TaskCompleted { subject: text, .. } => Some(text.as_str()),
        EventData::Stop { last_message, .. } | EventData::SubagentStop { last_message, .. } => {
            last_message.as_deref()
        }
        EventData::SubagentStart { description, .. } => Some(description.as_str()),
        _ => None,
    };
    // Context that Becket injected and the agent repeats is not the event's subject.
    let text = text.map(strip_injected);
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(Cow::into_owned)
        .or_else(|| event.subject().map(str::to_owned))
}

/// The most descriptive part of a call: its command, its files, a member of its input, or else the whole input.
fn call_subject(call: &ToolCall) -> Option<String> {
    let paths = call.paths();
    // Codex sends a patch as a command.
    if call.name == "ApplyPatch" && !paths.is_empty() {
        return Some(paths.join(", "));
    }
    if let Some(command) = call.command() {
        return Some(command.to_owned());
    }
    if !paths.is_empty() {
        return Some(paths.join(", "));
    }
    let input = &call.input;
    if let Some(steps) = steps(input) {
        return Some(steps);
    }
    let mut members = SUBJECT_KEYS
        .iter()
        .filter_map(|key| input.get(key)?.as_str());
    if let Some(text) = members.next() {
        return Some(text.to_owned());
    }
    match input {
        Value::Null => None,
        Value::Object(fields) if fields.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The progress of an agent's to-do list and its current step: `1 of 3 done: fixing the parser`.
fn steps(input: &Value) -> Option<String> {
    let of = |key: &str| input.get(key)?.as_array().filter(|list| !list.is_empty());
    let steps = of("todos").or_else(|| of("plan"))?;
    let states: Option<Vec<&str>> = steps.iter().map(|step| step["status"].as_str()).collect();
    let states = states?;
    let done = states.iter().filter(|state| **state == "completed").count();
    let now = states.iter().position(|state| *state == "in_progress");
    let name = |at: usize| {
        let names = ["activeForm", "content", "step", "description"];
        names.iter().find_map(|key| steps[at][*key].as_str())
    };
    let so_far = format!("{done} of {} done", steps.len());
    Some(match now.and_then(name) {
        Some(name) => format!("{so_far}: {name}"),
        None => so_far,
    })
}

/// The text on one line, with single spaces, truncated if it is long; `None` if it is blank.
fn line(text: &str) -> Option<String> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Counts bytes: counting characters again after every word would be quadratic.
        if line.len() > 4 * MAX_LINE_CHARS {
            break;
        }
    }
    let end = prefix_chars(&line, MAX_LINE_CHARS).len();
    if end < line.len() {
        line.truncate(end);
        line.push('…');
    }
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(agent: &str, event: &str, payload: Value) -> Option<String> {
        describe_record(&json!({ "agent": agent, "event": event, "payload": payload }))
    }

    #[test]
    fn call_description_prefers_command_then_files_then_input() {
        let call = |tool: &str, input: Value| {
            of(
                "claude",
                "PreToolUse",
                json!({ "session_id": "s", "tool_name": tool, "tool_input": input }),
            )
        };
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Add File: b.rs\n*** End Patch";
        for (tool, input, expected) in [
            (
                "Bash",
                json!({ "command": "ls\n  -l", "description": "Lists" }),
                Some("ls -l"),
            ),
            ("Edit", json!({ "file_path": "/a/b" }), Some("/a/b")),
            (
                "apply_patch",
                json!({ "command": patch }),
                Some("a.rs, b.rs"),
            ),
            ("WebFetch", json!({ "url": "https://a" }), Some("https://a")),
            ("mcp__a__b", json!({ "x": 1 }), Some(r#"{"x":1}"#)),
            ("mcp__a__b", json!({}), None),
            (
                "TodoWrite",
                json!({ "todos": [
                    { "content": "find it", "status": "completed", "activeForm": "Finding it" },
                    { "content": "fix it", "status": "in_progress", "activeForm": "Fixing it" },
                ] }),
                Some("1 of 2 done: Fixing it"),
            ),
            (
                "update_plan",
                json!({ "plan": [{ "step": "read", "status": "pending" }] }),
                Some("0 of 1 done"),
            ),
        ] {
            assert_eq!(call(tool, input).as_deref(), expected, "{tool}");
        }
    }

    #[test]
    fn long_description_is_truncated_between_characters() {
        let prompt = "ü".repeat(1000);
        let line = of(
            "claude",
            "UserPromptSubmit",
            json!({ "session_id": "s", "prompt": prompt }),
        );
        let line = line.expect("a line");
        assert!(line.ends_with('…') && line.chars().count() == MAX_LINE_CHARS + 1);
    }
}
