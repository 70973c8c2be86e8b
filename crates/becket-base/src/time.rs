//! Spans of time as people write and read them: `500ms`, `30s`, `12h`, `7d`; `3 min 5 s`.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Parses a number with a unit: `ms`, `s`, `m` or `min`, `h`, `d`, `w`.
pub fn parse_span(text: &str) -> Option<Duration> {
    parse(text, None)
}

/// Like [`parse_span`]; a bare number is a number of `unit`s.
pub fn parse_span_in(text: &str, unit: Duration) -> Option<Duration> {
    parse(text, Some(unit))
}

fn parse(text: &str, bare_unit: Option<Duration>) -> Option<Duration> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ' ')))
        .unwrap_or(text.len());
    let number: f64 = text[..end].trim().parse().ok()?;
    let unit = match &text[end..] {
        "" => bare_unit?,
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        "m" | "min" => Duration::from_secs(MINUTE),
        "h" => Duration::from_secs(HOUR),
        "d" => Duration::from_secs(DAY),
        "w" => Duration::from_secs(7 * DAY),
        _ => return None,
    };
    Duration::try_from_secs_f64(number * unit.as_secs_f64()).ok()
}

/// Formats a span in its two largest units: `850 ms`, `12 s`, `3 min 5 s`, `2 h 4 min`, `1 d 3 h`.
pub fn format_span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{} ms", span.as_millis()),
        1..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => two_units(seconds, (MINUTE, "min"), (1, "s")),
        HOUR..DAY => two_units(seconds, (HOUR, "h"), (MINUTE, "min")),
        _ => two_units(seconds, (DAY, "d"), (HOUR, "h")),
    }
}

fn two_units(seconds: u64, large: (u64, &str), small: (u64, &str)) -> String {
    let whole = format!("{} {}", seconds / large.0, large.1);
    match seconds % large.0 / small.0 {
        0 => whole,
        rest => format!("{whole} {rest} {}", small.1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_have_units_and_bare_numbers_need_one() {
        let ms = Duration::from_millis;
        for (text, expected) in [
            ("500ms", Some(ms(500))),
            ("30s", Some(ms(30_000))),
            ("1.5s", Some(ms(1500))),
            ("2m", Some(ms(120_000))),
            (" 2 min ", Some(ms(120_000))),
            ("1h", Some(ms(3_600_000))),
            ("7d", Some(ms(604_800_000))),
            ("2w", Some(ms(1_209_600_000))),
            ("10", None),
            ("ten", None),
            ("", None),
            ("d", None),
            ("-1s", None),
            ("+1d", None),
            ("1y", None),
            ("7ä", None),
            ("5 parsecs", None),
            ("1e3s", None),
            ("inf", None),
            ("NaNs", None),
            ("99999999999999999999d", None),
        ] {
            assert_eq!(parse_span(text), expected, "{text}");
        }
        assert_eq!(parse_span_in("10", ms(1000)), Some(ms(10_000)));
        assert_eq!(parse_span_in("10ms", ms(1000)), Some(ms(10)));
        assert_eq!(parse_span_in("-1", ms(1000)), None);
    }

    #[test]
    fn spans_are_printed_in_two_units() {
        for (millis, expected) in [
            (0, "0 ms"),
            (850, "850 ms"),
            (12_900, "12 s"),
            (60_000, "1 min"),
            (185_000, "3 min 5 s"),
            (3_600_000, "1 h"),
            (7_440_000, "2 h 4 min"),
            (86_400_000, "1 d"),
            (97_200_000, "1 d 3 h"),
        ] {
            assert_eq!(format_span(Duration::from_millis(millis)), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_panic(text in ".{0,12}", number in "[0-9.]{0,25}(ms|s|m|h|d|w)?") {
            for text in [text, number] {
                let _ = parse_span(&text);
                prop_assert_eq!(parse_span(&text).is_some(), parse_span(&format!(" {text} ")).is_some());
            }
        }
    }
}
