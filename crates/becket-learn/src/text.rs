//! Small work on texts that nobody vouches for.

use std::iter::Peekable;
use std::str::Chars;

/// One line without control characters, without characters that hide or reorder others, and without the
/// quotation marks that memories put around it.
pub(crate) fn plain(text: &str) -> String {
    one_line(text).replace('`', "'")
}

/// The same, with the backticks that somebody put around names.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => pass_sequence(&mut chars),
            '“' | '”' => line.push('"'),
            c if c.is_whitespace() || c.is_control() => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            c if is_hidden(c) => {}
            c => line.push(c),
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Passes what follows an escape character: the colour of a word, the place of the cursor. A terminal would not show it.
fn pass_sequence(chars: &mut Peekable<Chars<'_>>) {
    if chars.next_if_eq(&'[').is_none() {
        return;
    }
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Characters that show nothing, or change the order in which others are shown.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// The beginning of a text, ended at a word where one is near.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let kept = &text[..at];
    let end = match kept.rfind(' ') {
        Some(space) if space * 2 > at => space,
        _ => at,
    };
    let kept = kept[..end].trim_end_matches([' ', ',', ';', ':', '-']);
    format!("{kept}…")
}

/// A text without its middle: beginnings name the thing, and ends say how it went.
pub(crate) fn cut_middle(text: &str, most: usize) -> String {
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

/// The words that carry meaning, in lower case.
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

/// `tests` and `test` are one word.
fn stem(word: &str) -> String {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(char::is_alphabetic);
    word[..word.len() - usize::from(is_plural)].to_owned()
}

/// The sentences of a text, each on one line. A dot inside a name does not end one.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    split(text, plain)
}

/// The same in the words of whoever said them, backticks included.
pub(crate) fn sentences_as_said(text: &str) -> Vec<String> {
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
pub(crate) fn listed(items: &[String], most: usize) -> String {
    let shown = &items[..items.len().min(most)];
    let more = items.len() - shown.len();
    match (shown, more) {
        ([], _) => String::new(),
        ([one], 0) => one.clone(),
        (shown, 0) => {
            let (last, first) = shown.split_last().expect("there are two at least");
            format!("{} and {last}", first.join(", "))
        }
        (shown, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_tool_cannot_leave_its_quotes_or_hide_anything() {
        assert_eq!(
            plain(" a\u{202e}b\n`x`\t“y”\u{1b}[0m\u{200b} "),
            "ab 'x' \"y\""
        );
    }

    #[test]
    fn colours_of_a_terminal_are_no_part_of_what_it_said() {
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
    fn sentences_end_where_people_end_them() {
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
    fn long_texts_lose_their_middle_and_say_so() {
        let text = format!("start{}end", "é".repeat(100));
        assert_eq!(
            cut_middle(&text, 12),
            format!("startééé […96 characters…] {}end", "é")
        );
        assert_eq!(cut_middle("short", 12), "short");
    }

    #[test]
    fn a_beginning_ends_at_a_word() {
        assert_eq!(cut("fix the parser, please", 17), "fix the parser…");
        assert_eq!(cut("fix", 3), "fix");
        assert_eq!(cut("éééééé", 3), "ééé…");
    }

    #[test]
    fn lists_name_few_and_count_the_rest() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&items, 5), "a, b and c");
        assert_eq!(listed(&items, 2), "a, b and 1 more");
        assert_eq!(listed(&items[..1], 2), "a");
    }
}
