//! Parses Kiro's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, the input of a pending call, and the prompt. The
//! payloads of spec tasks and files are not documented, so no field of them is required. An unknown event name
//! becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, EventKind, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::events::{POST_TASK, PRE_TASK, trigger};
use super::tools::TOOLS;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::{AgentSpec, EventRow};
use crate::tool_failure;

/// The tool name for a spec task, since Kiro has no such tool.
const SPEC_TASK: &str = "spec_task";

/// The common keys of every payload, which do not describe a task.
const ENVELOPE: &[&str] = &["hook_event_name", "cwd", "session_id", "tool_response"];

/// Parses a payload. Its own event name takes precedence over the one from the command line, which then only
/// tells whether the entry is in a hook file or an agent file.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("hook_event_name", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => {
            let row = trigger(spec, hint, row).unwrap_or(row);
            (row.native, data(spec, fields, row)?)
        }
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name,
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}

fn data(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    row: &EventRow,
) -> Result<EventData, ParseError> {
    Ok(match row.kind {
        Some(EventKind::PreToolUse) => EventData::PreToolUse {
            call: announced(fields, row)?,
        },
        Some(EventKind::PostToolUse) => finished(spec, fields, row)?,
        Some(EventKind::UserPromptSubmit) => EventData::UserPromptSubmit {
            prompt: fields.required_text("prompt")?,
        },
        Some(EventKind::SessionStart) => EventData::SessionStart { source: None },
        Some(EventKind::SessionEnd) => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        Some(EventKind::Stop) => EventData::Stop {
            active: false,
            last_message: fields.text("assistant_response"),
        },
        Some(EventKind::FileModified) => EventData::FileModified {
            path: file(fields),
            change: Some(change(row).to_owned()),
        },
        _ => other(row.native, None),
    })
}

fn announced(fields: PayloadFields<'_>, row: &EventRow) -> Result<ToolCall, ParseError> {
    if row.native == PRE_TASK {
        return Ok(task(fields));
    }
    let name = fields.required_name("tool_name")?;
    let input = fields.required_input("tool_input")?;
    Ok(TOOLS.call(name, input.clone()))
}

fn finished(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    row: &EventRow,
) -> Result<EventData, ParseError> {
    let call = if row.native == POST_TASK {
        task(fields)
    } else {
        let name = fields.required_name("tool_name")?;
        let input = fields.get("tool_input").cloned();
        TOOLS.call(name, input.unwrap_or_else(|| Map::new().into()))
    };
    let response = fields.get("tool_response").cloned().unwrap_or_default();
    let error = spec.failures.error(&response);
    Ok(tool_failure::finished(call, response, error, None))
}

/// A spec task as a call, with all that the payload contains.
fn task(fields: PayloadFields<'_>) -> ToolCall {
    let described: Map<String, Value> = fields
        .entries()
        .filter(|(key, _)| !ENVELOPE.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    ToolCall::new(SPEC_TASK, Value::Object(described))
}

fn change(row: &EventRow) -> &'static str {
    match row.native {
        "PostFileCreate" => "create",
        "PostFileDelete" => "delete",
        _ => "modify",
    }
}

fn file(fields: PayloadFields<'_>) -> String {
    let path = ["file_path", "filePath", "path"]
        .into_iter()
        .find_map(|key| fields.filled(key));
    path.unwrap_or_default()
}
