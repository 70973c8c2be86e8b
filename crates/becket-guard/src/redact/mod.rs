//! Finds secrets in text and JSON and replaces them with placeholders.
//!
//! Redaction runs in a process that is started for every event, so it does not compile regular expressions. One
//! pass over the bytes uses a lookup table that rejects most of them at once. The time is linear on any input:
//! every repeated lookup is bounded or cached.
//!
//! It recognizes provider tokens by prefix and shape (`token_rules`, `tokens`), private key blocks (`pem`), JSON
//! web tokens, passwords in URLs (`url`), `Authorization` and `Cookie` headers (`header`), values assigned to a
//! telling name (`assignment`, `secret_name`, `secret_value`), and lines of credential files (`credential_lines`);
//! in JSON, also the content of such files (`credential_files`). The user can add regular expressions
//! ([`set_custom_patterns`]).
//!
//! It does not guess. A random-looking string without a telling name or shape (a commit, a checksum, an image)
//! stays, and so does a name without a value (`$API_KEY`, `<token>`, `password: str`). Redaction is a safety net
//! under the rule not to record secrets, not a proof that none is left.
//!
//! The placeholder, `[redacted:github-token:3f9a1c]`, keeps the kind and 24 bits of a keyed hash, so that
//! occurrences of the same secret can be correlated. With the built-in key, an attacker can check guesses of a weak
//! password against those 24 bits; [`Redactor::with_key`] takes an installation-specific key where that matters.
//!
//! Start at [`redact_text`]; the main loop is in `scan`.

mod assignment;
mod bytes;
mod credential_files;
mod credential_lines;
mod custom_patterns;
mod header;
mod json;
mod kind;
mod literal;
mod pem;
mod placeholder;
mod scan;
mod secret_name;
mod secret_value;
mod token_rules;
mod tokens;
mod url;
mod word_lists;

use std::borrow::Cow;
use std::ops::Range;

pub use custom_patterns::set_custom_patterns;
pub use kind::RedactionKind;

/// A secret as a byte range of the scanned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    /// The range; both ends are character boundaries.
    pub range: Range<usize>,
    /// The kind of secret.
    pub kind: RedactionKind,
}

/// Replaces every secret in `text`; borrows when there is none.
pub fn redact_text(text: &str) -> Cow<'_, str> {
    Redactor::default().text(text)
}

/// Replaces every secret in the strings and keys of `value`, in place; returns whether there was any.
///
/// In addition to the checks of [`redact_text`], field names count: the string under `password` is replaced if it
/// looks like a value and not like a type name, a sentence or a reference.
pub fn redact_json(value: &mut serde_json::Value) -> bool {
    Redactor::default().json(value)
}

/// The secrets in `text`, in order, without overlaps.
pub fn find(text: &str) -> Vec<SecretMatch> {
    scan::scan(text)
}

/// Whether a variable or field with this name holds a secret, judged by the name alone.
pub fn names_secret(name: &str) -> bool {
    secret_name::classify(name.as_bytes())
        .is_some_and(|class| class != secret_name::NameClass::Weak)
}

/// Maximum number of passes. Ordinary text needs at most two.
const MAX_PASSES: usize = 32;

/// A redactor with its own key for the hashes in placeholders.
#[derive(Clone)]
pub struct Redactor {
    key: [u8; 32],
}

impl Redactor {
    /// Uses `key` for the hashes. Hashes made with different keys are not comparable.
    pub fn with_key(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// See [`redact_text`].
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        custom_patterns::redact(self, self.redact_builtin(text))
    }

    /// Redacts with the built-in rules.
    fn redact_builtin<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = scan::scan(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // A placeholder is a token boundary; the secret that it replaces was not. So replacing one of two adjacent
        // tokens may make the other recognizable in the next pass.
        let mut text = self.replace(text, found);
        for _ in 1..MAX_PASSES {
            found = scan::scan(&text);
            if found.is_empty() {
                break;
            }
            text = self.replace(&text, found);
        }
        Cow::Owned(text)
    }

    fn replace(&self, text: &str, found: Vec<SecretMatch>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for SecretMatch { range, kind } in found {
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

    fn push_placeholder(&self, out: &mut String, kind: RedactionKind, secret: &str) {
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
