//! Private key blocks: from `-----BEGIN … PRIVATE KEY-----` to the end marker, or as far as the key goes.
//!
//! Tool output numbers lines, diffs prefix them, and JSON and source code write newlines as `\n`. With an end
//! marker all of that is inside the block. Without one, the block consists of lines that look like base64, up to
//! the first shorter line, as encoders produce it.

use super::bytes::{ALNUM, ALPHA, BASE64, is, run_end};
use super::{RedactionKind, SecretMatch};

const DASHES: &[u8] = b"-----";
/// Maximum length of a label, so that a stray `-----BEGIN` does not cause a long scan.
const MAX_LABEL: usize = 64;
/// Minimum number of base64 characters in a key.
const MIN_KEY: usize = 16;

/// The block that starts at `at`.
pub(super) fn block(text: &[u8], at: usize) -> Option<SecretMatch> {
    let body = header_end(text, at)?;
    // Scanning no further than the next marker keeps text with many markers cheap.
    let marker = find(&text[body..], DASHES).map_or(text.len(), |len| body + len);
    let end = closed_end(text, body, marker).or_else(|| open_end(&text[..marker], body))?;
    Some(SecretMatch {
        range: at..end,
        kind: RedactionKind::PrivateKey,
    })
}

/// The rest of a key whose start was cut off, with its end marker at `at`: the lines of base64 before it.
pub(super) fn rest(text: &[u8], at: usize, floor: usize) -> Option<SecretMatch> {
    let label = text.get(at..)?.strip_prefix(b"-----END ")?;
    let label = &label[..label.len().min(MAX_LABEL)];
    let len = find(label, DASHES)?;
    find(&label[..len], b"PRIVATE KEY")?;
    let mut start = at;
    while let Some(line) = line_before(text, start, floor) {
        // The last line may have any length.
        let is_last = start == at && is_all_base64(&text[line..start]);
        if !is_last && !is_mostly_base64(&text[line..start]) {
            break;
        }
        start = line;
    }
    let start = start + first_key(&text[start..at])?;
    Some(SecretMatch {
        range: start..at + b"-----END ".len() + len + DASHES.len(),
        kind: RedactionKind::PrivateKey,
    })
}

fn is_all_base64(line: &[u8]) -> bool {
    line.trim_ascii()
        .iter()
        .all(|b| is(*b, BASE64) || *b == b'\\')
}

/// Start of the first base64 run that is long enough for a key.
fn first_key(body: &[u8]) -> Option<usize> {
    let is_key = |window: &[u8]| window.iter().all(|b| is(*b, BASE64));
    body.windows(MIN_KEY).position(is_key)
}

/// Start of the line that ends before `end`; its newline may be real or escaped.
fn line_before(text: &[u8], end: usize, floor: usize) -> Option<usize> {
    const MAX_LINE: usize = 256;
    let from = floor.max(end.saturating_sub(MAX_LINE));
    let line = &text[from..end];
    let content = line
        .iter()
        .rposition(|b| is(*b, ALNUM) || *b == b'=')
        .map(|last| last + 1 - escape_len(&line[..=last]))?;
    let newline = line[..content]
        .iter()
        .rposition(|b| matches!(b, b'\n' | b'\r' | b'\\'));
    let start = match newline {
        Some(at) if line[at] == b'\\' => at + 1 + usize::from(is_escape(line.get(at + 1))),
        Some(at) => at + 1,
        None if from == floor => 0,
        None => return None,
    };
    Some(from + start)
}

/// Length of the escaped newline that ends a line.
fn escape_len(line: &[u8]) -> usize {
    match line {
        [.., b'\\', last] if is_escape(Some(last)) => 2,
        _ => 0,
    }
}

fn is_escape(letter: Option<&u8>) -> bool {
    matches!(letter, Some(b'n' | b'r'))
}

/// The end of `-----BEGIN … PRIVATE KEY…-----`.
fn header_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(b"-----BEGIN ")?;
    let label = &rest[..rest.len().min(MAX_LABEL)];
    let len = find(label, DASHES)?;
    let private = find(&label[..len], b"PRIVATE KEY").is_some();
    private.then_some(at + b"-----BEGIN ".len() + len + DASHES.len())
}

/// End of the block if the next marker is an end marker and a key precedes it.
fn closed_end(text: &[u8], body: usize, marker: usize) -> Option<usize> {
    let rest = text[marker..].strip_prefix(b"-----END")?;
    if !is_mostly_base64(&text[body..marker]) {
        return None;
    }
    let label = &rest[..rest.len().min(MAX_LABEL)];
    // A truncated marker ends where its words end.
    let len = find(label, DASHES).map_or_else(
        || {
            label
                .iter()
                .position(|b| !is(*b, ALPHA) && *b != b' ')
                .unwrap_or(label.len())
        },
        |len| len + DASHES.len(),
    );
    Some(marker + b"-----END".len() + len)
}

/// Whether the body is base64; code and prose that mention the markers have words between them.
fn is_mostly_base64(body: &[u8]) -> bool {
    let (mut key, mut longest) = (0, 0);
    for run in body.split(|b| !is(*b, BASE64)) {
        longest = longest.max(run.len());
        key += if run.len() >= MIN_KEY { run.len() } else { 0 };
    }
    longest >= MIN_KEY && key * 2 >= body.len()
}

/// End of a block without an end marker.
pub(super) fn open_end(text: &[u8], body: usize) -> Option<usize> {
    let (mut end, mut at) = (body, body);
    let (mut width, mut key) = (0, 0);
    while let Some(line) = next_line(text, at) {
        if line.run.is_empty() {
            let header = key == 0 && is_header(&text[line.start..line.end]);
            if line.start < line.end && !header {
                break;
            }
        } else {
            key += line.run.len();
            end = line.run.end;
            if line.run.len() < width || line.run.end < line.end {
                break;
            }
            width = line.run.len();
        }
        at = line.next;
    }
    let starts_like_a_key = text[body..end].windows(3).any(|window| window == b"MII");
    (key >= MIN_KEY || (key > 3 && starts_like_a_key)).then_some(end)
}

struct KeyLine {
    /// Start of the line without blanks, quotes and other decoration.
    start: usize,
    end: usize,
    /// The base64 run that fills the line, except for a leading line number or a trailing string end.
    run: std::ops::Range<usize>,
    next: usize,
}

/// The line at `at`; its newline may be real or escaped, possibly several times.
fn next_line(text: &[u8], at: usize) -> Option<KeyLine> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let len = rest
        .iter()
        .position(|b| matches!(b, b'\n' | b'\r' | b'\\'))
        .unwrap_or(rest.len());
    let (line, after) = rest.split_at(len);
    let start = line.iter().position(|b| !is_decoration(*b)).unwrap_or(len);
    let end = line
        .iter()
        .rposition(|b| !is_decoration(*b))
        .map_or(start, |last| last + 1);
    let run = end
        - line[start..end]
            .iter()
            .rev()
            .take_while(|b| is(**b, BASE64))
            .count();
    let numbered = run - start <= 8 && line[start..run].iter().all(|b| !is(*b, ALPHA));
    // A word of a sentence is also base64, but shorter.
    let run = if run == start || (numbered && end - run >= MIN_KEY) {
        run..end
    } else {
        let cut = run_end(&line[..end], start, BASE64);
        start..if cut - start >= MIN_KEY { cut } else { start }
    };
    let next = at + len + newline_len(after);
    Some(KeyLine {
        start: at + start,
        end: at + end,
        run: at + run.start..at + run.end,
        next,
    })
}

fn newline_len(after: &[u8]) -> usize {
    let slashes = after.iter().take_while(|b| **b == b'\\').count();
    let letter = slashes > 0 && matches!(after.get(slashes), Some(b'n' | b'r'));
    if slashes == 0 {
        after.len().min(1)
    } else {
        slashes + usize::from(letter)
    }
}

fn is_decoration(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'|' | b'>' | b'#' | b'*' | b';'
    )
}

/// `Proc-Type: 4,ENCRYPTED`
fn is_header(line: &[u8]) -> bool {
    let name = run_end(line, 0, ALNUM | super::bytes::DASH);
    name > 0 && line.get(name) == Some(&b':')
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
