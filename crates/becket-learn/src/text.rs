//! Helpers for untrusted text.

use std::iter::Peekable;
use std::str::Chars;

use becket_base::text::{is_invisible, prefix_chars};

/// One line without control, invisible and bidirectional characters, and without the quotation marks that memories put
/// around it.
pub(crate) fn plain_line(text: &str) -> String {
    one_line(text).replace('`', "'")
}

/// Like [`plain_line`], but keeps backticks.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape_sequence(&mut chars),
            '“' | '”' => line.push('"'),
            c if c.is_whitespace() || c.is_control() => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            c if is_invisible(c) => {}
            c => line.push(c),
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Skips a terminal escape sequence, such as a colour.
fn skip_escape_sequence(chars: &mut Peekable<Chars<'_>>) {
    if chars.next_if_eq(&'[').is_none() {
        return;
    }
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Truncates a text, at a word boundary if one is near.
pub(crate) fn truncate(text: &str, most: usize) -> String {
    let kept = prefix_chars(text, most);
    if kept.len() == text.len() {
        return text.to_owned();
    }
    let end = match kept.rfind(' ') {
        Some(space) if space * 2 > kept.len() => space,
        _ => kept.len(),
    };
    let kept = kept[..end].trim_end_matches([' ', ',', ';', ':', '-']);
    format!("{kept}…")
}

/// Removes the middle of a text: the start names the subject and the end has the result.
pub(crate) fn truncate_middle(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head = most * 2 / 3;
    let tail = most - head;
    let front: String = text.chars().take(head).collect();
    let back: String = text.chars().skip(all - tail).collect();
    format!("{front} […{} characters…] {back}", all - most)
}

/// The words without stop words, lower-cased and stemmed.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    const EMPTY: &[&str] = &[
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "for", "from",
        "has", "have", "here", "in", "is", "it", "its", "of", "on", "or", "our", "so", "that",
        "the", "their", "then", "there", "this", "to", "was", "we", "were", "when", "which",
        "will", "with", "you", "your",
    ];
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-')))
        .map(|word| word.trim_matches(['.', '-', '/']))
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(stem)
        .collect()
}

/// `tests` and `test` are the same word.
fn stem(word: &str) -> String {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(char::is_alphabetic);
    word[..word.len() - usize::from(is_plural)].to_owned()
}

/// The sentences of a text, each on one line. A dot inside a name does not end a sentence.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    split(text, plain_line)
}

/// Like [`sentences`], but keeps backticks.
pub(crate) fn sentences_verbatim(text: &str) -> Vec<String> {
    split(text, one_line)
}

fn split(text: &str, clean: fn(&str) -> String) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        for (at, c) in line.char_indices() {
            let after = &line[at + c.len_utf8()..];
            let ends = matches!(c, '.' | '!' | '?') && after.starts_with(' ');
            let is_short = matches!(c, '.') && ends_in_abbreviation(&line[from..at]);
            if ends && !is_short {
                found.push(clean(&line[from..at + c.len_utf8()]));
                from = at + c.len_utf8();
            }
        }
        found.push(clean(&line[from..]));
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn ends_in_abbreviation(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default().to_lowercase();
    matches!(
        last.trim_start_matches('('),
        "e.g" | "i.e" | "etc" | "vs" | "cf"
    )
}

/// `a`, `a and b`, `a, b and 3 more`.
pub(crate) fn join_names(items: &[String], most: usize) -> String {
    let shown = &items[..items.len().min(most)];
    let more = items.len() - shown.len();
    match (shown, more) {
        ([], _) => String::new(),
        ([one], 0) => one.clone(),
        (shown, 0) => {
            let (last, first) = shown.split_last().expect("the list has at least two items");
            format!("{} and {last}", first.join(", "))
        }
        (shown, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_output_cannot_close_quotes_or_hide_text() {
        assert_eq!(
            plain_line(" a\u{202e}b\n`x`\t“y”\u{1b}[0m\u{200b} "),
            "ab 'x' \"y\""
        );
    }

    #[test]
    fn terminal_escape_sequences_are_removed() {
        for (text, expected) in [
            (
                "\u{1b}[31mERROR\u{1b}[0m in \u{1b}[1;38;5;9mapp.ts\u{1b}[K",
                "ERROR in app.ts",
            ),
            ("\u{1b}[", ""),
            ("\u{1b}", ""),
            ("\u{1b}[31", ""),
            ("a\u{1b}Mb", "aMb"),
            ("a [31m b", "a [31m b"),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn sentences_are_split() {
        for (text, expected) in [
            (
                "Use a.rs. Then b!  Why?",
                &["Use a.rs.", "Then b!", "Why?"][..],
            ),
            (
                "Use tools (e.g. fd) here\n\nand now",
                &["Use tools (e.g. fd) here", "and now"],
            ),
            ("", &[]),
            ("v1.2.3 is out", &["v1.2.3 is out"]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn long_texts_are_truncated_in_the_middle() {
        let text = format!("start{}end", "é".repeat(100));
        assert_eq!(
            truncate_middle(&text, 12),
            format!("startééé […96 characters…] {}end", "é")
        );
        assert_eq!(truncate_middle("short", 12), "short");
    }

    #[test]
    fn truncation_ends_at_a_word() {
        assert_eq!(truncate("fix the parser, please", 17), "fix the parser…");
        assert_eq!(truncate("fix", 3), "fix");
        assert_eq!(truncate("éééééé", 3), "ééé…");
    }

    #[test]
    fn lists_name_few_and_count_the_rest() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(join_names(&items, 5), "a, b and c");
        assert_eq!(join_names(&items, 2), "a, b and 1 more");
        assert_eq!(join_names(&items[..1], 2), "a");
    }
}
