//! Codex's `notify` program: it runs after a turn with one argument, and its output is ignored.
//!
//! It needs no trust and is not a hook. A turn that a `Stop` hook ended or prolonged is not reported. With
//! hooks installed as well, the same turn is reported twice; its `turn-id` is in [`Event::raw`].

use becket_model::{AgentId, Event, EventData, SessionId};
use serde_json::{Map, Value};

use super::ID;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::payload;

/// The only notification type.
pub(super) const TURN_COMPLETE: &str = "agent-turn-complete";

/// Parses the last argument of the notify program.
pub fn notify(argv_last: &str) -> Result<Event, ParseError> {
    let raw = payload::read(argv_last.as_bytes()).map_err(|error| ParseError {
        agent: ID,
        message: format!("the last argument: {error}"),
    })?;
    parse(raw)
}

/// Whether a payload is from `notify` rather than from a hook.
pub(super) fn is_notification(payload: &Map<String, Value>) -> bool {
    payload.get("type").is_some_and(Value::is_string)
        && payload.contains_key("thread-id")
        && !payload.contains_key("hook_event_name")
}

/// A notification of another type is kept whole.
pub(super) fn parse(raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
    let native_name = fields.required_text("type")?;
    if native_name.is_empty() {
        return Err(fields.missing("type"));
    }
    let data = match native_name.as_str() {
        TURN_COMPLETE => EventData::Stop {
            active: false,
            last_message: fields.text("last-assistant-message"),
        },
        name => other(name, None),
    };
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("thread-id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name,
        subagent: None,
        transcript: None,
        data,
        raw,
    })
}
