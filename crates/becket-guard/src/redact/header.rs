//! `Authorization` and `Cookie` headers.

use super::bytes::{
    ALNUM, ALPHA, BARE, BLANK, DASH, DIGIT, NAME, RunCache, UPPER, has_word_at, is, run_end,
};
use super::secret_value::{SAMPLE, is_random, is_reference, is_stand_in};
use super::tokens::decode;
use super::{RedactionKind, SecretMatch, placeholder};

/// Schemes whose credential consists of several fields.
const WITH_FIELDS: &[&[u8]] = &[b"AWS4-HMAC-SHA256", b"Digest", b"Hawk", b"OAuth"];

/// Schemes whose credential is one word of any length.
const WITH_TOKEN: &[&[u8]] = &[
    b"Bearer",
    b"Token",
    b"ApiKey",
    b"Key",
    b"Negotiate",
    b"Bot",
    b"SSWS",
];

/// The credential in the value of an `Authorization` header that is `text[start..end]`.
pub(super) fn authorization(
    text: &[u8],
    start: usize,
    end: usize,
    runs: &mut RunCache,
) -> Option<SecretMatch> {
    let scheme = runs.end(text, start, ALNUM | DASH).min(end);
    let credential = run_end(&text[..end], scheme, BLANK);
    if credential == scheme || scheme == start {
        return bare(text, start, end, runs);
    }
    let scheme = &text[start..scheme];
    let fields = is_one_of(scheme, WITH_FIELDS);
    let stop = if fields {
        end
    } else {
        runs.end(text, credential, BARE).min(end)
    };
    let value = &text[credential..stop];
    let fits = if scheme.eq_ignore_ascii_case(b"basic") {
        is_basic(value)
    } else {
        is_credential(value) && (is_one_of(scheme, WITH_TOKEN) || is_random(value))
    };
    fits.then_some(SecretMatch {
        range: credential..stop,
        kind: RedactionKind::Authorization,
    })
}

/// The credential in a value without a scheme.
fn bare(text: &[u8], start: usize, end: usize, runs: &mut RunCache) -> Option<SecretMatch> {
    let stop = runs.end(text, start, BARE).min(end);
    let value = &text[start..stop];
    let fits = value.len() >= 12 && is_credential(value) && is_random(value);
    fits.then_some(SecretMatch {
        range: start..stop,
        kind: RedactionKind::Authorization,
    })
}

/// `Bearer x` and `Basic x` outside a header; the value has to look like a credential.
pub(super) fn scheme(text: &[u8], at: usize, runs: &mut RunCache) -> Option<SecretMatch> {
    let bearer = has_word_at(text, at, b"bearer ");
    let basic = has_word_at(text, at, b"basic ");
    if !bearer && !basic {
        return None;
    }
    let start = at + if bearer { 7 } else { 6 };
    let end = runs.end(text, start, BARE);
    let value = &text[start..end];
    let fits = if basic {
        is_basic(value)
    } else {
        value.len() >= 16 && is_credential(value) && is_random(value)
    };
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::Authorization,
    })
}

fn is_credential(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    let word = value.iter().all(|b| is(*b, ALPHA | DASH) || *b == b'_');
    value.len() >= 8
        && !is_reference(value)
        && !is_stand_in(value)
        && !placeholder::within(value)
        && (!word || (value.len() >= 20 && is_random(value)))
}

/// Base64 of `user:password`.
fn is_basic(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    let plain = decode(value);
    // It is always padded, and no ordinary word after "basic" has capitals or digits inside.
    let mixed = value
        .iter()
        .skip(1)
        .any(|b| is(*b, UPPER | DIGIT) || *b == b'=');
    value.len() >= 8
        && value.len().is_multiple_of(4)
        && mixed
        && plain.contains(&b':')
        && plain.iter().all(|b| *b >= b' ' && *b != 0x7f)
}

/// The value of a `Cookie` header, if one of its cookies could identify a session or user.
pub(super) fn cookie(text: &[u8], start: usize, end: usize) -> Option<SecretMatch> {
    let value = &text[start..end.min(start + 8 * SAMPLE)];
    if placeholder::within(value) {
        return None;
    }
    let telling = value.split(|b| *b == b';').any(|pair| {
        let pair = pair.trim_ascii_start();
        let name = run_end(pair, 0, NAME);
        let content = pair
            .get(name..)
            .and_then(|rest| rest.strip_prefix(b"="))
            .unwrap_or_default();
        let content = &content[..run_end(content, 0, BARE)];
        name > 0
            && content.len() >= 8
            && is_random(content)
            && !is_reference(content)
            && !is_stand_in(content)
    });
    telling.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::Cookie,
    })
}

fn is_one_of(word: &[u8], list: &[&[u8]]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}
