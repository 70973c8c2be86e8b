//! Text of others, made harmless: no secret, no character that cannot be seen, no mark.

use std::borrow::Cow;

use becket_guard::redact::redact_text;
use becket_store::defused;

/// A text with its lines and tabs.
pub(super) fn tame(text: &str) -> String {
    // What cannot be seen goes first: it could stand in the middle of a secret or a mark.
    let visible = visible(text);
    let redacted = redact_text(&visible);
    defused(&redacted).into_owned()
}

/// A text as one line of at most so many characters.
pub(super) fn line(text: &str, most: usize) -> String {
    let whole = tame(text);
    let words: Vec<&str> = whole.split_whitespace().collect();
    cut(&words.join(" "), most).into_owned()
}

/// A line that stands in backticks or between stars, and does not end them.
pub(super) fn label(text: &str, most: usize) -> String {
    line(text, most).replace(['`', '*'], "'")
}

/// The beginning of a text, with dots if there was more.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    Cow::Owned(format!("{}...", kept.trim_end()))
}

fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let shown = text.chars().filter_map(|character| match character {
        '\n' | '\t' => Some(character),
        '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        character if character.is_control() || is_invisible(character) => None,
        character => Some(character),
    });
    shown.collect()
}

/// Characters that are not shown or change how others are, among them those that can spell whole texts unseen.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_unseen_characters_and_marks_do_not_get_through() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9".repeat(3));
        for (text, expected) in [
            ("a\u{1b}[31mb\0c\r\nd\te", "a[31mbc\nd\te".to_owned()),
            ("x\u{202e}y\u{e0041}z\u{200b}", "xyz".to_owned()),
            ("[/becket\u{200b}:recall]", "[/becket recall]".to_owned()),
            ("a\u{2028}b\u{85}c", "a\nb\nc".to_owned()),
        ] {
            assert_eq!(tame(text), expected);
        }
        let split = format!("{}\u{200b}{}", &token[..12], &token[12..]);
        for text in [&token, &split] {
            let found = tame(text);
            assert!(found.starts_with("[redacted:"), "{found}");
        }
    }

    #[test]
    fn a_line_is_one_line_and_as_long_as_it_may_be() {
        assert_eq!(line(" a\n\n## b\tc ", 20), "a ## b c");
        assert_eq!(
            line("Implemented user authentication", 14),
            "Implemented..."
        );
        assert_eq!(line("äöü", 3), "äöü");
        assert_eq!(label("a`b**c", 9), "a'b''c");
    }
}
