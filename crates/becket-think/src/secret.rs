//! Text that must not be shown.

use std::fmt;

/// A key or a token. Printing it in any way gives dots.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The words without the secret: a server may repeat what it was sent.
    pub(crate) fn scrub(&self, words: &str) -> String {
        if self.0.is_empty() {
            return words.to_owned();
        }
        words.replace(&self.0, "•••")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("•••")
    }
}

/// One line of somebody else's words, short and fit for a terminal.
pub(crate) fn one_line(words: &str) -> String {
    let line = words
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_in_no_way_but_one() {
        let secret = Secret::new("sk-1");
        assert_eq!(format!("{secret:?}"), "•••");
        assert_eq!(secret.scrub("bad key sk-1!"), "bad key •••!");
        assert_eq!(Secret::new("").scrub("ab"), "ab");
    }

    #[test]
    fn foreign_words_become_one_short_line() {
        assert_eq!(one_line("\n  a\u{1b}[31mb\nc"), "a[31mb");
        assert_eq!(one_line(&"x".repeat(500)).len(), 200);
    }
}
