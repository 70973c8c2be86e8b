//! Text that is safe to display: short, without control characters, without bidirectional overrides.

use becket_base::text::{ellipsize, is_invisible};

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
    let shown = ellipsize(text, most);
    let plain = shown.chars().map(|c| match c {
        c if odd(c) => '\u{fffd}',
        '`' => '\'',
        c => c,
    });
    plain.collect()
}

fn is_unsafe_char(c: char) -> bool {
    c.is_control() || is_invisible(c)
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
        assert_eq!(one_line("äöü", 2), "ä…");
        assert_eq!(one_line("äö", 2), "äö");
        assert_eq!(one_line("a\u{202e}b", 9), "a\u{fffd}b");
        assert_eq!(lines("a\nb\tc", 9), "a\nb\u{fffd}c");
    }
}
