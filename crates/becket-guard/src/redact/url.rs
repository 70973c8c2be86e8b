//! Passwords in URLs: `scheme://user:password@host`.

use super::bytes::{ALNUM, BARE, DIGIT, RunCache, has_at, is, run_end};
use super::secret_value::{is_random, is_reference, is_stand_in};
use super::{RedactionKind, SecretMatch, placeholder};

/// The credential of the URL whose `://` is at `colon`.
pub(super) fn credential(text: &[u8], colon: usize, runs: &mut RunCache) -> Option<SecretMatch> {
    if !has_at(text, colon, b"://") || colon == 0 || !is(text[colon - 1], ALNUM) {
        return None;
    }
    let start = colon + 3;
    let end = runs.end(text, start, BARE);
    let user_end = end_of_user(text, start, end)?;
    if text[user_end] == b'@' {
        return user_alone(text, start, user_end);
    }
    let password = user_end + 1;
    let at_sign = end_of_password(text, password, end)?;
    if is_filler(&text[password..at_sign]) {
        return user_alone(text, start, user_end);
    }
    is_password(&text[password..at_sign], &text[at_sign + 1..end]).then_some(SecretMatch {
        range: password..at_sign,
        kind: RedactionKind::UrlPassword,
    })
}

/// Dummy passwords next to a token in the user position.
fn is_filler(password: &[u8]) -> bool {
    password.is_empty() || password == b"x-oauth-basic"
}

/// A user name ends at `:` or `@`; a slash before that means there is none.
fn end_of_user(text: &[u8], start: usize, end: usize) -> Option<usize> {
    const MAX_USER: usize = 256;
    let end = end.min(start + MAX_USER);
    let len = text[start..end]
        .iter()
        .position(|b| matches!(b, b':' | b'@' | b'/' | b'?' | b'#'))?;
    matches!(text[start + len], b':' | b'@').then_some(start + len)
}

/// The `@` that ends a password. Up to the first slash, the last `@` counts. A password may contain a slash, but
/// digits up to the slash are a port.
fn end_of_password(text: &[u8], from: usize, end: usize) -> Option<usize> {
    const MAX_PASSWORD: usize = 1024;
    let end = end.min(from + MAX_PASSWORD);
    let slash = text[from..end]
        .iter()
        .position(|b| matches!(b, b'/' | b'?' | b'#'))
        .map_or(end, |len| from + len);
    if let Some(len) = text[from..slash].iter().rposition(|b| *b == b'@') {
        return Some(from + len);
    }
    if run_end(text, from, DIGIT) >= slash {
        return None;
    }
    text[slash..end]
        .iter()
        .position(|b| *b == b'@')
        .map(|len| slash + len)
}

fn is_password(password: &[u8], after: &[u8]) -> bool {
    // An image reference has a tag and a digest in these positions.
    let image = after.starts_with(b"sha256:") || after.starts_with(b"sha512:");
    !image && !after.is_empty() && is_plausible(password)
}

/// Whether the text is plausible as a password where one is expected.
pub(super) fn is_plausible(password: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "password", "passwd", "pass", "pwd", "secret", "token", "xxx",
    ];
    password.len() >= 3
        && !is_reference(password)
        && !is_stand_in(password)
        && !placeholder::within(password)
        && password.iter().any(|b| *b != b'*')
        && !WORDS
            .iter()
            .any(|word| password.eq_ignore_ascii_case(word.as_bytes()))
}

/// `https://token@host`
fn user_alone(text: &[u8], start: usize, end: usize) -> Option<SecretMatch> {
    let user = &text[start..end];
    let fits = user.len() >= 20 && is_random(user) && !is_stand_in(user) && !is_reference(user);
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::UrlPassword,
    })
}
