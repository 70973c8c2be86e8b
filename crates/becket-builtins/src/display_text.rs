//! Text that is safe to display: short, without control characters, without bidirectional overrides.

use std::time::Duration;

/// One line of at most `most` characters. Control and bidirectional characters become U+FFFD. Back-quotes become
/// quotes, because messages put names in back-quotes.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    truncate(text, most, |c| c == '\n' || is_unsafe_char(c))
}

/// Like [`one_line`], but keeps line breaks.
pub(crate) fn lines(text: &str, most: usize) -> String {
    truncate(text, most, |c| c != '\n' && is_unsafe_char(c))
}

fn truncate(text: &str, most: usize, odd: impl Fn(char) -> bool) -> String {
    let mut out: String = text
        .chars()
        .take(most)
        .map(|c| match c {
            c if odd(c) => '\u{fffd}',
            '`' => '\'',
            c => c,
        })
        .collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out
}

fn is_unsafe_char(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The last character boundary at or before `at`.
pub(crate) fn floor_char_boundary(text: &str, at: usize) -> usize {
    let places = (0..=at.min(text.len())).rev();
    places
        .into_iter()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// `850 ms`, `12 s`, `3 min 5 s`, `2 h 4 min`.
pub(crate) fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let pair = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {large_unit}"),
        _ => format!("{large} {large_unit} {small} {small_unit}"),
    };
    match seconds {
        0 => format!("{} ms", duration.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => pair(seconds / 60, "min", seconds % 60, "s"),
        _ => pair(seconds / 3600, "h", seconds % 3600 / 60, "min"),
    }
}

/// `12,345`
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_readable() {
        for (millis, expected) in [
            (0, "0 ms"),
            (850, "850 ms"),
            (12_900, "12 s"),
            (60_000, "1 min"),
            (185_000, "3 min 5 s"),
            (7_440_000, "2 h 4 min"),
            (3_600_000, "1 h"),
        ] {
            assert_eq!(format_duration(Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(group_digits(number), expected);
        }
    }

    #[test]
    fn text_is_truncated_at_a_character_with_an_ellipsis() {
        assert_eq!(one_line("äöü", 2), "äö…");
        assert_eq!(one_line("äö", 2), "äö");
        assert_eq!(one_line("a\u{202e}b", 9), "a\u{fffd}b");
        assert_eq!(lines("a\nb\tc", 9), "a\nb\u{fffd}c");
    }
}
