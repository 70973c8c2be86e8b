//! Ingests OpenTelemetry logs from agents that report over OTLP.
//!
//! [`decode`] decodes the protocol; [`table`] maps an agent's log records to events. To support another agent, add
//! another table; the code knows no agent.

pub mod decode;
pub mod table;
mod wire;

use becket_store::TELEMETRY_ID_PREFIX;
use serde_json::{Map, Value};

/// One log record.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRecord {
    /// Attributes of the process, such as `service.name`.
    pub resource: Map<String, Value>,
    /// Attributes of the record.
    pub attributes: Map<String, Value>,
    /// The body, if it is a string.
    pub body: Option<String>,
    /// The timestamp in nanoseconds since 1970; zero if it is missing or invalid.
    pub nanos: u64,
    /// When the exporter observed the record, in the same unit.
    pub observed: u64,
}

/// 2000-01-01. A smaller number is a timestamp in another unit.
const MIN_TIMESTAMP: u64 = 946_684_800_000_000_000;

/// How far a clock may be ahead of ours.
const MAX_CLOCK_SKEW: u64 = 24 * 3600 * 1_000_000_000;

impl LogRecord {
    /// The event name: an attribute, or the body.
    pub fn name(&self) -> Option<&str> {
        self.text("event.name").or(self.body.as_deref())
    }

    /// A string attribute of the record, or else of the resource.
    pub fn text(&self, key: &str) -> Option<&str> {
        let value = self.attributes.get(key).or_else(|| self.resource.get(key));
        value.and_then(Value::as_str)
    }

    /// A numeric attribute; some agents write numbers as strings.
    pub fn number(&self, key: &str) -> Option<i64> {
        match self.attributes.get(key)? {
            Value::Number(number) => number.as_i64().or_else(|| truncate(number.as_f64()?)),
            Value::String(text) => text.parse().ok().or_else(|| truncate(text.parse().ok()?)),
            _ => None,
        }
    }

    /// The timestamp if it is plausible, else the observed time, else `now`.
    pub fn timestamp(&self, now: u64) -> u64 {
        let candidates = [self.nanos, self.observed];
        let is_plausible =
            |nanos: &u64| (MIN_TIMESTAMP..=now.saturating_add(MAX_CLOCK_SKEW)).contains(nanos);
        candidates.into_iter().find(is_plausible).unwrap_or(now)
    }

    /// A boolean attribute.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.attributes.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "counts and milliseconds")]
fn truncate(number: f64) -> Option<i64> {
    number.is_finite().then_some(number as i64)
}

/// A deterministic id: exporters send a batch again when they got no response. It starts with the timestamp, so that
/// records of the same millisecond keep their order.
pub fn record_id(log: &LogRecord) -> String {
    let text = serde_json::to_string(&(&log.attributes, &log.body, log.nanos, log.observed));
    let digest = blake3::hash(text.unwrap_or_default().as_bytes());
    format!(
        "{TELEMETRY_ID_PREFIX}{:020}-{}",
        log.nanos,
        &digest.to_hex()[..32]
    )
}
