//! Finds secrets in text and JSON and puts a placeholder in their place.
//!
//! It runs in a process that is started for every event, so there is no regex engine to compile:
//! one pass over the bytes, with a table lookup that says "nothing can start here" for most of
//! them. Time is linear on any input. Everything that would be looked at twice is either bounded
//! or remembered.
//!
//! What it knows: tokens of many providers by prefix and shape (`rules`), private key blocks
//! (`pem`), JSON web tokens, passwords in URLs (`url`), `Authorization` and `Cookie` headers
//! (`header`), values assigned to a name that says "secret" (`assign`, `key`, `value`), and lines of credential files (`lines`); in
//! JSON, also everything that was read from such a file (`files`).
//!
//! Beside that, patterns of the person's own ([`redact_also`]), for which there is a regex engine after all.
//!
//! What it refuses to do: guess. A random-looking string without a name or a shape (a commit, a
//! checksum, an image) stays as it is, and so does a name without a value (`$API_KEY`, `<token>`,
//! `password: str`). It is a safety net under the rule not to record secrets, not a proof that none
//! is left.
//!
//! The placeholder, `[redacted:github-token:3f9a1c]`, keeps the kind and 24 bits of a keyed hash, so
//! that two places with the same secret can be seen to belong together. With the built-in key, a
//! person who guesses a weak password can check the guess against those 24 bits;
//! [`Redactor::with_key`] takes a key of the installation where that matters.
//!
//! Start at [`redact_text`]; the loop is in `scan`.

mod assign;
mod bytes;
mod files;
mod header;
mod json;
mod key;
mod kind;
mod lines;
mod literal;
mod own;
mod pem;
mod placeholder;
mod provider;
mod rules;
mod scan;
mod url;
mod value;
mod words;

use std::borrow::Cow;
use std::ops::Range;

pub use kind::Kind;
pub use own::redact_also;

/// A secret that was found, as a byte range of the text it was found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where it is; both ends are character boundaries.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// Replaces every secret in `text`; borrows when there is none.
pub fn redact_text(text: &str) -> Cow<'_, str> {
    Redactor::default().text(text)
}

/// Replaces every secret in the strings and keys of `value`, in place; says whether there was any.
///
/// Beyond what [`redact_text`] sees, the name of a field counts: the string under `password` is
/// replaced when it looks like a value and not like a type name, a sentence or a reference.
pub fn redact_json(value: &mut serde_json::Value) -> bool {
    Redactor::default().json(value)
}

/// The secrets in `text`, in order, without overlap.
pub fn find(text: &str) -> Vec<Finding> {
    scan::scan(text)
}

/// Whether a variable or field of this name holds a secret, going by the name alone.
pub fn names_secret(name: &str) -> bool {
    key::classify(name.as_bytes()).is_some_and(|class| class != key::Class::Weak)
}

/// No text that was not made for the purpose needs more than two.
const MOST_PASSES: usize = 32;

/// A redactor with its own key for the hashes in placeholders.
#[derive(Clone)]
pub struct Redactor {
    key: [u8; 32],
}

impl Redactor {
    /// Hashes of two redactors with different keys cannot be compared.
    pub fn with_key(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// See [`redact_text`].
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        own::redact(self, self.known(text))
    }

    /// What is known here.
    fn known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = scan::scan(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // A placeholder is a boundary that the secret was not: two tokens written without a gap are
        // told apart once one of them is gone.
        let mut text = self.replace(text, found);
        for _ in 1..MOST_PASSES {
            found = scan::scan(&text);
            if found.is_empty() {
                break;
            }
            text = self.replace(&text, found);
        }
        Cow::Owned(text)
    }

    fn replace(&self, text: &str, found: Vec<Finding>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for Finding { range, kind } in found {
            out.push_str(&text[from..range.start]);
            self.push_placeholder(&mut out, kind, &text[range.clone()]);
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// See [`redact_json`].
    pub fn json(&self, value: &mut serde_json::Value) -> bool {
        json::redact(self, value)
    }

    fn push_placeholder(&self, out: &mut String, kind: Kind, secret: &str) {
        placeholder::push(out, kind, blake3::keyed_hash(&self.key, secret.as_bytes()));
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::with_key(*b"becket redaction correlation v1\0")
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}
