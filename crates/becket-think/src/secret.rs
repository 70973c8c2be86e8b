//! Secrets that must not be printed, and foreign text that is safe to print.

use std::fmt;

/// A key or a token. `Debug` prints dots.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the code that sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Replaces the secret in `words`. A server may echo what it received.
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

/// The first non-empty line of foreign text, at most 200 characters, without control characters.
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
    fn secret_is_never_printed() {
        let secret = Secret::new("sk-1");
        assert_eq!(format!("{secret:?}"), "•••");
        assert_eq!(secret.scrub("bad key sk-1!"), "bad key •••!");
        assert_eq!(Secret::new("").scrub("ab"), "ab");
    }

    #[test]
    fn foreign_text_becomes_one_short_line() {
        assert_eq!(one_line("\n  a\u{1b}[31mb\nc"), "a[31mb");
        assert_eq!(one_line(&"x".repeat(500)).len(), 200);
    }
}
