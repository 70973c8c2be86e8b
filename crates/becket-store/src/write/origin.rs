//! The input of the `api` methods, and the record it becomes.

use std::time::Duration;

use becket_guard::redact::redact_json;
use becket_model::EventKind;
use serde_json::{Map, Value, json};

use crate::millis::Millis;
use crate::record::event::OWN_SHAPE;

/// The common fields of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventOrigin<'o> {
    /// The event's id. Storing the same id twice has no effect.
    pub id: &'o str,
    /// When it happened.
    pub at: Millis,
    /// The agent's name, such as `claude`.
    pub agent: &'o str,
    /// The agent's id for its session; empty if unknown, then only the event is stored.
    pub session: &'o str,
    /// The project's directory.
    pub project: Option<&'o str>,
    /// The path of the agent's transcript.
    pub transcript: Option<&'o str>,
    /// The id of the turn, if the agent sends one.
    pub generation: Option<&'o str>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolUse<'o> {
    /// The tool's name, native or canonical.
    pub tool: &'o str,
    /// Its input: an object, or JSON text.
    pub input: Value,
    /// The agent's id for the call.
    pub call_id: Option<&'o str>,
    /// Its duration.
    pub duration: Option<Duration>,
}

/// The tokens of a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; numbers are tokens"
)]
pub struct TokenCounts {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub reasoning: u64,
}

impl EventOrigin<'_> {
    /// The redacted record of an event, as a client would have written it.
    pub(super) fn record(&self, kind: &EventKind, fields: Value, decision: Option<Value>) -> Value {
        let mut payload = Map::new();
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                payload.insert(key.to_owned(), value);
            }
        };
        put("hook_event_name", json!(kind.name()));
        put("session_id", json!(self.session));
        put("transcript_path", json!(self.transcript));
        put("generation_id", json!(self.generation));
        if let Value::Object(fields) = fields {
            fields.into_iter().for_each(|(key, value)| put(&key, value));
        }
        let mut record = json!({
            "v": 1, "id": self.id, "ts": self.at.to_text(), "agent": self.agent, "event": kind.name(),
            "session": self.session, OWN_SHAPE.0: OWN_SHAPE.1, "payload": payload,
        });
        if let Some(project) = self.project {
            record["project"] = json!(project);
        }
        if let Some(decision) = decision {
            record["decision"] = decision;
        }
        redact_json(&mut record);
        record
    }
}

impl ToolUse<'_> {
    pub(super) fn fields(&self) -> Value {
        let duration = self
            .duration
            .and_then(|time| u64::try_from(time.as_millis()).ok());
        json!({
            "tool_name": self.tool, "tool_input": object(&self.input), "tool_use_id": self.call_id,
            "duration_ms": duration,
        })
    }
}

/// Wraps an input that is not an object.
fn object(input: &Value) -> Value {
    match input {
        Value::Object(_) => input.clone(),
        Value::Null => json!({}),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            _ => json!({ "raw": text }),
        },
        other => json!({ "raw": other }),
    }
}
