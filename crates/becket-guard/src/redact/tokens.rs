//! Matches provider tokens: applies `token_rules`, and matches shapes that a prefix and a run cannot describe.

use std::ops::Range;

use super::RedactionKind;
use super::bytes::{
    ALNUM, BASE64, BLANK, DASH, DIGIT, DOT, EQUALS, HEX, RunCache, URL64, WORD, has_at, is, is_at,
    run_end, run_start, starts_word, word_start,
};
use super::secret_value::{SAMPLE, is_mixed, is_random, is_stand_in};
use super::token_rules::{
    BY_FIRST, InfixShape, RULES, Randomness, RunShape, TokenBoundary, TokenRule, TokenShape,
    may_be_prefix,
};
use super::{SecretMatch, pem};

/// Whether a rule may start at `at`. A single lookup that almost always returns false.
pub(super) fn may_start(text: &[u8], at: usize) -> bool {
    matches!(text[at..], [a, b, c, ..] if may_be_prefix(a, b, c))
}

/// The token whose prefix starts at `at`.
pub(super) fn at_prefix(
    text: &[u8],
    at: usize,
    floor: usize,
    runs: &mut RunCache,
) -> Option<SecretMatch> {
    let (from, to) = BY_FIRST[usize::from(*text.get(at)?)];
    RULES[usize::from(from)..usize::from(to)]
        .iter()
        .filter(|rule| has_at(text, at, rule.prefix))
        .find_map(|rule| apply(rule, text, at, floor, runs))
}

fn apply(
    rule: &TokenRule,
    text: &[u8],
    at: usize,
    floor: usize,
    runs: &mut RunCache,
) -> Option<SecretMatch> {
    let body = at + rule.prefix.len();
    let range = match &rule.shape {
        TokenShape::Run(run) => at..run_token(run, text, at, body, runs)?,
        TokenShape::Custom(end) => at..end(text, at, body, runs)?,
        TokenShape::Infix(shape) => around(shape, text, at, body, floor)?,
    };
    Some(SecretMatch {
        range,
        kind: rule.kind,
    })
}

fn run_token(
    run: &RunShape,
    text: &[u8],
    at: usize,
    body: usize,
    runs: &mut RunCache,
) -> Option<usize> {
    if run.boundary == TokenBoundary::Word && !starts_word(text, at) {
        return None;
    }
    let end = without_full_stop(text, body, runs.end(text, body, run.set));
    if end - body < run.least || end - body > run.most {
        return None;
    }
    if run.boundary == TokenBoundary::Word && is_at(text, end, ALNUM) {
        return None;
    }
    let token = &text[body..end];
    let fits = match run.randomness {
        Randomness::Any => true,
        Randomness::Mixed => is_mixed(token),
        Randomness::Random => is_random(token),
    };
    (fits && !is_stand_in(token)).then_some(end)
}

/// A final dot belongs to the sentence.
fn without_full_stop(text: &[u8], body: usize, end: usize) -> usize {
    if end > body && text[end - 1] == b'.' {
        end - 1
    } else {
        end
    }
}

/// Tokens without a prefix, recognized by a character in the middle; they start before `at` but not before `floor`.
pub(super) fn at_middle(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    match text[at] {
        b'.' => discord(text, at, floor).or_else(|| terraform(text, at, floor)),
        b':' => telegram(text, at, floor),
        b'~' => entra(text, at, floor),
        _ => None,
    }
}

/// `<id>.<time>.<signature>`, all base64url. The id consists of digits, so it starts with M, N or O.
fn discord(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    if text.get(at + 7) != Some(&b'.') || run_end(text, at + 1, URL64) != at + 7 {
        return None;
    }
    let start = word_start(text, at, URL64, 40, floor);
    let id = &text[start..at];
    let end = run_end(text, at + 8, URL64);
    let long_enough = (22..=30).contains(&id.len()) && end - (at + 8) >= 25;
    let fits = long_enough && matches!(id[0], b'M' | b'N' | b'O') && is_random(&text[start..end]);
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::DiscordToken,
    })
}

/// `<14>.atlasv1.<60 or more>`
fn terraform(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    const MIDDLE: &[u8] = b".atlasv1.";
    if !has_at(text, at, MIDDLE) {
        return None;
    }
    let start = word_start(text, at, ALNUM, 20, floor);
    let end = run_end(text, at + MIDDLE.len(), URL64 | EQUALS);
    let fits = at - start >= 10 && end - (at + MIDDLE.len()) >= 40;
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::HashicorpToken,
    })
}

/// `<8 to 10 digits>:AA<33>`
fn telegram(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    if text.get(at + 1) != Some(&b'A') {
        return None;
    }
    let start = run_start(text, at, DIGIT, 12, floor);
    let end = run_end(text, at + 1, URL64);
    let fits = (7..=11).contains(&(at - start))
        && starts_word_or_path(text, start)
        && (33..=38).contains(&(end - at - 1))
        && is_random(&text[at + 1..end]);
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::TelegramToken,
    })
}

/// In Bot API URLs, `bot` directly precedes the number.
fn starts_word_or_path(text: &[u8], at: usize) -> bool {
    starts_word(text, at) || text[..at].ends_with(b"/bot")
}

/// Entra client secrets: three characters, a digit, `Q~`, and 31 to 34 more.
fn entra(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    let start = at.checked_sub(5)?;
    if start < floor || text[at - 1] != b'Q' || !is(text[at - 2], DIGIT) {
        return None;
    }
    let head = text[start..at - 2]
        .iter()
        .all(|b| is(*b, URL64 | DOT) || *b == b'~');
    let mut end = at + 1;
    while is_at(text, end, URL64 | DOT) || text.get(end) == Some(&b'~') {
        end += 1;
        if end - at > 40 {
            return None;
        }
    }
    let end = without_full_stop(text, at + 1, end);
    let fits = head && starts_word(text, start) && (31..=34).contains(&(end - at - 1));
    fits.then_some(SecretMatch {
        range: start..end,
        kind: RedactionKind::AzureKey,
    })
}

/// Header and payload start with `{"`, which is `eyJ` in base64. The signature may be missing, and an encrypted
/// token has five parts.
pub(super) fn jwt(text: &[u8], at: usize, body: usize, runs: &mut RunCache) -> Option<usize> {
    const MIN_PART: usize = 10;
    if !starts_word(text, at) {
        return None;
    }
    let header = runs.end(text, body, URL64);
    if header - body < MIN_PART || text.get(header) != Some(&b'.') {
        return None;
    }
    let payload = runs.end(text, header + 1, URL64);
    if text.get(payload) != Some(&b'.') {
        return None;
    }
    let mut end = runs.end(text, payload + 1, URL64);
    let signed = payload - header > MIN_PART && end - payload > MIN_PART;
    let unsigned = has_at(text, header + 1, b"eyJ");
    if !signed && !unsigned {
        return None;
    }
    while text.get(end) == Some(&b'.') && is_at(text, end + 1, URL64) {
        end = run_end(text, end + 1, URL64);
    }
    Some(end)
}

/// `xoxb-…`, `xoxp-…`, `xoxe.xoxp-…`
pub(super) fn slack(text: &[u8], at: usize, body: usize, runs: &mut RunCache) -> Option<usize> {
    if !starts_word(text, at)
        || !matches!(
            text.get(body)?,
            b'a' | b'b' | b'c' | b'd' | b'e' | b'o' | b'p' | b'r' | b's'
        )
    {
        return None;
    }
    let nested = text[body] == b'e' && has_at(text, body + 1, b".xox");
    let dash = if nested { body + 6 } else { body + 1 };
    if text.get(dash) != Some(&b'-') {
        return None;
    }
    let end = runs.end(text, dash + 1, ALNUM | DASH);
    let token = beginning(&text[dash + 1..end]);
    let fits = token.len() >= 10 && token.iter().any(|b| is(*b, DIGIT)) && !is_stand_in(token);
    fits.then_some(end)
}

/// `SG.<about 22>.<about 43>`
pub(super) fn sendgrid(text: &[u8], at: usize, body: usize, _: &mut RunCache) -> Option<usize> {
    let dot = run_end(&text[..text.len().min(body + 64)], body, URL64);
    if !starts_word(text, at) || dot - body < 16 || text.get(dot) != Some(&b'.') {
        return None;
    }
    let end = run_end(text, dot + 1, URL64 | EQUALS);
    (end - dot > 20 && is_random(&text[body..end])).then_some(end)
}

/// `SK` is a common prefix, so exactly 32 hexadecimal digits have to follow.
pub(super) fn twilio(text: &[u8], at: usize, body: usize, _: &mut RunCache) -> Option<usize> {
    let end = run_end(&text[..text.len().min(body + 33)], body, HEX);
    let token = &text[body..end];
    let fits =
        token.len() == 32 && starts_word(text, at) && !is_at(text, end, URL64) && is_random(token);
    fits.then_some(end)
}

/// The path of an incoming webhook is the credential.
pub(super) fn webhook(text: &[u8], _: usize, body: usize, runs: &mut RunCache) -> Option<usize> {
    let mut end = runs.end(text, body, URL64 | BASE64 | DOT);
    if text.get(end) == Some(&b'@') {
        end = runs.end(text, end + 1, URL64 | BASE64 | DOT);
    }
    let end = without_full_stop(text, body, end);
    let path = &text[body..end];
    let fits = path.len() >= 30 && is_random(path) && !is_stand_in(path);
    fits.then_some(end)
}

/// `discord.com/api/v10/webhooks/…`
pub(super) fn versioned_webhook(
    text: &[u8],
    at: usize,
    body: usize,
    runs: &mut RunCache,
) -> Option<usize> {
    const PATH: &[u8] = b"/webhooks/";
    let version = run_end(&text[..text.len().min(body + 4)], body, DIGIT);
    let path = has_at(text, version, PATH).then_some(version + PATH.len())?;
    webhook(text, at, path, runs)
}

/// The token around the mark at `at`. A slash before it may belong to a path.
fn around(
    around: &InfixShape,
    text: &[u8],
    at: usize,
    body: usize,
    floor: usize,
) -> Option<Range<usize>> {
    let InfixShape { set, before, after } = *around;
    let start = at.checked_sub(before).filter(|start| *start >= floor)?;
    let end = body + after;
    let near = &text[..text.len().min(end + 1)];
    let fits = run_end(near, body, set) == end
        && run_start(text, at, set, before, floor) == start
        && starts_word(text, start);
    fits.then(|| start..run_end(text, end, EQUALS))
}

/// The body of an OpenSSH key without its markers.
pub(super) fn openssh_body(text: &[u8], at: usize, _: usize, runs: &mut RunCache) -> Option<usize> {
    key_body(text, at, runs)
}

/// The body of an RSA key without its markers. A version follows the length; certificates and public keys have
/// none.
pub(super) fn rsa_body(text: &[u8], at: usize, body: usize, runs: &mut RunCache) -> Option<usize> {
    const VERSIONS: &[&[u8]] = &[b"IBAAKC", b"IBADANBgkqhkiG9w0BAQEFAASC"];
    let is_private = VERSIONS
        .iter()
        .any(|version| has_at(text, body + 3, version));
    is_private.then(|| key_body(text, at, runs)).flatten()
}

/// End of the base64 lines that start at `at`.
fn key_body(text: &[u8], at: usize, runs: &mut RunCache) -> Option<usize> {
    let line = runs.end(text, at, BASE64);
    if line - at < 40 {
        return None;
    }
    // Lines are examined only at a line end: a long line may contain many candidates.
    match text.get(line) {
        Some(b'\n' | b'\r' | b'\\') => pem::open_end(text, at).or(Some(line)),
        _ => Some(line),
    }
}

/// The secret of an access key whose id ends at `at`; lists and tables print it next to the id.
pub(super) fn aws_secret_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    const MAX_DISTANCE: usize = 8;
    const LEN: usize = 40;
    let gap = text[at..text.len().min(at + MAX_DISTANCE)]
        .iter()
        .take_while(|b| b.is_ascii_whitespace() || b",;:|/\"'".contains(b))
        .count();
    let start = at + gap;
    let near = &text[..text.len().min(start + LEN + 1)];
    let end = run_end(near, start, BASE64);
    let fits = gap > 0 && end - start == LEN && is_random(&text[start..end]);
    fits.then_some(start..end)
}

/// The part of a potentially long run that is examined.
fn beginning(token: &[u8]) -> &[u8] {
    &token[..token.len().min(SAMPLE)]
}

/// A PEM file in base64, as in a kubeconfig. A certificate starts the same way but is public.
pub(super) fn encoded_pem(
    text: &[u8],
    at: usize,
    body: usize,
    runs: &mut RunCache,
) -> Option<usize> {
    let start = decode(&text[at..text.len().min(at + 88)]);
    let private = start.windows(11).any(|window| window == b"PRIVATE KEY");
    let end = runs.end(text, body, BASE64);
    (private && end - body >= 40).then_some(end)
}

/// Decodes as much of the start of `text` as is base64.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    out
}

/// Any shape at `at` that needs no adjacent name.
pub(super) fn specific(
    text: &[u8],
    at: usize,
    floor: usize,
    runs: &mut RunCache,
) -> Option<SecretMatch> {
    match text[at] {
        b'-' => pem::block(text, at),
        b'.' | b':' | b'~' => at_middle(text, at, floor),
        byte if is(byte, WORD) && may_start(text, at) => at_prefix(text, at, floor, runs),
        _ => None,
    }
}

/// The first such shape within `text[from..to]`; it may extend beyond `to`.
pub(super) fn first_within(
    text: &[u8],
    from: usize,
    to: usize,
    runs: &mut RunCache,
) -> Option<SecretMatch> {
    (from..to)
        .filter(|at| !is(text[*at], BLANK))
        .find_map(|at| specific(text, at, from, runs))
}
