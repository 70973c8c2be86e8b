//! What an event was about, in one line, whichever agent told of it.

use std::borrow::Cow;

use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

use crate::injected::strip_injected;
use crate::record::event_in;
use crate::sanitise::cut;

/// A line has no more characters than this.
const LONGEST: usize = 300;

/// The members of a tool's input that say it, after its command and its files.
const TELLING: [&str; 8] = [
    "url",
    "query",
    "pattern",
    "description",
    "prompt",
    "subject",
    "skill",
    "name",
];

/// What the event of a record was about: a command, a file, a prompt, an answer. `None` where nothing of the kind was told.
pub fn about(record: &Value) -> Option<String> {
    about_event(&event_in(record)?)
}

/// The same, uncut and with its breaks.
pub fn about_in_full(record: &Value) -> Option<String> {
    told(&event_in(record)?)
}

/// The same of a call that is no longer in an event.
pub fn about_tool(name: &str, input: &Value) -> Option<String> {
    line(&about_call(&ToolCall::new(name, input.clone()))?)
}

/// The same of an event.
pub(crate) fn about_event(event: &Event) -> Option<String> {
    line(&told(event)?)
}

fn told(event: &Event) -> Option<String> {
    if let Some(call) = event.call() {
        return about_call(call);
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
    // What an agent was told by us and says again is not what it is about.
    let text = text.map(strip_injected);
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(Cow::into_owned)
        .or_else(|| event.subject().map(str::to_owned))
}

/// The most telling part of a call: its command, its files, or what else is in its input; all of it as a last resort.
fn about_call(call: &ToolCall) -> Option<String> {
    let paths = call.paths();
    // A patch is often told as a command.
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
    let mut members = TELLING.iter().filter_map(|key| input.get(key)?.as_str());
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

/// How far the steps have come that an agent keeps, and which one it is at: `1 of 3 done: fixing the parser`.
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

/// A text without breaks and runs of space, cut if it is long; `None` if nothing is left.
fn line(text: &str) -> Option<String> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Bytes, so that a long text is not counted with each of its words.
        if line.len() > 4 * LONGEST {
            break;
        }
    }
    let end = cut(&line, LONGEST).len();
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
        about(&json!({ "agent": agent, "event": event, "payload": payload }))
    }

    #[test]
    fn a_call_is_told_by_what_is_most_telling_in_it() {
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
    fn a_long_text_is_cut_between_characters() {
        let prompt = "ü".repeat(1000);
        let line = of(
            "claude",
            "UserPromptSubmit",
            json!({ "session_id": "s", "prompt": prompt }),
        );
        let line = line.expect("a line");
        assert!(line.ends_with('…') && line.chars().count() == LONGEST + 1);
    }
}
