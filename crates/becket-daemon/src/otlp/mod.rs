//! OpenTelemetry logs, from agents that report that way: JSON, protobuf and gRPC bodies in, what
//! happened out.
//!
//! [`decode`] reads the protocol, [`table`] says what an agent's events mean. Another agent is another
//! table; none of its words are in the code.

pub mod decode;
pub mod table;
mod wire;

use becket_store::TELEMETRY;
use serde_json::{Map, Value};

/// One log record.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// What the process says about itself (`service.name`…).
    pub resource: Map<String, Value>,
    /// What the record says.
    pub attributes: Map<String, Value>,
    /// The body, if it is text.
    pub body: Option<String>,
    /// Nanoseconds since 1970; zero if nobody says.
    pub nanos: u64,
}

impl Log {
    /// The event's name: an attribute, or the body.
    pub fn name(&self) -> Option<&str> {
        self.text("event.name").or(self.body.as_deref())
    }

    /// An attribute of the record, or else of the resource, as text.
    pub fn text(&self, key: &str) -> Option<&str> {
        let value = self.attributes.get(key).or_else(|| self.resource.get(key));
        value.and_then(Value::as_str)
    }

    /// An attribute as a number; agents write numbers as text, too.
    pub fn number(&self, key: &str) -> Option<i64> {
        match self.attributes.get(key)? {
            Value::Number(number) => number.as_i64().or_else(|| {
                #[expect(clippy::cast_possible_truncation, reason = "counts and milliseconds")]
                number.as_f64().map(|number| number as i64)
            }),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// An attribute as yes or no.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.attributes.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// An id for what a record says: exporters send a batch again when they heard no answer.
pub fn id_of(log: &Log) -> String {
    let text = serde_json::to_string(&(&log.attributes, &log.body, log.nanos));
    let digest = blake3::hash(text.unwrap_or_default().as_bytes());
    format!("{TELEMETRY}{}", &digest.to_hex()[..32])
}
