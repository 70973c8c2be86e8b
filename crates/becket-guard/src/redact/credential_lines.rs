//! Lines of credential files in any output: `.netrc`, `.pgpass`, PuTTY keys.

use super::bytes::{BASE64, HEADER, has_at, is, run_end};
use super::scan::Scanner;
use super::{RedactionKind, SecretMatch, url};

/// How far back the start of an entry is searched.
const REACH: usize = 256;

/// `machine host login name password value`, on one line or several, with the word `password` at `name`.
pub(super) fn netrc(
    scan: &Scanner<'_>,
    name: usize,
    value: std::ops::Range<usize>,
) -> Option<SecretMatch> {
    let text = scan.text;
    let from = scan.floor.max(name.saturating_sub(REACH));
    let mut words = text[from..name]
        .rsplit(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let mut pair = || Some((words.next()?, words.next()));
    let is_entry = match pair()? {
        (_, Some(b"machine")) => true,
        (_, Some(b"login" | b"account")) => match pair()? {
            (b"default", _) => true,
            (_, key) => key == Some(b"machine"),
        },
        _ => false,
    };
    let fits = is_entry && url::is_plausible(&text[value.clone()]);
    fits.then_some(SecretMatch {
        range: value,
        kind: RedactionKind::Password,
    })
}

/// `host:5432:database:user:password` on a line by itself, with its first colon at `at`. Compilers print lines of
/// the same shape; a PostgreSQL port and names that are not only digits distinguish them.
pub(super) fn pgpass(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    if !matches!(text.get(at + 1), Some(b'5' | b'6' | b'*')) {
        return None;
    }
    let from = floor.max(at.saturating_sub(REACH));
    let start = text[from..at]
        .iter()
        .rposition(|b| matches!(b, b'\n' | b' ' | b'\t' | b'"' | b'\''))
        .map_or(from, |last| from + last + 1);
    let end = line_end(text, at)?;
    let fields: Vec<&[u8]> = text[start..end].split(|b| *b == b':').collect();
    let [host, port, database, user, password] = fields[..] else {
        return None;
    };
    let is_port =
        matches!(port, b"*" | b"6432" | b"6543") || (port.len() == 4 && port.starts_with(b"543"));
    let is_name = |name: &[u8]| {
        let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-.*".contains(b);
        name.iter().all(is_plain) && name.iter().any(|b| !b.is_ascii_digit())
    };
    let fits = !host.is_empty()
        && is_port
        && is_name(database)
        && is_name(user)
        && !password.contains(&b' ')
        && url::is_plausible(password);
    fits.then_some(SecretMatch {
        range: end - password.len()..end,
        kind: RedactionKind::Password,
    })
}

/// The end of the line that contains `at`, if it is near.
fn line_end(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[..text.len().min(at + REACH)];
    let end = run_end(near, at, HEADER);
    (end < near.len() || near.len() == text.len()).then_some(end)
}

/// `Private-Lines: 14` of a PuTTY key, with the colon at `at`: matches the lines of base64 that follow.
pub(super) fn putty(text: &[u8], at: usize) -> Option<SecretMatch> {
    if !text[..at].ends_with(b"Private-Lines") {
        return None;
    }
    let first = line_end(text, at)?;
    let mut end = first;
    while let Some(line) = next_line(text, end) {
        let stop = run_end(text, line, BASE64);
        if stop == line || text.get(stop).is_some_and(|b| is(*b, HEADER)) {
            break;
        }
        end = stop;
    }
    let start = next_line(text, first)?;
    (end > start).then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::PrivateKey,
    })
}

fn next_line(text: &[u8], end: usize) -> Option<usize> {
    ["\r\n", "\n"]
        .iter()
        .find(|newline| has_at(text, end, newline.as_bytes()))
        .map(|newline| end + newline.len())
}
