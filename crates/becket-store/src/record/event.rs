//! Parses the payload of a record with its agent's adapter.

use becket_agents::{Adapter, adapter, claude::CLAUDE};
use becket_model::{Event, EventData, EventKind};
use serde_json::{Map, Value};

/// Marks records whose payload has Becket's own shape instead of the agent's.
pub(crate) const OWN_SHAPE: (&str, &str) = ("shape", "becket");

/// The event in a record; `None` if the record has no payload.
pub(super) fn parse_payload(
    fields: &mut Map<String, Value>,
    agent: &str,
    kind: &str,
) -> Result<Option<Event>, String> {
    let own = fields.get(OWN_SHAPE.0).and_then(Value::as_str) == Some(OWN_SHAPE.1);
    let Some(Value::Object(payload)) = fields.remove("payload") else {
        return Ok(None);
    };
    let adapter: &dyn Adapter = match adapter(agent) {
        Some(adapter) if !own => adapter,
        // Becket's own shape uses CLAUDE's keys and extends them.
        _ => &CLAUDE,
    };
    let parse = |hint: &str, payload| {
        let event = adapter.parse(Some(hint), payload);
        event.map_err(|error| error.to_string())
    };
    let mut event = parse(kind, payload)?;
    if let EventData::Other { name, .. } = &event.data
        && own
    {
        event.data = becket_event_data(&EventKind::parse(name), &event);
    }
    // Some agents report a failure under the name of a success. Which key holds the error depends on that name.
    if let EventData::PostToolUseFailure { error, .. } = &event.data
        && error.is_empty()
        && let Ok(again) = parse(EventKind::PostToolUse.name(), event.raw.clone())
        && again.kind() == EventKind::PostToolUseFailure
    {
        return Ok(Some(again));
    }
    Ok(Some(event))
}

/// The events that CLAUDE's protocol does not have.
fn becket_event_data(kind: &EventKind, event: &Event) -> EventData {
    let text = |key: &str| {
        event
            .raw
            .get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let text_or_empty = |key: &str| text(key).unwrap_or_default();
    match kind {
        EventKind::AgentThought => EventData::AgentThought {
            text: text_or_empty("text"),
        },
        EventKind::AgentResponse => EventData::AgentResponse {
            text: text_or_empty("text"),
        },
        EventKind::FileModified => EventData::FileModified {
            path: text_or_empty("file_path"),
            change: text("change_type"),
        },
        EventKind::SessionError => EventData::SessionError {
            error: text_or_empty("error"),
            code: text("error_code"),
        },
        EventKind::PreModelRequest => EventData::PreModelRequest,
        EventKind::PostModelRequest => EventData::PostModelRequest,
        _ => event.data.clone(),
    }
}
