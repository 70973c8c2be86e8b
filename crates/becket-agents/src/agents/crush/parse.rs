//! Parses Crush's payloads into events.
//!
//! An unknown event name becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId};
use serde_json::{Map, Value};

use super::tools::TOOLS;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::AgentSpec;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("event", hint)?;
    let row = spec.find(name);
    let data = match row {
        Some(_) => {
            let tool = fields.required_name("tool_name")?;
            let input = fields.required_input("tool_input")?.clone();
            EventData::PreToolUse {
                call: TOOLS.call(tool, input),
            }
        }
        None => other(name, fields.text("tool_name")),
    };
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name: row.map_or(name, |row| row.native).to_owned(),
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}
