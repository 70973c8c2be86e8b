//! Whether a name says that its value is a secret.
//!
//! The name is cut into words (`dbPassword`, `X-Api-Key`, `AUTH_TOKEN`). The last word that names a
//! secret decides, unless what follows it says that the value is *about* a secret: `token_count`,
//! `secretName`, `password_policy`.

use super::bytes::{ALNUM, DIGIT, LOWER, UPPER, is};
use super::words::{ABOUT, HARMLESS_KEYS, HARMLESS_TOKENS, NEUTRAL, PREDICATES, SECRET_KEYS};

/// What a name promises about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Chosen by a person.
    Password,
    /// Made by a machine, and nothing else goes by this name.
    Secret,
    /// Made by a machine, but the word has other meanings.
    Token,
    /// A name that only hints, such as `SOME_KEY` or `token_of_something`.
    Weak,
    /// Several words.
    Phrase,
    /// An `Authorization` header.
    Authorization,
    /// A `Cookie` header.
    Cookie,
    /// The signature in a signed URL.
    Signature,
}

/// Longer names are looked at from their end.
pub(super) const LONGEST: usize = 80;
const MOST_WORDS: usize = 12;

/// The class of `name`, if it names a secret.
pub(super) fn classify(name: &[u8]) -> Option<Class> {
    let name = &name[name.len().saturating_sub(LONGEST)..];
    if name.len() < 3 {
        return None;
    }
    let words = Words::of(name);
    let words = words.as_slice();
    // Most names end here, so this question comes first.
    let (at, noun) = (0..words.len())
        .rev()
        .find_map(|at| Some((at, noun(words, at)?)))?;
    let Noun::Names(class) = noun else {
        return None;
    };
    if words.first().is_some_and(|word| one_of(word, PREDICATES)) {
        return None;
    }
    let tail = &words[at + 1..];
    if tail.iter().all(|word| one_of(word, NEUTRAL)) {
        return Some(class);
    }
    let known_header = matches!(
        class,
        Class::Authorization | Class::Cookie | Class::Signature
    );
    if known_header || tail.iter().any(|word| one_of(word, ABOUT)) {
        return None;
    }
    Some(Class::Weak)
}

/// What a word contributes to a name.
enum Noun {
    Names(Class),
    /// It would name a secret if the word before it did not say otherwise.
    Harmless,
}

/// Whole words.
const NOUNS: &[(&str, Class)] = &[
    ("auth", Class::Token),
    ("bearer", Class::Token),
    ("cred", Class::Token),
    ("jwt", Class::Token),
    ("kennwort", Class::Password),
    ("pass", Class::Password),
    ("pw", Class::Password),
    ("pwd", Class::Password),
    ("sig", Class::Signature),
];

/// Ends of words, since names are often written without joints.
const ENDINGS: &[(&str, Class)] = &[
    ("accesskey", Class::Secret),
    ("accountkey", Class::Secret),
    ("apikey", Class::Secret),
    ("authkey", Class::Secret),
    ("authorization", Class::Authorization),
    ("cookie", Class::Cookie),
    ("credential", Class::Secret),
    ("masterkey", Class::Secret),
    ("mnemonic", Class::Phrase),
    ("passcode", Class::Password),
    ("passphrase", Class::Phrase),
    ("passwd", Class::Password),
    ("password", Class::Password),
    ("passwort", Class::Password),
    ("privatekey", Class::Secret),
    ("secret", Class::Secret),
    ("secretkey", Class::Secret),
    ("token", Class::Token),
];

fn noun(words: &[&[u8]], at: usize) -> Option<Noun> {
    let word = without_plural(words[at]);
    if !ends_like_a_noun(word) {
        return None;
    }
    let before = at.checked_sub(1).map_or(&[][..], |at| words[at]);
    if word.eq_ignore_ascii_case(b"key") {
        return Some(key(before));
    }
    if word.eq_ignore_ascii_case(b"phrase") {
        return one_of(before, &["pass", "recovery", "secret", "seed"])
            .then_some(Noun::Names(Class::Phrase));
    }
    if word.eq_ignore_ascii_case(b"signature") {
        return one_of(before, &["amz", "goog"]).then_some(Noun::Names(Class::Signature));
    }
    if word.eq_ignore_ascii_case(b"pat") {
        // Alone it is a pattern.
        return (!before.is_empty()).then_some(Noun::Names(Class::Token));
    }
    let named = |list: &[(&str, Class)], fits: fn(&[u8], &str) -> bool| {
        list.iter()
            .find(|(known, _)| fits(word, known))
            .map(|(_, class)| *class)
    };
    let class = named(NOUNS, is_word).or_else(|| named(ENDINGS, ends_with))?;
    let harmless = class == Class::Token && one_of(before, HARMLESS_TOKENS);
    Some(if harmless {
        Noun::Harmless
    } else {
        Noun::Names(class)
    })
}

/// The last two letters of every noun; names are many, and few of them name secrets.
fn ends_like_a_noun(word: &[u8]) -> bool {
    let Some(tail) = word.last_chunk::<2>() else {
        return false;
    };
    matches!(
        &tail.map(|b| b.to_ascii_lowercase()),
        b"al"
            | b"at"
            | b"de"
            | b"ed"
            | b"en"
            | b"er"
            | b"et"
            | b"ey"
            | b"ic"
            | b"ie"
            | b"ig"
            | b"on"
            | b"pw"
            | b"rd"
            | b"re"
            | b"rt"
            | b"se"
            | b"ss"
            | b"th"
            | b"wd"
            | b"wt"
    )
}

/// `key` alone says nothing.
fn key(qualifier: &[u8]) -> Noun {
    if qualifier.is_empty() || one_of(qualifier, HARMLESS_KEYS) {
        Noun::Harmless
    } else if one_of(qualifier, SECRET_KEYS) {
        Noun::Names(Class::Secret)
    } else {
        Noun::Names(Class::Weak)
    }
}

/// The words of a name, at most the last [`MOST_WORDS`], numbers left out.
struct Words<'n> {
    words: [&'n [u8]; MOST_WORDS],
    len: usize,
}

impl<'n> Words<'n> {
    fn of(name: &'n [u8]) -> Self {
        let mut found = Self {
            words: [&[]; MOST_WORDS],
            len: 0,
        };
        let mut start = 0;
        for at in 0..=name.len() {
            if at < name.len() && at > start && !is_cut(name, at) {
                continue;
            }
            found.add(&name[start..at]);
            start = at + usize::from(at < name.len() && !is(name[at], ALNUM));
        }
        found
    }

    fn add(&mut self, word: &'n [u8]) {
        let word = without_digits(word);
        if word.is_empty() || !is(word[0], ALNUM) {
            return;
        }
        if self.len == MOST_WORDS {
            self.words.rotate_left(1);
            self.len -= 1;
        }
        self.words[self.len] = word;
        self.len += 1;
    }

    fn as_slice(&self) -> &[&'n [u8]] {
        &self.words[..self.len]
    }
}

/// Whether a word ends before `at`: at a joint, at `aB`, and before the `Bc` of `ABc`.
fn is_cut(name: &[u8], at: usize) -> bool {
    let (before, here) = (name[at - 1], name[at]);
    if !is(here, ALNUM) {
        return true;
    }
    let next_is_lower = name.get(at + 1).is_some_and(|b| is(*b, LOWER));
    // `APIKey` is API and Key, `APIkey` and `PASSWORDs` stay whole.
    is(here, UPPER)
        && (is(before, LOWER | DIGIT)
            || (is(before, UPPER) && next_is_lower && !tail_is_small(name, at)))
}

/// `Ikey` of `APIkey`: the capital belongs to the abbreviation before it.
fn tail_is_small(name: &[u8], at: usize) -> bool {
    name[at + 1..].eq_ignore_ascii_case(b"key") && name[..=at].ends_with(b"API")
}

fn without_digits(word: &[u8]) -> &[u8] {
    let len = word
        .iter()
        .rposition(|b| !is(*b, DIGIT))
        .map_or(0, |at| at + 1);
    &word[..len]
}

fn without_plural(word: &[u8]) -> &[u8] {
    match word {
        [most @ .., b's' | b'S'] if !most.ends_with(b"s") && !most.ends_with(b"S") => most,
        _ => word,
    }
}

fn one_of(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| is_word(word, known))
}

fn is_word(word: &[u8], known: &str) -> bool {
    word.eq_ignore_ascii_case(known.as_bytes())
}

fn ends_with(word: &[u8], known: &str) -> bool {
    let from = word.len().saturating_sub(known.len());
    word[from..].eq_ignore_ascii_case(known.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_noun_passes_the_quick_test() {
        let listed = NOUNS.iter().chain(ENDINGS).map(|(word, _)| *word);
        for word in listed.chain(["key", "phrase", "signature"]) {
            assert!(ends_like_a_noun(without_plural(word.as_bytes())), "{word}");
        }
    }

    #[test]
    fn names_of_secrets_are_recognised_however_they_are_spelt() {
        for (name, class) in [
            ("password", Class::Password),
            ("DB_PASSWORD", Class::Password),
            ("PGPASSWORD", Class::Password),
            ("MYSQL_PWD", Class::Password),
            ("smtp.pass", Class::Password),
            ("userPassword2", Class::Password),
            ("api_key", Class::Secret),
            ("apiKey", Class::Secret),
            ("APIKey", Class::Secret),
            ("APIkey", Class::Secret),
            ("APIKEY", Class::Secret),
            ("X-Api-Key", Class::Secret),
            ("client_secret", Class::Secret),
            ("secrets", Class::Secret),
            ("SECRET_KEY_BASE", Class::Secret),
            ("AccountKey", Class::Secret),
            ("AZURE_CREDENTIALS", Class::Secret),
            ("GITHUB_TOKEN", Class::Token),
            ("_authToken", Class::Token),
            ("authtoken", Class::Token),
            ("token1", Class::Token),
            ("TOKEN_PROD", Class::Token),
            ("GITHUB_PAT", Class::Token),
            ("Passwort", Class::Password),
            ("DATADOG_KEY", Class::Weak),
            ("token_for_ci", Class::Weak),
            ("Authorization", Class::Authorization),
            ("proxy-authorization", Class::Authorization),
            ("Set-Cookie", Class::Cookie),
            ("X-Amz-Signature", Class::Signature),
        ] {
            assert_eq!(classify(name.as_bytes()), Some(class), "{name}");
        }
    }

    #[test]
    fn names_about_secrets_are_not_names_of_secrets() {
        for name in [
            "token_count",
            "max_tokens",
            "input_tokens",
            "secretName",
            "secretKeyRef",
            "tokenType",
            "passwordPolicy",
            "password_length",
            "PASSWORD_FILE",
            "TOKEN_URL",
            "nextPageToken",
            "csrf_token",
            "publicKey",
            "primary_key",
            "cache_key",
            "key",
            "keyboard",
            "monkey",
            "author",
            "compass",
            "bypass",
            "tokenizer",
            "aws_access_key_id",
            "SSH_AUTH_SOCK",
            "has_password",
            "isSecret",
            "session_id",
            "passport",
            "secretary",
            "keyword",
            "",
            "_",
            "x",
            "cookieName",
            "authorization_url",
            "pat",
            "signature",
        ] {
            assert_eq!(classify(name.as_bytes()), None, "{name}");
        }
    }
}
