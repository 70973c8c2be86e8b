//! Parses times as people write them: a timestamp, a date, or a duration before now.

use becket_base::time::parse_span;
use becket_store::Millis;

/// A text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `{0}` as a time; use 7d, 12h, 30m, 2026-11-16 or 2026-11-16T01:02:03Z")]
pub struct InvalidTime(String);

/// Parses a timestamp, a date (UTC), milliseconds since 1970, or a duration before `now`.
pub fn parse(text: &str, now: Millis) -> Result<Millis, InvalidTime> {
    let day = || Millis::parse(&format!("{text}T00:00:00Z"));
    let number = || text.parse().ok().map(Millis);
    let ago = || parse_span(text).map(|span| now.minus(span));
    Millis::parse(text)
        .or_else(number)
        .or_else(ago)
        .or_else(day)
        .ok_or_else(|| InvalidTime(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_dates_numbers_and_durations_are_parsed() {
        let now = Millis::parse("2026-11-16T12:00:00Z").expect("a time");
        let text = |text: &str| parse(text, now).map(Millis::to_text);
        for (given, expected) in [
            ("2026-11-01T10:00:00+01:00", "2026-11-01T09:00:00.000Z"),
            ("2026-11-01", "2026-11-01T00:00:00.000Z"),
            ("0", "1970-01-01T00:00:00.000Z"),
            ("90s", "2026-11-16T11:58:30.000Z"),
            ("12h", "2026-11-16T00:00:00.000Z"),
            ("7d", "2026-11-09T12:00:00.000Z"),
            ("2w", "2026-11-02T12:00:00.000Z"),
        ] {
            assert_eq!(text(given).as_deref(), Ok(expected), "{given}");
        }
        for bad in [
            "",
            "d",
            "-1d",
            "+1d",
            "1y",
            "soon",
            "99999999999999999999d",
            "7ä",
            "2026-13-01",
        ] {
            assert!(text(bad).is_err(), "{bad}");
        }
        assert!(
            parse("9999999999999d", now).is_ok(),
            "a time in the far past is valid"
        );
    }
}
