//! Serializers for columns that contain JSON, lists or durations.

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// Serializes a JSON column as JSON; invalid JSON stays a string.
pub(super) fn json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.serialize(serializer),
        Err(_) => serializer.serialize_str(text),
    }
}

/// Like [`json`], for a nullable column.
#[expect(clippy::ref_option, reason = "serde requires this signature")]
pub(super) fn optional_json<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => json(text, serializer),
        None => serializer.serialize_none(),
    }
}

/// Serializes newline-separated text as a list.
#[expect(clippy::ref_option, reason = "serde requires this signature")]
pub(super) fn lines<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(text.as_deref().unwrap_or_default().lines())
}

/// Serializes a duration in milliseconds.
pub(super) fn millis<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
