//! Text as the search sees it: identifiers taken apart, in what is stored and in what is asked.
//!
//! The tokenizer of SQLite separates at everything that is no letter or digit, so `snake_case`,
//! `kebab-case` and paths fall apart by themselves; `camelCase` does not, and is taken apart here.

use crate::sanitise::cut;

/// How much of a text is indexed.
const MOST_INDEXED: usize = 20_000;

/// The most terms of a query that count.
const MOST_TERMS: usize = 24;

/// What of a text is indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The text, identifiers taken apart.
    pub(crate) body: String,
    /// The identifiers that were taken apart, as they stood.
    pub(crate) whole: String,
}

impl Words {
    /// Takes the identifiers of `texts` apart.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        let mut left = MOST_INDEXED;
        for text in texts {
            let text = cut(text, left);
            left = left.saturating_sub(text.chars().count());
            for word in text.split(|c: char| !c.is_alphanumeric()) {
                words.push(word);
            }
        }
        words
    }

    fn push(&mut self, word: &str) {
        // Most words have no joint, and most texts are long.
        if word
            .bytes()
            .skip(1)
            .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
        {
            if !word.is_empty() {
                self.body.push_str(word);
                self.body.push(' ');
            }
            return;
        }
        let mut parts = 0;
        for part in parts_of(word) {
            self.body.push_str(part);
            self.body.push(' ');
            parts += 1;
        }
        if parts > 1 {
            self.whole.push_str(word);
            self.whole.push(' ');
        }
    }
}

/// `parseHTTPHeader` as `parse`, `HTTP`, `Header`.
fn parts_of(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, next) = rest.split_at(first_boundary(rest));
        rest = next;
        Some(part)
    })
}

/// Where the first part of a word ends: before a capital that follows a small letter or a digit, and
/// before the last capital of several when a small letter follows.
fn first_boundary(word: &str) -> usize {
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let starts = match before {
            Some(b) if c.is_uppercase() => {
                !b.is_uppercase() || next.is_some_and(char::is_lowercase)
            }
            _ => false,
        };
        if starts {
            return at;
        }
        before = Some(c);
    }
    word.len()
}

/// What a person types, as an expression of FTS5; `None` if there is no word in it.
///
/// Every term has to be found. `"two words"` and `camelCase` are phrases, `pre*` is a beginning.
/// Nothing of FTS5's own syntax gets through, so no query is an error.
pub(crate) fn query(text: &str) -> Option<String> {
    let terms: Vec<String> = terms(text).filter_map(phrase).take(MOST_TERMS).collect();
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// What to look for in a text that a query found, to show the place: of each term the first word, in lower case.
pub(crate) fn needles(text: &str) -> Vec<String> {
    let firsts = terms(text).filter_map(|term| {
        let mut words = term.split(|c: char| !c.is_alphanumeric());
        words.find(|word| !word.is_empty())
    });
    firsts
        .take(MOST_TERMS)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The terms of a query: what stands in quotes is one.
fn terms(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').enumerate().flat_map(|(number, piece)| {
        let quoted = number % 2 == 1;
        let words = piece.split_whitespace().filter(move |_| !quoted);
        words.chain(quoted.then_some(piece))
    })
}

fn phrase(term: &str) -> Option<String> {
    let words = term.split(|c: char| !c.is_alphanumeric());
    let parts: Vec<&str> = words.flat_map(parts_of).collect();
    if parts.is_empty() {
        return None;
    }
    let star = if term.ends_with('*') { "*" } else { "" };
    Some(format!("\"{}\"{star}", parts.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> String {
        Words::of([text]).body
    }

    #[test]
    fn identifiers_are_taken_apart() {
        for (text, expected) in [
            ("getUserName", "get User Name "),
            ("parseHTTPHeader", "parse HTTP Header "),
            ("XMLHttpRequest", "XML Http Request "),
            (
                "snake_case-and.path/to/file.rs",
                "snake case and path to file rs ",
            ),
            ("utf8Decoder sha256", "utf8 Decoder sha256 "),
            ("größeÄndern", "größe Ändern "),
            ("ABC", "ABC "),
            ("", ""),
        ] {
            assert_eq!(body(text), expected, "{text}");
        }
        assert_eq!(Words::of(["aB c_d"]).whole, "aB ");
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let words = Words::of(["ä".repeat(MOST_INDEXED - 1).as_str(), "öü"]);
        assert_eq!(words.body.chars().filter(|c| *c == 'ö').count(), 1);
        assert!(!words.body.contains('ü'));
    }

    #[test]
    fn a_query_is_words_and_phrases_and_never_syntax() {
        for (text, expected) in [
            ("cargo test", Some(r#""cargo" AND "test""#)),
            ("getUserName", Some(r#""get User Name""#)),
            ("src/main.rs", Some(r#""src main rs""#)),
            (r#""not found" x"#, Some(r#""not found" AND "x""#)),
            ("pars*", Some(r#""pars"*"#)),
            ("a\" OR b) NEAR(", Some(r#""a" AND " OR b) NEAR(""#)),
            ("* \" ( ) :", None),
            ("", None),
        ] {
            let expected = expected.map(|text| text.replace("\" OR b) NEAR(\"", "\"OR b NEAR\""));
            assert_eq!(query(text), expected, "{text}");
        }
    }
}
