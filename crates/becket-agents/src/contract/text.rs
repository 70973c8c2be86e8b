//! Sanitizes text from hooks for terminals and truncates it.

/// The marker at the end of truncated text.
pub(super) const CUT: &str = "[truncated]";

/// The limit for text for the model.
pub(super) const MAX_CONTEXT: usize = 64 * 1024;

/// The limit for reasons and messages, which people read.
pub(super) const MAX_REASON: usize = 8 * 1024;

/// Truncates `text` to at most `max` bytes at a character boundary and appends the marker.
pub(super) fn cut(mut text: String, max: usize) -> String {
    if text.len() <= max {
        return text;
    }
    let mut end = max.saturating_sub(CUT.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&CUT[..CUT.len().min(max)]);
    text
}

/// Cleaned, trimmed and truncated; `None` if nothing is left.
pub(super) fn tidy(text: &str, max: usize) -> Option<String> {
    let clean = clean(text);
    let trimmed = clean.trim();
    (!trimmed.is_empty()).then(|| cut(trimmed.to_owned(), max))
}

/// Removes everything a terminal would interpret: escape sequences and control characters other than newline
/// and tab. A reason must not be able to move the cursor, set a title or write to the clipboard.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_unfit) {
        out.push_str(&rest[..at]);
        rest = skip_sequence(&rest[at..]);
    }
    out.push_str(rest);
    out
}

fn is_unfit(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// The rest of `text` after its first control character and the escape sequence that it opens. An
/// unterminated sequence loses only its opening, so it cannot hide the text after it.
fn skip_sequence(text: &str) -> &str {
    let mut chars = text.chars();
    let introducer = match chars.next() {
        Some('\u{1b}') => match chars.clone().next() {
            Some(second) => {
                if !matches!(second, '\u{20}'..='\u{7e}') {
                    return chars.as_str();
                }
                chars.next();
                second
            }
            None => return chars.as_str(),
        },
        Some('\u{9b}') => '[',
        Some('\u{9d}') => ']',
        Some('\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}') => 'P',
        _ => return chars.as_str(),
    };
    let body = chars.as_str();
    match introducer {
        '[' => after_csi(body),
        ']' | 'P' | 'X' | '^' | '_' => after_string(body),
        // `ESC ( B` and similar sequences have one more character.
        '\u{20}'..='\u{2f}' => {
            let end = body.trim_start_matches(|c| matches!(c, '\u{20}'..='\u{2f}'));
            end.strip_prefix(|c| matches!(c, '\u{30}'..='\u{7e}'))
                .unwrap_or(body)
        }
        _ => body,
    }
}

fn after_csi(body: &str) -> &str {
    let end = body.trim_start_matches(|c| matches!(c, '\u{20}'..='\u{3f}'));
    end.strip_prefix(|c| matches!(c, '\u{40}'..='\u{7e}'))
        .unwrap_or(body)
}

/// A string sequence ends with BEL or ST and contains no other control character.
fn after_string(body: &str) -> &str {
    let Some(at) = body.find(char::is_control) else {
        return body;
    };
    let end = &body[at..];
    ["\u{7}", "\u{9c}", "\u{1b}\\"]
        .iter()
        .find_map(|terminator| end.strip_prefix(terminator))
        .unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_are_removed_and_text_is_kept() {
        for (dirty, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]52;c;c2VjcmV0\u{1b}\\after", "after"),
            ("\u{9d}8;;http://x\u{9c}link", "link"),
            ("\u{1b}Pq#0\u{1b}\\image", "image"),
            ("\u{1b}(Bascii", "ascii"),
            ("\u{1b}creset", "reset"),
            ("a\rb\u{8}c\u{0}d\u{7f}e\u{85}f", "abcdef"),
            ("windows\r\nlines", "windows\nlines"),
            // An unterminated sequence must not hide the reason that follows it.
            ("\u{1b}]0;blocked because", "0;blocked because"),
            ("\u{1b}]0;blocked\nbecause", "0;blocked\nbecause"),
            ("\u{1b}[31", "31"),
            ("tail\u{1b}", "tail"),
            ("\u{1b}\u{1b}[2Jx", "x"),
            ("naïve ✓ 日本", "naïve ✓ 日本"),
        ] {
            assert_eq!(clean(dirty), expected, "{dirty:?}");
        }
    }

    #[test]
    fn truncation_keeps_characters_whole_and_appends_the_marker() {
        assert_eq!(cut("short".into(), 5), "short");
        let long = cut("日".repeat(40), 50);
        assert!(long.len() <= 50 && long.ends_with(CUT), "{long}");
        assert_eq!(cut("a".repeat(40), 4), "[tru");
    }

    proptest! {
        #[test]
        fn clean_text_has_no_control_characters(text in "[\\x00-\\x1f\\x7f\u{80}-\u{9f}\\[\\]Pa-z;0-9\\\\é]{0,60}") {
            let clean = clean(&text);
            prop_assert!(!clean.chars().any(is_unfit), "{clean:?}");
        }
    }
}
