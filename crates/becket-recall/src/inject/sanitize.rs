//! Sanitizes untrusted text: no secrets, no invisible characters, no markers.

use std::borrow::Cow;

use becket_base::text::{is_invisible, prefix_chars};
use becket_guard::redact::redact_text;
use becket_store::escape_markers;

/// Sanitizes a text and keeps line breaks and tabs.
pub(super) fn sanitize(text: &str) -> String {
    // Remove invisible characters first: they could split a secret or a marker.
    let visible = strip_invisible(text);
    let redacted = redact_text(&visible);
    escape_markers(&redacted).into_owned()
}

/// Sanitizes to one line of at most `most` characters.
pub(super) fn sanitize_line(text: &str, most: usize) -> String {
    let whole = sanitize(text);
    let words: Vec<&str> = whole.split_whitespace().collect();
    truncate(&words.join(" "), most).into_owned()
}

/// A line for use inside backticks or asterisks, which it cannot close.
pub(super) fn sanitize_label(text: &str, most: usize) -> String {
    sanitize_line(text, most).replace(['`', '*'], "'")
}

/// Truncates with an ellipsis.
pub(super) fn truncate(text: &str, most: usize) -> Cow<'_, str> {
    if prefix_chars(text, most).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let kept = prefix_chars(text, most.saturating_sub(3));
    Cow::Owned(format!("{}...", kept.trim_end()))
}

fn strip_invisible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let shown = text.chars().filter_map(|character| match character {
        '\n' | '\t' => Some(character),
        '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        character if character.is_control() || is_invisible(character) => None,
        character => Some(character),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_invisible_characters_and_marks_are_removed() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9".repeat(3));
        for (text, expected) in [
            ("a\u{1b}[31mb\0c\r\nd\te", "a[31mbc\nd\te".to_owned()),
            ("x\u{202e}y\u{e0041}z\u{200b}", "xyz".to_owned()),
            ("[/becket\u{200b}:recall]", "[/becket recall]".to_owned()),
            ("a\u{2028}b\u{85}c", "a\nb\nc".to_owned()),
        ] {
            assert_eq!(sanitize(text), expected);
        }
        let split = format!("{}\u{200b}{}", &token[..12], &token[12..]);
        for text in [&token, &split] {
            let found = sanitize(text);
            assert!(found.starts_with("[redacted:"), "{found}");
        }
    }

    #[test]
    fn lines_are_flattened_and_truncated() {
        assert_eq!(sanitize_line(" a\n\n## b\tc ", 20), "a ## b c");
        assert_eq!(
            sanitize_line("Implemented user authentication", 14),
            "Implemented..."
        );
        assert_eq!(sanitize_line("äöü", 3), "äöü");
        assert_eq!(sanitize_label("a`b**c", 9), "a'b''c");
    }
}
