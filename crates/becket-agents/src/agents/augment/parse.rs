//! Parses Auggie's payloads into events.
//!
//! Lenient for informative fields, including the prompt: Auggie sends it only on request and does not wait
//! for a reply. Strict for the tool's name and the input of a pending call. An unknown event name becomes
//! [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, EventKind, SessionId, ToolCall};
use serde_json::{Map, Value};

use super::tools::{TOOLS, mcp_call};
use super::{NAME, ROOTS, SESSION};
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::{AgentSpec, EventRow};
use crate::tool_failure;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name(NAME, hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, data(fields, row)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar(SESSION).unwrap_or_default()),
        cwd: fields.first_of(ROOTS),
        native_name,
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}

fn data(fields: PayloadFields<'_>, row: &EventRow) -> Result<EventData, ParseError> {
    Ok(match row.kind {
        Some(EventKind::PreToolUse) => {
            let input = fields.required_input("tool_input")?.clone();
            let call = call(fields, input)?;
            EventData::PreToolUse { call }
        }
        Some(EventKind::PostToolUse) => finished(fields)?,
        Some(EventKind::UserPromptSubmit) => EventData::UserPromptSubmit {
            prompt: fields.text("user_prompt").unwrap_or_default(),
        },
        Some(EventKind::SessionStart) => EventData::SessionStart { source: None },
        Some(EventKind::SessionEnd) => EventData::SessionEnd { reason: None },
        Some(EventKind::Stop) => at_rest(fields),
        Some(EventKind::Notification) => EventData::Notification {
            kind: fields.text("notification_type"),
            message: fields.text("notification_message").unwrap_or_default(),
        },
        _ => other(row.native, None),
    })
}

fn call(fields: PayloadFields<'_>, input: Value) -> Result<ToolCall, ParseError> {
    let name = fields.required_name("tool_name")?;
    if fields.flag("is_mcp_tool") != Some(true) {
        return Ok(TOOLS.call(name, input));
    }
    let metadata = fields.within("mcp_metadata");
    let server = metadata.and_then(|m| m.str("mcpExecutedToolServerName"));
    let server = server.filter(|server| !server.is_empty());
    Ok(mcp_call(&name, server, input))
}

fn finished(fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let input = fields.get("tool_input").cloned();
    let call = call(fields, input.unwrap_or_else(|| Map::new().into()))?;
    let response = fields.get("tool_output").cloned().unwrap_or_default();
    let error = fields.scalar("tool_error");
    Ok(tool_failure::finished(call, response, error, None))
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
