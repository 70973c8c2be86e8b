//! Passwords in URLs: `scheme://user:password@host`.

use super::bytes::{ALNUM, BARE, DIGIT, Runs, has_at, is, run_end};
use super::value::{is_random, is_reference, is_stand_in};
use super::{Finding, Kind, placeholder};

/// The credential of the URL whose `://` is at `colon`.
pub(super) fn credential(text: &[u8], colon: usize, runs: &mut Runs) -> Option<Finding> {
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
    is_password(&text[password..at_sign], &text[at_sign + 1..end]).then_some(Finding {
        range: password..at_sign,
        kind: Kind::UrlPassword,
    })
}

/// What stands for a password where the user is a token.
fn is_filler(password: &[u8]) -> bool {
    password.is_empty() || password == b"x-oauth-basic"
}

/// A user name ends at `:` or `@`; a slash before that means that there is none.
fn end_of_user(text: &[u8], start: usize, end: usize) -> Option<usize> {
    const LONGEST_USER: usize = 256;
    let end = end.min(start + LONGEST_USER);
    let len = text[start..end]
        .iter()
        .position(|b| matches!(b, b':' | b'@' | b'/' | b'?' | b'#'))?;
    matches!(text[start + len], b':' | b'@').then_some(start + len)
}

/// The `@` that ends a password. Up to the first slash the last one counts; a password may hold a
/// slash itself, but what is all digits up to there is a port.
fn end_of_password(text: &[u8], from: usize, end: usize) -> Option<usize> {
    const LONGEST_PASSWORD: usize = 1024;
    let end = end.min(from + LONGEST_PASSWORD);
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
    // An image reference has a tag and a digest in these places.
    let image = after.starts_with(b"sha256:") || after.starts_with(b"sha512:");
    !image && !after.is_empty() && is_plausible(password)
}

/// Whether somebody could mean this as a password where one is expected.
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
fn user_alone(text: &[u8], start: usize, end: usize) -> Option<Finding> {
    let user = &text[start..end];
    let fits = user.len() >= 20 && is_random(user) && !is_stand_in(user) && !is_reference(user);
    fits.then_some(Finding {
        range: start..end,
        kind: Kind::UrlPassword,
    })
}
