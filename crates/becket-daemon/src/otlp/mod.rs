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
    /// When it happened, in nanoseconds since 1970; zero if nobody says so that it can be read.
    pub nanos: u64,
    /// When the exporter saw it, likewise.
    pub observed: u64,
}

/// 2000-01-01. Nobody logged anything before; a number below is one in another unit.
const EARLIEST: u64 = 946_684_800_000_000_000;

/// By how much a clock may be ahead of ours.
const AHEAD: u64 = 24 * 3600 * 1_000_000_000;

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
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.parse().ok().or_else(|| whole(text.parse().ok()?)),
            _ => None,
        }
    }

    /// When it happened, as far as that can be believed; else when it was seen, else `now`.
    pub fn happened(&self, now: u64) -> u64 {
        let told = [self.nanos, self.observed];
        let believed = |nanos: &u64| (EARLIEST..=now.saturating_add(AHEAD)).contains(nanos);
        told.into_iter().find(believed).unwrap_or(now)
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

#[expect(clippy::cast_possible_truncation, reason = "counts and milliseconds")]
fn whole(number: f64) -> Option<i64> {
    number.is_finite().then_some(number as i64)
}

/// An id for what a record says: exporters send a batch again when they heard no answer. It begins with the time as
/// it was told, so that records of one millisecond keep their order.
pub fn id_of(log: &Log) -> String {
    let text = serde_json::to_string(&(&log.attributes, &log.body, log.nanos, log.observed));
    let digest = blake3::hash(text.unwrap_or_default().as_bytes());
    format!("{TELEMETRY}{:020}-{}", log.nanos, &digest.to_hex()[..32])
}
