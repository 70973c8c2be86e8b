//! Kiro's payloads as events.
//!
//! Lenient where a field only informs; strict about the tool's name, the input of a call that is
//! about to happen, and the prompt. What the payloads of spec tasks and files hold is not documented,
//! so nothing is asked of them. A name that is not in the table is an [`EventData::Other`], never an
//! error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::{KIRO, trigger};
use super::tools::WORDS;
use crate::adapter::ParseError;
use crate::exchange::FAILURES;
use crate::exchange::events::{Native, Reads};
use crate::fields::{Fields, other};

/// What a task of a spec is called, since Kiro has no tool of that kind.
const SPEC_TASK: &str = "spec_task";

/// The keys of every payload, which say nothing about a task.
const ENVELOPE: &[&str] = &["hook_event_name", "cwd", "session_id", "tool_response"];

/// Reads a payload; its own event name wins over the one from the command line, which then only
/// tells whether a hook file or an agent file is asked.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = Fields::new(ID, &raw);
    let name = fields.event_name("hook_event_name", hint)?;
    let (native_name, data) = match KIRO.find(name) {
        Some(native) => {
            let native = trigger(hint, native).unwrap_or(native);
            (native.name(), data(fields, native)?)
        }
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name,
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}

fn data(fields: Fields<'_>, native: &Native) -> Result<EventData, ParseError> {
    Ok(match native.reads {
        Reads::PreTool => EventData::PreToolUse {
            call: announced(fields, native)?,
        },
        Reads::PostTool => finished(fields, native)?,
        Reads::Prompt => EventData::UserPromptSubmit {
            prompt: fields.required_text("prompt")?,
        },
        Reads::Start(source) => EventData::SessionStart {
            source: source.map(str::to_owned),
        },
        Reads::End => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        Reads::Rest => EventData::Stop {
            active: false,
            last_message: fields.text("assistant_response"),
        },
        Reads::File(change) => EventData::FileModified {
            path: file(fields),
            change: Some(change.to_owned()),
        },
        _ => other(native.name(), None),
    })
}

fn announced(fields: Fields<'_>, native: &Native) -> Result<ToolCall, ParseError> {
    if is_task(native) {
        return Ok(task(fields));
    }
    let name = fields.required_name("tool_name")?;
    Ok(WORDS.call(&name, fields.required_input("tool_input")?))
}

fn finished(fields: Fields<'_>, native: &Native) -> Result<EventData, ParseError> {
    let call = if is_task(native) {
        task(fields)
    } else {
        let nothing = Value::Object(Map::new());
        let input = fields.get("tool_input").unwrap_or(&nothing);
        WORDS.call(&fields.required_name("tool_name")?, input)
    };
    let response = fields.get("tool_response").cloned().unwrap_or_default();
    Ok(match FAILURES.reported(&response) {
        Some(error) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: false,
            duration_ms: None,
        },
        None => EventData::PostToolUse {
            call,
            response,
            duration_ms: None,
        },
    })
}

fn is_task(native: &Native) -> bool {
    matches!(native.name(), "PreTaskExec" | "PostTaskExec")
}

/// A task of a spec as a call, with whatever the payload tells about it.
fn task(fields: Fields<'_>) -> ToolCall {
    let told: Map<String, Value> = fields
        .entries()
        .filter(|(key, _)| !ENVELOPE.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    ToolCall::new(SPEC_TASK, Value::Object(told))
}

fn file(fields: Fields<'_>) -> String {
    let path = ["file_path", "filePath", "path"]
        .into_iter()
        .find_map(|key| fields.filled(key));
    path.unwrap_or_default()
}
