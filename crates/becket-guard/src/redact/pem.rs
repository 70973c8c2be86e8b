//! Private key blocks: `-----BEGIN … PRIVATE KEY-----` to its end, or as far as it goes.
//!
//! Tool output numbers lines, diffs prefix them, JSON and source code write newlines as `\n`. With
//! an end marker all of that is inside the block. Without one, lines are taken while they look like
//! base64, and the block ends with the first shorter line, as encoders make it.

use super::bytes::{ALNUM, ALPHA, BASE64, is, run_end};
use super::{Finding, Kind};

const DASHES: &[u8] = b"-----";
/// No label is longer; it keeps a stray `-----BEGIN` from looking far.
const LONGEST_LABEL: usize = 64;
/// Fewer characters of base64 are no key.
const LEAST_KEY: usize = 16;

/// The block that starts at `at`.
pub(super) fn block(text: &[u8], at: usize) -> Option<Finding> {
    let body = header_end(text, at)?;
    // Looking no further than the next marker keeps a text full of markers cheap.
    let marker = find(&text[body..], DASHES).map_or(text.len(), |len| body + len);
    let end = closed_end(text, body, marker).or_else(|| open_end(&text[..marker], body))?;
    Some(Finding {
        range: at..end,
        kind: Kind::PrivateKey,
    })
}

/// The end of a key whose beginning was cut off, with its end marker at `at`: the lines of base64 before it.
pub(super) fn rest(text: &[u8], at: usize, floor: usize) -> Option<Finding> {
    let label = text.get(at..)?.strip_prefix(b"-----END ")?;
    let label = &label[..label.len().min(LONGEST_LABEL)];
    let len = find(label, DASHES)?;
    find(&label[..len], b"PRIVATE KEY")?;
    let mut start = at;
    while let Some(line) = line_before(text, start, floor) {
        // The last line is as short as it comes out.
        let is_last = start == at && is_all_base64(&text[line..start]);
        if !is_last && !is_mostly_base64(&text[line..start]) {
            break;
        }
        start = line;
    }
    let start = start + first_key(&text[start..at])?;
    Some(Finding {
        range: start..at + b"-----END ".len() + len + DASHES.len(),
        kind: Kind::PrivateKey,
    })
}

fn is_all_base64(line: &[u8]) -> bool {
    line.trim_ascii()
        .iter()
        .all(|b| is(*b, BASE64) || *b == b'\\')
}

/// Where base64 begins that is long enough for a key.
fn first_key(body: &[u8]) -> Option<usize> {
    let is_key = |window: &[u8]| window.iter().all(|b| is(*b, BASE64));
    body.windows(LEAST_KEY).position(is_key)
}

/// Where the line starts that ends before `end`; its newline may be real or escaped.
fn line_before(text: &[u8], end: usize, floor: usize) -> Option<usize> {
    const LONGEST_LINE: usize = 256;
    let from = floor.max(end.saturating_sub(LONGEST_LINE));
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

/// How long the escaped newline is that ends a line.
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
    let label = &rest[..rest.len().min(LONGEST_LABEL)];
    let len = find(label, DASHES)?;
    let private = find(&label[..len], b"PRIVATE KEY").is_some();
    private.then_some(at + b"-----BEGIN ".len() + len + DASHES.len())
}

/// Where the block ends if the next marker is an end marker and there is a key before it.
fn closed_end(text: &[u8], body: usize, marker: usize) -> Option<usize> {
    let rest = text[marker..].strip_prefix(b"-----END")?;
    if !is_mostly_base64(&text[body..marker]) {
        return None;
    }
    let label = &rest[..rest.len().min(LONGEST_LABEL)];
    // A marker that is cut off ends where its words end.
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

/// Code and prose that only mention the markers have words between them, not base64.
fn is_mostly_base64(body: &[u8]) -> bool {
    let (mut key, mut longest) = (0, 0);
    for run in body.split(|b| !is(*b, BASE64)) {
        longest = longest.max(run.len());
        key += if run.len() >= LEAST_KEY { run.len() } else { 0 };
    }
    longest >= LEAST_KEY && key * 2 >= body.len()
}

/// Where a block without an end marker stops.
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
    (key >= LEAST_KEY || (key > 3 && starts_like_a_key)).then_some(end)
}

struct Line {
    /// The line without blanks, quotes and other decoration around it.
    start: usize,
    end: usize,
    /// The base64 that is all of it, but for a line number before it or the end of a string after it.
    run: std::ops::Range<usize>,
    next: usize,
}

/// The line at `at`; its newline may be real or escaped, any number of times.
fn next_line(text: &[u8], at: usize) -> Option<Line> {
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
    // A word of a sentence is base64 too, but not as long.
    let run = if run == start || (numbered && end - run >= LEAST_KEY) {
        run..end
    } else {
        let cut = run_end(&line[..end], start, BASE64);
        start..if cut - start >= LEAST_KEY { cut } else { start }
    };
    let next = at + len + newline_len(after);
    Some(Line {
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
