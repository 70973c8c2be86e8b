//! Parses Auggie's payloads into events.
//!
//! Lenient for informative fields, including the prompt: Auggie sends it only on request and does not wait
//! for a reply. Strict for the tool's name and the input of a pending call. An unknown event name becomes
//! [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::AUGMENT;
use super::tools::{WORDS, mcp_call};
use crate::adapter::ParseError;
use crate::exchange::events::{ExchangeNative, Reads};
use crate::fields::{PayloadFields, other};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
    let name = fields.event_name("hook_event_name", hint)?;
    let (native_name, data) = match AUGMENT.find(name) {
        Some(native) => (native.name(), data(fields, native)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("conversation_id").unwrap_or_default()),
        cwd: fields.first_of("workspace_roots"),
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
            call: call(fields, fields.required_input("tool_input")?)?,
        },
        Reads::PostTool => finished(fields)?,
        Reads::Prompt => EventData::UserPromptSubmit {
            prompt: fields.text("user_prompt").unwrap_or_default(),
        },
        Reads::Start(source) => EventData::SessionStart {
            source: source.map(str::to_owned),
        },
        Reads::End => EventData::SessionEnd { reason: None },
        Reads::Rest => at_rest(fields),
        Reads::Notice => EventData::Notification {
            kind: fields.text("notification_type"),
            message: fields.text("notification_message").unwrap_or_default(),
        },
        _ => other(native.name(), None),
    })
}

fn call(fields: PayloadFields<'_>, input: &Value) -> Result<ToolCall, ParseError> {
    let name = fields.required_name("tool_name")?;
    if fields.flag("is_mcp_tool") != Some(true) {
        return Ok(WORDS.call(&name, input));
    }
    let metadata = fields.within("mcp_metadata");
    let server = metadata.and_then(|m| m.str("mcpExecutedToolServerName"));
    let server = server.filter(|server| !server.is_empty());
    Ok(mcp_call(&name, server, input))
}

fn finished(fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let nothing = Value::Object(Map::new());
    let call = call(fields, fields.get("tool_input").unwrap_or(&nothing))?;
    Ok(match fields.scalar("tool_error") {
        Some(error) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: false,
            duration_ms: None,
        },
        None => EventData::PostToolUse {
            call,
            response: fields.get("tool_output").cloned().unwrap_or_default(),
            duration_ms: None,
        },
    })
}

/// Auggie stops with `error` if it could not continue.
fn at_rest(fields: PayloadFields<'_>) -> EventData {
    let cause = fields.text("agent_stop_cause");
    if cause.as_deref() == Some("error") {
        return EventData::SessionError {
            error: "error".to_owned(),
            code: None,
        };
    }
    let conversation = fields.within("conversation");
    EventData::Stop {
        active: false,
        last_message: conversation.and_then(|c| c.text("agentTextResponse")),
    }
}
