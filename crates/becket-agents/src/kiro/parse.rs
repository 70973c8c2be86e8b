//! Parses Kiro's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, the input of a pending call, and the prompt. The
//! payloads of spec tasks and files are not documented, so no field of them is required. An unknown event name
//! becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::{KIRO, trigger};
use super::tools::WORDS;
use crate::adapter::ParseError;
use crate::exchange::FAILURES;
use crate::exchange::events::{ExchangeNative, Reads};
use crate::fields::{PayloadFields, other};

/// The tool name for a spec task, since Kiro has no such tool.
const SPEC_TASK: &str = "spec_task";

/// The common keys of every payload, which do not describe a task.
const ENVELOPE: &[&str] = &["hook_event_name", "cwd", "session_id", "tool_response"];

/// Parses a payload. Its own event name takes precedence over the one from the command line, which then only
/// tells whether the entry is in a hook file or an agent file.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
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

fn data(fields: PayloadFields<'_>, native: &ExchangeNative) -> Result<EventData, ParseError> {
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

fn announced(fields: PayloadFields<'_>, native: &ExchangeNative) -> Result<ToolCall, ParseError> {
    if is_task(native) {
        return Ok(task(fields));
    }
    let name = fields.required_name("tool_name")?;
    Ok(WORDS.call(&name, fields.required_input("tool_input")?))
}

fn finished(fields: PayloadFields<'_>, native: &ExchangeNative) -> Result<EventData, ParseError> {
    let call = if is_task(native) {
        task(fields)
    } else {
        let nothing = Value::Object(Map::new());
        let input = fields.get("tool_input").unwrap_or(&nothing);
        WORDS.call(&fields.required_name("tool_name")?, input)
    };
    let response = fields.get("tool_response").cloned().unwrap_or_default();
    Ok(match FAILURES.error(&response) {
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

fn is_task(native: &ExchangeNative) -> bool {
    matches!(native.name(), "PreTaskExec" | "PostTaskExec")
}

/// A spec task as a call, with all that the payload contains.
fn task(fields: PayloadFields<'_>) -> ToolCall {
    let told: Map<String, Value> = fields
        .entries()
        .filter(|(key, _)| !ENVELOPE.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    ToolCall::new(SPEC_TASK, Value::Object(told))
}

fn file(fields: PayloadFields<'_>) -> String {
    let path = ["file_path", "filePath", "path"]
        .into_iter()
        .find_map(|key| fields.filled(key));
    path.unwrap_or_default()
}
