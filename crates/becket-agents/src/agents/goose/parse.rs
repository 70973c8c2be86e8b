//! Parses Goose's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, a present input, and the prompt. A tool without
//! arguments has no `tool_input`. An unknown event name becomes [`EventData::Other`], never an error. Start at
//! [`parse`].

use becket_model::{AgentId, Event, EventData, EventKind, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::tools::TOOLS;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::{AgentSpec, EventRow};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("event", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, data(fields, row)?),
        None => (name, other(name, fields.text("matcher_context"))),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("working_dir"),
        native_name,
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}

fn data(fields: PayloadFields<'_>, row: &EventRow) -> Result<EventData, ParseError> {
    Ok(match row.kind {
        Some(EventKind::PreToolUse) => EventData::PreToolUse {
            call: call(fields)?,
        },
        // Goose sends no output, although it documents it.
        Some(EventKind::PostToolUse) => EventData::PostToolUse {
            call: call(fields)?,
            response: fields.get("tool_output").cloned().unwrap_or(Value::Null),
            duration_ms: None,
        },
        // Goose sends no error either.
        Some(EventKind::PostToolUseFailure) => EventData::PostToolUseFailure {
            call: call(fields)?,
            error: fields.scalar("tool_output").unwrap_or_default(),
            interrupted: false,
            duration_ms: None,
        },
        Some(EventKind::UserPromptSubmit) => EventData::UserPromptSubmit {
            prompt: fields.required_text("message")?,
        },
        Some(EventKind::SessionStart) => EventData::SessionStart { source: None },
        Some(EventKind::SessionEnd) => EventData::SessionEnd { reason: None },
        Some(EventKind::Stop) => EventData::Stop {
            active: false,
            last_message: fields.text("last_assistant_message"),
        },
        Some(EventKind::FileModified) => EventData::FileModified {
            path: edited(fields),
            change: Some("modify".to_owned()),
        },
        Some(EventKind::SubagentStart) => EventData::SubagentStart {
            id: String::new(),
            kind: String::new(),
            description: String::new(),
        },
        Some(EventKind::SubagentStop) => EventData::SubagentStop {
            id: String::new(),
            kind: String::new(),
            active: false,
            success: true,
            error: None,
            last_message: None,
        },
        _ => other(row.native, fields.text("matcher_context")),
    })
}

fn call(fields: PayloadFields<'_>) -> Result<ToolCall, ParseError> {
    let name = fields.required_name("tool_name")?;
    let input = match fields.get("tool_input") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(_) => fields.required_input("tool_input")?.clone(),
    };
    let id = fields.scalar("tool_call_id");
    Ok(TOOLS.call(name, input).with_id(id))
}

fn edited(fields: PayloadFields<'_>) -> String {
    let input = || fields.within("tool_input")?.text("path");
    let path = fields.filled("matcher_context").or_else(input);
    path.unwrap_or_default()
}
