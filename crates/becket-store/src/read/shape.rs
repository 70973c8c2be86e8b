//! How columns that hold more than text look to those who read rows as JSON.

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A column of JSON as JSON; what is none stays text.
pub(super) fn json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.serialize(serializer),
        Err(_) => serializer.serialize_str(text),
    }
}

/// The same where there may be nothing.
#[expect(clippy::ref_option, reason = "serde calls it so")]
pub(super) fn optional_json<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => json(text, serializer),
        None => serializer.serialize_none(),
    }
}

/// A column of lines as a list.
#[expect(clippy::ref_option, reason = "serde calls it so")]
pub(super) fn lines<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(text.as_deref().unwrap_or_default().lines())
}

/// A span in milliseconds.
pub(super) fn millis<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
