//! Timestamps as they are stored: milliseconds since 1970.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970, UTC.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    JsonSchema,
    Serialize,
    Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub i64);

/// The base-32 alphabet of event ids. An id begins with its time.
const ID_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl Millis {
    /// The current time.
    pub fn now() -> Self {
        Self(Utc::now().timestamp_millis())
    }

    /// Parses RFC 3339, such as `2026-11-16T01:02:03.456Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(time.timestamp_millis()))
    }

    /// The time at the beginning of an event id.
    pub fn of_id(id: &str) -> Option<Self> {
        let bytes = id.as_bytes();
        if bytes.len() != 26 {
            return None;
        }
        let mut bits: u128 = 0;
        for byte in bytes {
            let digit = ID_ALPHABET.iter().position(|one| one == byte)?;
            bits = bits << 5 | u128::try_from(digit).ok()?;
        }
        i64::try_from(bits >> 80).ok().map(Self)
    }

    /// `2026-11-16T01:02:03.456Z`; the bare number if it is outside of the calendar's range.
    pub fn to_text(self) -> String {
        DateTime::from_timestamp_millis(self.0).map_or_else(
            || self.0.to_string(),
            |time| time.to_rfc3339_opts(SecondsFormat::Millis, true),
        )
    }

    /// The time from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or_default())
    }

    /// The time `span` before this one.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span_millis(span)))
    }

    /// The time `span` after this one.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span_millis(span)))
    }
}

fn span_millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl ToSql for Millis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip() {
        let text = "2026-11-16T01:02:03.456Z";
        assert_eq!(Millis::parse(text).unwrap().to_text(), text);
        assert_eq!(Millis::parse("yesterday"), None);
    }

    #[test]
    fn event_id_contains_its_time() {
        assert_eq!(
            Millis::of_id("01k00000000000000000000000"),
            Some(Millis(0x0198_0000_0000))
        );
        assert_eq!(Millis::of_id("01K00000000000000000000000"), None);
        assert_eq!(Millis::of_id("toolu_01"), None);
        assert_eq!(Millis::of_id(&"é".repeat(13)), None);
    }

    #[test]
    fn timestamp_arithmetic_saturates() {
        assert_eq!(Millis(i64::MIN).minus(Duration::MAX), Millis(i64::MIN));
        assert_eq!(Millis(0).since(Millis(5)), Duration::ZERO);
        assert_eq!(Millis(i64::MAX).to_text(), i64::MAX.to_string());
    }
}
