//! Codex's `notify` program: told after a turn, by an argument, and never listened to.
//!
//! It needs no trust and is not a hook: nothing is read back, and a turn that a `Stop` hook ended or
//! prolonged is not told. Where hooks are installed too, the same turn arrives both ways; its
//! `turn-id` is in [`Event::raw`].

use becket_model::{AgentId, Event, EventData, SessionId};
use serde_json::{Map, Value};

use super::ID;
use crate::adapter::ParseError;
use crate::fields::{Fields, other};
use crate::payload;

/// The one notification that there is.
pub(super) const TURN_COMPLETE: &str = "agent-turn-complete";

/// Reads the last argument of the notify program.
pub fn notify(argv_last: &str) -> Result<Event, ParseError> {
    let raw = payload::read(argv_last.as_bytes()).map_err(|error| ParseError {
        agent: ID,
        message: format!("the last argument: {error}"),
    })?;
    parse(raw)
}

/// Whether a payload is one of `notify` rather than of a hook.
pub(super) fn is_notification(payload: &Map<String, Value>) -> bool {
    payload.get("type").is_some_and(Value::is_string)
        && payload.contains_key("thread-id")
        && !payload.contains_key("hook_event_name")
}

/// A notification of another type is carried whole.
pub(super) fn parse(raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = Fields::new(ID, &raw);
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
