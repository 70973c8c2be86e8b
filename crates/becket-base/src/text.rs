//! Truncates text and makes invisible characters visible.
//!
//! A `prefix_*` function returns the longest beginning that fits; `ellipsize` shows that something is missing. None
//! splits a character or returns more than the limit.

use std::borrow::Cow;

#[cfg(feature = "columns")]
pub mod columns;

/// The longest beginning of at most `max` characters.
#[inline]
pub fn prefix_chars(text: &str, max: usize) -> &str {
    // A text has at least as many bytes as characters.
    if text.len() <= max {
        return text;
    }
    match text.char_indices().nth(max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The longest beginning of at most `max` bytes.
#[inline]
pub fn prefix_bytes(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest end of at most `max` bytes.
#[inline]
pub fn suffix_bytes(text: &str, max: usize) -> &str {
    let mut start = text.len().saturating_sub(max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The longest beginning of at most `max` UTF-16 code units, as JavaScript counts them.
pub fn prefix_utf16(text: &str, max: usize) -> &str {
    prefix_by(text, max, char::len_utf16)
}

/// The longest beginning whose characters have at most `max` in total.
fn prefix_by(text: &str, max: usize, size: impl Fn(char) -> usize) -> &str {
    let mut room = max;
    for (at, c) in text.char_indices() {
        match room.checked_sub(size(c)) {
            Some(left) => room = left,
            None => return &text[..at],
        }
    }
    text
}

/// The text if it has at most `max` characters, otherwise its beginning with an ellipsis: `max` characters in total.
pub fn ellipsize(text: &str, max: usize) -> Cow<'_, str> {
    if prefix_chars(text, max).len() == text.len() {
        return Cow::Borrowed(text);
    }
    match max.checked_sub(1) {
        Some(room) => Cow::Owned(format!("{}…", prefix_chars(text, room))),
        None => Cow::Borrowed(""),
    }
}

/// Escapes what a terminal would obey or hide: control characters (other than line breaks and tabs), and invisible
/// characters, which display another command than the one that runs.
///
/// Joiners and variation selectors stay where they follow a character outside ASCII: scripts and emoji need them.
pub fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = 'a';
    for c in text.chars() {
        let must_escape = match c {
            '\n' | '\t' => false,
            '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => before.is_ascii(),
            c => c.is_control() || is_invisible(c),
        };
        if must_escape {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

/// Whether a character is not displayed, or changes how other characters are displayed: zero-width and filler
/// characters, bidirectional controls, line separators, variation selectors, tags.
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_truncated_between_characters() {
        assert_eq!(prefix_chars("äöü", 2), "äö");
        assert_eq!(prefix_bytes("äöü", 3), "ä");
        assert_eq!(suffix_bytes("äöü", 3), "ü");
        assert_eq!(prefix_utf16("a🪝b", 2), "a");
        assert_eq!(prefix_utf16("a🪝b", 3), "a🪝");
        assert_eq!(ellipsize("äöü", 2), "ä…");
        assert_eq!(ellipsize("äöü", 3), "äöü");
        assert_eq!(ellipsize("äöü", 0), "");
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        for (text, expected) in [
            ("plain é\n\tline", "plain é\n\tline"),
            ("a\x1b[2Jb\r", "a\\u{1b}[2Jb\\r"),
            ("rm \u{202e}cba", "rm \\u{202e}cba"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("l\u{200b}s", "l\\u{200b}s"),
            ("l\u{200d}s\u{fe0f}", "l\\u{200d}s\\u{fe0f}"),
            ("👩\u{200d}👧 ❤\u{fe0f}", "👩\u{200d}👧 ❤\u{fe0f}"),
        ] {
            assert_eq!(escape_controls(text), expected);
        }
    }

    /// A truncation, and the size of a character in its unit.
    type Truncation = (fn(&str, usize) -> &str, fn(char) -> usize);

    proptest! {
        /// Every truncation keeps whole characters, stays within its limit, keeps what fits, and is idempotent.
        #[test]
        fn prefixes_are_the_longest_that_fit(text in "[a-cäé🪝\u{200d}配]{0,20}", max in 0_usize..30) {
            let truncations: [Truncation; 3] = [
                (prefix_chars, |_| 1),
                (prefix_bytes, char::len_utf8),
                (prefix_utf16, char::len_utf16),
            ];
            for (prefix, size) in truncations {
                let kept = prefix(&text, max);
                let total: usize = kept.chars().map(size).sum();
                prop_assert!(text.starts_with(kept) && total <= max);
                let next = text[kept.len()..].chars().next();
                prop_assert!(next.is_none_or(|next| total + size(next) > max));
                prop_assert_eq!(prefix(kept, max), kept);
            }
            let kept = suffix_bytes(&text, max);
            prop_assert!(text.ends_with(kept) && kept.len() <= max);
            prop_assert_eq!(suffix_bytes(kept, max), kept);
        }

        #[test]
        fn ellipsis_is_within_the_limit(text in ".{0,20}", max in 0_usize..30) {
            let short = ellipsize(&text, max);
            prop_assert!(short.chars().count() <= max);
            prop_assert_eq!(short == text, text.chars().count() <= max);
            prop_assert_eq!(ellipsize(&short, max), short.as_ref());
        }

        #[test]
        fn escaped_text_has_nothing_to_escape(text in ".{0,20}") {
            let escaped = escape_controls(&text);
            prop_assert!(!escaped.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            prop_assert_eq!(escape_controls(&escaped), escaped.clone());
        }
    }
}
