//! Splits text into search terms, for indexing and for queries.
//!
//! `parseHTTPHeader` and `parse_http_header` both become `pars http header` and, as a whole, `parsehttphead`. Words are
//! stemmed, and stop words are dropped.

use rust_stemmers::{Algorithm, Stemmer};

/// Longer words are usually keys or hashes.
const MAX_TERM_BYTES: usize = 40;

// Stop words, everyday terms and extensions of code files, from `data/terms.toml`.
include!(concat!(env!("OUT_DIR"), "/terms.rs"));

/// A tokenizer with reusable buffers.
pub(crate) struct Tokenizer {
    stemmer: Stemmer,
    part: String,
    whole: String,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            part: String::new(),
            whole: String::new(),
        }
    }
}

impl Tokenizer {
    /// Calls `each` with every term of a text, in order and with repetitions.
    pub(crate) fn for_each_term(&mut self, text: &str, mut each: impl FnMut(&str)) {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        for identifier in text.split(|c| !is_inside(c)) {
            if !identifier.is_empty() {
                self.identifier(identifier, &mut each);
            }
        }
    }

    /// The distinct terms of a query.
    pub(crate) fn unique_terms(&mut self, text: &str) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let mut all = Vec::new();
        self.for_each_term(text, |term| {
            if seen.insert(term.to_owned()) {
                all.push(term.to_owned());
            }
        });
        all
    }

    /// Names in a query that consist of several words: as a term and as written.
    pub(crate) fn names<'t>(&mut self, text: &'t str) -> Vec<(String, &'t str)> {
        let mut names = Vec::new();
        for name in identifiers(text) {
            let after = &text[offset(text, name) + name.len()..];
            let is_file = after.strip_prefix('.').is_some_and(is_extension);
            let bare = name.trim_matches('_');
            if bare.len() < 4 || word_boundary(bare) == bare.len() || is_file {
                continue;
            }
            let mut last = None;
            self.identifier(name, &mut |term: &str| last = Some(term.to_owned()));
            names.extend(last.map(|last| (last, name)));
        }
        names
    }

    fn identifier(&mut self, identifier: &str, each: &mut impl FnMut(&str)) {
        self.whole.clear();
        let mut parts = 0;
        let mut rest = identifier.trim_matches('_');
        while !rest.is_empty() {
            let end = word_boundary(rest);
            let (part, next) = rest.split_at(end);
            rest = next.trim_start_matches('_');
            self.part.clear();
            self.part.extend(part.chars().flat_map(char::to_lowercase));
            self.whole.push_str(&self.part);
            parts += 1;
            if is_term(&self.part) {
                each(stemmed(&self.stemmer, &self.part).as_ref());
            }
        }
        if parts > 1 && (4..=MAX_TERM_BYTES).contains(&self.whole.len()) {
            each(stemmed(&self.stemmer, &self.whole).as_ref());
        }
    }
}

/// The word before a colon at the start of a query: `cli` in `cli: print paths`, `fix(cli)` in
/// `fix(cli): print paths`.
pub(crate) fn heading(text: &str) -> Option<&str> {
    let (heading, rest) = text.trim_start().split_once(':')?;
    let is_heading = heading.len() <= MAX_TERM_BYTES && heading.split_whitespace().count() == 1;
    (is_heading && rest.starts_with(char::is_whitespace)).then_some(heading)
}

/// The identifiers of a text, as written.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    all.filter(|one| !one.is_empty())
}

/// The offset of a substring.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// Whether the text after a dot is a file extension.
fn is_extension(rest: &str) -> bool {
    let word = rest.split(|c: char| !c.is_alphanumeric()).next();
    let word = word.unwrap_or_default();
    CODE_EXTENSIONS.contains(&word)
}

/// Whether a term is about working in general, not about a topic.
pub(super) fn is_everyday(term: &str) -> bool {
    EVERYDAY_TERMS.binary_search(&term).is_ok()
}

fn is_term(word: &str) -> bool {
    let long_enough = word.len() > 1 && word.len() <= MAX_TERM_BYTES;
    long_enough && STOP_WORDS.binary_search(&word).is_err()
}

fn stemmed<'w>(stemmer: &Stemmer, word: &'w str) -> std::borrow::Cow<'w, str> {
    if word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase()) {
        stemmer.stem(word)
    } else {
        word.into()
    }
}

/// The end of the first word of an identifier: at `_`, before a capital after a small letter or a digit, before the last of
/// several capitals if a small letter follows, and around ideographs, each of which is a word.
fn word_boundary(word: &str) -> usize {
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let starts = match before {
            Some(_) if c == '_' => true,
            Some(b) if is_ideograph(b) || is_ideograph(c) => true,
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

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> String {
        let mut all = Vec::new();
        Tokenizer::default().for_each_term(text, |term| all.push(term.to_owned()));
        all.join(" ")
    }

    #[test]
    fn heading_is_one_word_before_a_colon() {
        for (text, expected) in [
            ("cli: print paths", Some("cli")),
            ("fix(cli): print paths", Some("fix(cli)")),
            ("note to self: print paths", None),
            ("std::path is slow", None),
            ("https://example.com is slow", None),
            (": nothing", None),
            ("print paths", None),
        ] {
            assert_eq!(heading(text), expected, "{text}");
        }
    }

    #[test]
    fn identifiers_and_paths_are_split_and_kept_whole() {
        for (text, expected) in [
            ("getUserName", "user name getusernam"),
            ("parse_http_header", "pars http header parsehttphead"),
            ("parseHTTPHeader", "pars http header parsehttphead"),
            ("src/auth/handler.rs", "src auth handler rs"),
            ("__init__", "init"),
            ("the connections of a pool", "connect pool"),
            ("漢字", "漢 字 漢字"),
            ("x = 1", ""),
            ("", ""),
        ] {
            assert_eq!(terms(text), expected, "{text}");
        }
    }

    #[test]
    fn names_are_extracted_and_file_names_are_not() {
        for (text, expected) in [
            ("why does parse_args fail", "parsearg=parse_args"),
            ("what does _set_data do", "setdata=_set_data"),
            ("ConfigParser, please", "configpars=ConfigParser"),
            ("tests in test_pool.py and db_pool.rs.", ""),
            ("read my_config.load", "myconfig=my_config"),
            ("a plain question", ""),
        ] {
            let names = Tokenizer::default().names(text);
            let names: Vec<String> = names.iter().map(|(a, b)| format!("{a}={b}")).collect();
            assert_eq!(names.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn everyday_words_match_by_stem() {
        for (word, expected) in [
            ("commit", true),
            ("reviewing", true),
            ("functions", true),
            ("somewhere", true),
            ("order", false),
            ("webhook", false),
        ] {
            assert_eq!(is_everyday(&terms(word)), expected, "{word}");
        }
    }

    #[test]
    fn overlong_words_are_not_terms() {
        assert_eq!(terms(&"a".repeat(41)), "");
    }
}
