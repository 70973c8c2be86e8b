//! Tokenizes text for SQLite's full-text index (FTS5) and translates queries.
//!
//! FTS5 separates words at everything that is not a letter or a digit. That splits `snake_case`, `kebab-case` and
//! paths, but not `camelCase`, which this module splits in stored text and in queries.

use becket_base::text::prefix_chars;

/// The longest text that is indexed, in characters.
const MAX_INDEXED_CHARS: usize = 20_000;

/// The most terms of a query; further terms are ignored.
const MAX_QUERY_TERMS: usize = 24;

/// The columns of one entry in the full-text index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexTokens {
    /// The text with its identifiers split.
    pub(crate) body: String,
    /// The split identifiers in their original form.
    pub(crate) whole: String,
}

impl IndexTokens {
    /// Splits the identifiers of `texts`.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        let mut left = MAX_INDEXED_CHARS;
        for text in texts {
            let text = prefix_chars(text, left);
            left = left.saturating_sub(text.chars().count());
            for word in text.split(|c: char| !c.is_alphanumeric()) {
                words.push(word);
            }
        }
        words
    }

    fn push(&mut self, word: &str) {
        // Fast path: most words need no splitting.
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

/// Splits `parseHTTPHeader` into `parse`, `HTTP`, `Header`.
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

/// The end of a word's first part: before a capital after a lower-case letter or digit, and before the last of
/// several capitals if a lower-case letter follows.
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

/// Translates user input into an FTS5 query; `None` if it contains no word.
///
/// All terms must match. `"two words"` and `camelCase` are phrases, `pre*` is a prefix. FTS5 syntax is escaped, so
/// every query is valid.
pub(crate) fn fts_query(text: &str) -> Option<String> {
    let terms: Vec<String> = terms(text)
        .filter_map(phrase)
        .take(MAX_QUERY_TERMS)
        .collect();
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// The first word of each query term in lower case, to locate a match within a text.
pub(crate) fn highlight_terms(text: &str) -> Vec<String> {
    let firsts = terms(text).filter_map(|term| {
        let mut words = term.split(|c: char| !c.is_alphanumeric());
        words.find(|word| !word.is_empty())
    });
    firsts
        .take(MAX_QUERY_TERMS)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The terms of a query; quoted text is one term.
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
        IndexTokens::of([text]).body
    }

    #[test]
    fn identifiers_are_split() {
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
        assert_eq!(IndexTokens::of(["aB c_d"]).whole, "aB ");
    }

    #[test]
    fn long_text_is_truncated_at_a_character() {
        let words = IndexTokens::of(["ä".repeat(MAX_INDEXED_CHARS - 1).as_str(), "öü"]);
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
            assert_eq!(fts_query(text), expected, "{text}");
        }
    }
}
