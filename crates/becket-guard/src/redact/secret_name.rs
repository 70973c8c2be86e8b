//! Decides whether a name says that its value is a secret.
//!
//! The name is split into words (`dbPassword`, `X-Api-Key`, `AUTH_TOKEN`). The last word that names a secret
//! decides, unless a later word says that the value is *about* a secret: `token_count`, `secretName`,
//! `password_policy`.

use super::bytes::{ALNUM, DIGIT, LOWER, UPPER, is};
use super::word_lists::{ABOUT, HARMLESS_KEYS, HARMLESS_TOKENS, NEUTRAL, PREDICATES, SECRET_KEYS};

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameClass {
    /// A password chosen by a person.
    Password,
    /// A generated secret; the name is unambiguous.
    Secret,
    /// A generated secret; the name has other meanings as well.
    Token,
    /// A weak hint, such as `SOME_KEY` or `token_of_something`.
    Weak,
    /// A passphrase of several words.
    Phrase,
    /// An `Authorization` header.
    Authorization,
    /// A `Cookie` header.
    Cookie,
    /// The signature in a signed URL.
    Signature,
}

/// Maximum length of a name; longer names are truncated at the start.
pub(super) const MAX_NAME: usize = 80;
const MAX_WORDS: usize = 12;

/// The class of `name`, if it names a secret.
pub(super) fn classify(name: &[u8]) -> Option<NameClass> {
    let name = &name[name.len().saturating_sub(MAX_NAME)..];
    if name.len() < 3 {
        return None;
    }
    let words = NameWords::of(name);
    let words = words.as_slice();
    // Most names are rejected here, so this check comes first.
    let (at, noun) = (0..words.len())
        .rev()
        .find_map(|at| Some((at, noun(words, at)?)))?;
    let NounMeaning::Names(class) = noun else {
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
        NameClass::Authorization | NameClass::Cookie | NameClass::Signature
    );
    if known_header || tail.iter().any(|word| one_of(word, ABOUT)) {
        return None;
    }
    Some(NameClass::Weak)
}

/// The contribution of a word to a name.
enum NounMeaning {
    Names(NameClass),
    /// A noun that the preceding word makes harmless.
    Harmless,
}

/// Whole words.
const NOUNS: &[(&str, NameClass)] = &[
    ("auth", NameClass::Token),
    ("bearer", NameClass::Token),
    ("cred", NameClass::Token),
    ("jwt", NameClass::Token),
    ("kennwort", NameClass::Password),
    ("pass", NameClass::Password),
    ("pw", NameClass::Password),
    ("pwd", NameClass::Password),
    ("sig", NameClass::Signature),
];

/// Word endings, because names are often written without separators.
const ENDINGS: &[(&str, NameClass)] = &[
    ("accesskey", NameClass::Secret),
    ("accountkey", NameClass::Secret),
    ("apikey", NameClass::Secret),
    ("authkey", NameClass::Secret),
    ("authorization", NameClass::Authorization),
    ("cookie", NameClass::Cookie),
    ("credential", NameClass::Secret),
    ("masterkey", NameClass::Secret),
    ("mnemonic", NameClass::Phrase),
    ("passcode", NameClass::Password),
    ("passphrase", NameClass::Phrase),
    ("passwd", NameClass::Password),
    ("password", NameClass::Password),
    ("passwort", NameClass::Password),
    ("privatekey", NameClass::Secret),
    ("secret", NameClass::Secret),
    ("secretkey", NameClass::Secret),
    ("token", NameClass::Token),
];

fn noun(words: &[&[u8]], at: usize) -> Option<NounMeaning> {
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
            .then_some(NounMeaning::Names(NameClass::Phrase));
    }
    if word.eq_ignore_ascii_case(b"signature") {
        return one_of(before, &["amz", "goog"])
            .then_some(NounMeaning::Names(NameClass::Signature));
    }
    if word.eq_ignore_ascii_case(b"pat") {
        // `pat` alone usually means a pattern, not a personal access token.
        return (!before.is_empty()).then_some(NounMeaning::Names(NameClass::Token));
    }
    let named = |list: &[(&str, NameClass)], fits: fn(&[u8], &str) -> bool| {
        list.iter()
            .find(|(known, _)| fits(word, known))
            .map(|(_, class)| *class)
    };
    let class = named(NOUNS, is_word).or_else(|| named(ENDINGS, ends_with))?;
    let harmless = class == NameClass::Token && one_of(before, HARMLESS_TOKENS);
    Some(if harmless {
        NounMeaning::Harmless
    } else {
        NounMeaning::Names(class)
    })
}

/// A fast filter on the last two letters of every noun; most names do not name secrets.
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

/// `key` needs a qualifier.
fn key(qualifier: &[u8]) -> NounMeaning {
    if qualifier.is_empty() || one_of(qualifier, HARMLESS_KEYS) {
        NounMeaning::Harmless
    } else if one_of(qualifier, SECRET_KEYS) {
        NounMeaning::Names(NameClass::Secret)
    } else {
        NounMeaning::Names(NameClass::Weak)
    }
}

/// The words of a name, at most the last [`MAX_WORDS`], without numbers.
struct NameWords<'n> {
    words: [&'n [u8]; MAX_WORDS],
    len: usize,
}

impl<'n> NameWords<'n> {
    fn of(name: &'n [u8]) -> Self {
        let mut found = Self {
            words: [&[]; MAX_WORDS],
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
        if self.len == MAX_WORDS {
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

/// Whether a word ends before `at`: at a separator, at `aB`, and before the `Bc` of `ABc`.
fn is_cut(name: &[u8], at: usize) -> bool {
    let (before, here) = (name[at - 1], name[at]);
    if !is(here, ALNUM) {
        return true;
    }
    let next_is_lower = name.get(at + 1).is_some_and(|b| is(*b, LOWER));
    // `APIKey` is API and Key; `APIkey` and `PASSWORDs` stay whole.
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
    fn secret_nouns_pass_the_suffix_filter() {
        let listed = NOUNS.iter().chain(ENDINGS).map(|(word, _)| *word);
        for word in listed.chain(["key", "phrase", "signature"]) {
            assert!(ends_like_a_noun(without_plural(word.as_bytes())), "{word}");
        }
    }

    #[test]
    fn secret_names_are_recognised_in_every_spelling() {
        for (name, class) in [
            ("password", NameClass::Password),
            ("DB_PASSWORD", NameClass::Password),
            ("PGPASSWORD", NameClass::Password),
            ("MYSQL_PWD", NameClass::Password),
            ("smtp.pass", NameClass::Password),
            ("userPassword2", NameClass::Password),
            ("api_key", NameClass::Secret),
            ("apiKey", NameClass::Secret),
            ("APIKey", NameClass::Secret),
            ("APIkey", NameClass::Secret),
            ("APIKEY", NameClass::Secret),
            ("X-Api-Key", NameClass::Secret),
            ("client_secret", NameClass::Secret),
            ("secrets", NameClass::Secret),
            ("SECRET_KEY_BASE", NameClass::Secret),
            ("AccountKey", NameClass::Secret),
            ("AZURE_CREDENTIALS", NameClass::Secret),
            ("GITHUB_TOKEN", NameClass::Token),
            ("_authToken", NameClass::Token),
            ("authtoken", NameClass::Token),
            ("token1", NameClass::Token),
            ("TOKEN_PROD", NameClass::Token),
            ("GITHUB_PAT", NameClass::Token),
            ("Passwort", NameClass::Password),
            ("DATADOG_KEY", NameClass::Weak),
            ("token_for_ci", NameClass::Weak),
            ("Authorization", NameClass::Authorization),
            ("proxy-authorization", NameClass::Authorization),
            ("Set-Cookie", NameClass::Cookie),
            ("X-Amz-Signature", NameClass::Signature),
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
