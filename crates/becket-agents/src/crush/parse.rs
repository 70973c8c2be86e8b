//! Parses Crush's payloads into events.
//!
//! An unknown event name becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId};
use serde_json::{Map, Value};

use super::ID;
use super::events::CRUSH;
use super::tools::WORDS;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
    let name = fields.event_name("event", hint)?;
    let native = CRUSH.find(name);
    let data = match native {
        Some(_) => EventData::PreToolUse {
            call: WORDS.call(
                &fields.required_name("tool_name")?,
                fields.required_input("tool_input")?,
            ),
        },
        None => other(name, fields.text("tool_name")),
    };
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name: native.map_or(name, |native| native.name()).to_owned(),
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}
