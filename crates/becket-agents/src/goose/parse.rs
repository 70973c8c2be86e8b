//! Parses Goose's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, a present input, and the prompt. A tool without
//! arguments has no `tool_input`. An unknown event name becomes [`EventData::Other`], never an error. Start at
//! [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::GOOSE;
use super::tools::WORDS;
use crate::adapter::ParseError;
use crate::exchange::events::{ExchangeNative, Reads};
use crate::fields::{PayloadFields, other};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
    let name = fields.event_name("event", hint)?;
    let (native_name, data) = match GOOSE.find(name) {
        Some(native) => (native.name(), data(fields, native)?),
        None => (name, other(name, fields.text("matcher_context"))),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("working_dir"),
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
            call: call(fields)?,
        },
        // Goose sends no output, although it documents it.
        Reads::PostTool => EventData::PostToolUse {
            call: call(fields)?,
            response: fields.get("tool_output").cloned().unwrap_or(Value::Null),
            duration_ms: None,
        },
        // Goose sends no error either.
        Reads::PostToolFailure => EventData::PostToolUseFailure {
            call: call(fields)?,
            error: fields.scalar("tool_output").unwrap_or_default(),
            interrupted: false,
            duration_ms: None,
        },
        Reads::Prompt => EventData::UserPromptSubmit {
            prompt: fields.required_text("message")?,
        },
        Reads::Start(source) => EventData::SessionStart {
            source: source.map(str::to_owned),
        },
        Reads::End => EventData::SessionEnd { reason: None },
        Reads::Rest => EventData::Stop {
            active: false,
            last_message: fields.text("last_assistant_message"),
        },
        Reads::File(change) => EventData::FileModified {
            path: edited(fields),
            change: Some(change.to_owned()),
        },
        Reads::SubagentStart => EventData::SubagentStart {
            id: String::new(),
            kind: String::new(),
            description: String::new(),
        },
        Reads::SubagentStop => EventData::SubagentStop {
            id: String::new(),
            kind: String::new(),
            active: false,
            success: true,
            error: None,
            last_message: None,
        },
        Reads::Other | Reads::Error | Reads::Compaction | Reads::Notice => {
            other(native.name(), fields.text("matcher_context"))
        }
    })
}

fn call(fields: PayloadFields<'_>) -> Result<ToolCall, ParseError> {
    let name = fields.required_name("tool_name")?;
    let nothing = Value::Object(Map::new());
    let input = match fields.get("tool_input") {
        None | Some(Value::Null) => &nothing,
        Some(_) => fields.required_input("tool_input")?,
    };
    Ok(WORDS
        .call(&name, input)
        .with_id(fields.scalar("tool_call_id")))
}

fn edited(fields: PayloadFields<'_>) -> String {
    let input = || fields.within("tool_input")?.text("path");
    let path = fields.filled("matcher_context").or_else(input);
    path.unwrap_or_default()
}
