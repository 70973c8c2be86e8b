//! The payload of a record as an event.

use becket_agents::{Adapter, adapter, claude::Claude};
use becket_model::{Event, EventData, EventKind};
use serde_json::{Map, Value};

/// Marks records whose payload is in Becket's own shape and not in the agent's.
pub(crate) const OWN_SHAPE: (&str, &str) = ("shape", "becket");

/// The event in a record; `None` if there is no payload.
pub(super) fn of(
    fields: &mut Map<String, Value>,
    agent: &str,
    kind: &str,
) -> Result<Option<Event>, String> {
    let own = fields.get(OWN_SHAPE.0).and_then(Value::as_str) == Some(OWN_SHAPE.1);
    let Some(Value::Object(payload)) = fields.remove("payload") else {
        return Ok(None);
    };
    let reader: &dyn Adapter = match adapter(agent) {
        Some(adapter) if !own => adapter,
        // Becket's own shape has Claude's words for all that Claude has a word for.
        _ => &Claude,
    };
    let read = |hint: &str, payload| {
        let event = reader.parse(Some(hint), payload);
        event.map_err(|error| error.to_string())
    };
    let mut event = read(kind, payload)?;
    if let EventData::Other { name, .. } = &event.data
        && own
    {
        event.data = own_data(&EventKind::parse(name), &event);
    }
    // Some agents report a failure as the end of a tool like any other; where the error stands
    // depends on which of the two it was called.
    if let EventData::PostToolUseFailure { error, .. } = &event.data
        && error.is_empty()
        && let Ok(again) = read(EventKind::PostToolUse.name(), event.raw.clone())
        && again.kind() == EventKind::PostToolUseFailure
    {
        return Ok(Some(again));
    }
    Ok(Some(event))
}

/// What Claude has no word for.
fn own_data(kind: &EventKind, event: &Event) -> EventData {
    let text = |key: &str| {
        event
            .raw
            .get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let needed = |key: &str| text(key).unwrap_or_default();
    match kind {
        EventKind::AgentThought => EventData::AgentThought {
            text: needed("text"),
        },
        EventKind::AgentResponse => EventData::AgentResponse {
            text: needed("text"),
        },
        EventKind::FileModified => EventData::FileModified {
            path: needed("file_path"),
            change: text("change_type"),
        },
        EventKind::SessionError => EventData::SessionError {
            error: needed("error"),
            code: text("error_code"),
        },
        EventKind::PreModelRequest => EventData::PreModelRequest,
        EventKind::PostModelRequest => EventData::PostModelRequest,
        _ => event.data.clone(),
    }
}
