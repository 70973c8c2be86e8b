//! Reads a name backwards from a separator, and a value forwards from it.
//!
//! Agents handle source code, JSON within JSON, shell, YAML and prose, often mixed. Nothing is parsed; quotes are
//! matched at the escaping level at which they were opened.

use std::ops::Range;

use super::bytes::{ALNUM, ALPHA, BARE, BLANK, RunCache, has_at, is, is_at, run_end, run_start};
use super::scan::Scanner;

/// Longer runs of blanks before a separator are not alignment.
const MAX_BLANKS: usize = 24;
const MAX_ESCAPE_DEPTH: usize = 7;

/// A name before a separator.
pub(super) struct AssignedName {
    pub(super) range: Range<usize>,
    /// Whether the name directly precedes the separator.
    pub(super) adjoins: bool,
}

/// A value as written.
pub(super) struct ValueLiteral {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

/// The name before the `=` or `:` at `at`.
pub(super) fn name_before(scan: &Scanner<'_>, at: usize) -> Option<AssignedName> {
    let text = scan.text;
    let operator = operator_start(text, at, scan.floor)?;
    let blanks = run_start(text, operator, BLANK, MAX_BLANKS, scan.floor);
    let end = before_closers(text, blanks, scan.floor);
    let range = scan.name_before(end);
    let range = if text[at] == b'=' {
        past_type(scan, &range).unwrap_or(range)
    } else {
        range
    };
    let adjoins = range.end == at;
    (!range.is_empty()).then_some(AssignedName { range, adjoins })
}

/// Start of `:=`, `?=`, `==` or similar; `None` if `=` or `:` is not a separator.
fn operator_start(text: &[u8], at: usize, floor: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|i| text[i])?;
    if text[at] == b':' {
        let path = before == b':' || text.get(at + 1) == Some(&b':') || has_at(text, at, b"://");
        return (!path).then_some(at);
    }
    if matches!(before, b'<' | b'>') || text.get(at + 1) == Some(&b'~') {
        return None;
    }
    let mut start = at;
    while start > floor && at - start < 3 && b":?.+|=!".contains(&text[start - 1]) {
        start -= 1;
    }
    Some(start)
}

/// Steps back over characters that close a name: quotes, `']`, `**`, `[]`.
fn before_closers(text: &[u8], mut end: usize, floor: usize) -> usize {
    for _ in 0..MAX_ESCAPE_DEPTH {
        let Some(last) = end.checked_sub(1).filter(|last| *last >= floor) else {
            break;
        };
        let before = last.checked_sub(1).map(|i| text[i]);
        let closes = match text[last] {
            b'"' | b'\'' | b'`' | b'\\' | b'*' | b'[' => true,
            b']' => matches!(before, Some(b'"' | b'\'' | b'\\' | b'[')),
            _ => false,
        };
        if let Some(prompted) = before_default(text, end, floor) {
            return prompted;
        }
        if !closes {
            break;
        }
        end = last;
    }
    end
}

/// Skips the default value in a prompt: `Secret Access Key [None]`.
fn before_default(text: &[u8], end: usize, floor: usize) -> Option<usize> {
    const MAX_DEFAULT: usize = 32;
    let inside = text[floor..end].strip_suffix(b"]")?;
    let near = &inside[inside.len().saturating_sub(MAX_DEFAULT)..];
    let open = end - 1 - near.len() + near.iter().rposition(|b| *b == b'[')?;
    let gap = open.checked_sub(1).filter(|gap| *gap > floor)?;
    (text[gap] == b' ').then_some(gap)
}

/// In `token: &'static str = …` and `var token string = …`, the name is before the type.
fn past_type(scan: &Scanner<'_>, range: &Range<usize>) -> Option<Range<usize>> {
    const TYPES: &[&[u8]] = &[
        b"string",
        b"String",
        b"str",
        b"text",
        b"SecretStr",
        b"SecretString",
    ];
    const MODIFIERS: &[&[u8]] = &[b"static", b"const", b"mut"];
    let text = scan.text;
    if !TYPES.contains(&&text[range.clone()]) {
        return None;
    }
    let mut end = range.start;
    for _ in 0..16 {
        if end <= scan.floor {
            return None;
        }
        let head = &text[scan.floor..end];
        match MODIFIERS.iter().find(|word| head.ends_with(word)) {
            Some(word) => end -= word.len(),
            None if matches!(text[end - 1], b' ' | b'\t' | b'&' | b'*' | b'\'' | b':') => end -= 1,
            None => break,
        }
    }
    let name = scan.name_before(end);
    (end < range.start && !name.is_empty()).then_some(name)
}

/// Start of the value after the separator at `at`.
pub(super) fn value_start(text: &[u8], at: usize) -> usize {
    let mut start = at + 1;
    while start - at < 4 && text[at] == b'=' && matches!(text.get(start), Some(b'=' | b'>')) {
        start += 1;
    }
    start = run_end(text, start, BLANK);
    if has_at(text, start, b"**") {
        start = run_end(text, start + 2, BLANK);
    }
    block_scalar(text, start)
        .or_else(|| continued(text, start))
        .or_else(|| string_prefix(text, start))
        .unwrap_or(start)
}

/// A shell line continuation.
fn continued(text: &[u8], at: usize) -> Option<usize> {
    has_at(text, at, b"\\\n").then(|| run_end(text, at + 2, BLANK))
}

/// YAML's `|` and `>` put the value on the next line.
fn block_scalar(text: &[u8], at: usize) -> Option<usize> {
    if !matches!(text.get(at)?, b'|' | b'>') {
        return None;
    }
    let end = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
    if has_at(text, end, b"\\n") {
        return Some(run_end(text, end + 2, BLANK));
    }
    (text.get(end) == Some(&b'\n')).then(|| run_end(text, end + 1, BLANK))
}

/// `f"…"`, `b'…'`, `rb"…"`
fn string_prefix(text: &[u8], at: usize) -> Option<usize> {
    let end = run_end(&text[..text.len().min(at + 3)], at, ALPHA);
    let prefix = text.get(at..end)?;
    let known = (1..=2).contains(&prefix.len()) && prefix.iter().all(|b| b"fbruFBRUL".contains(b));
    (known && text.get(end).copied().is_some_and(is_quote)).then_some(end)
}

/// The value at `at`.
pub(super) fn literal(text: &[u8], at: usize, runs: &mut RunCache) -> Option<ValueLiteral> {
    let rest = text.get(at..)?;
    let slashes = rest
        .iter()
        .take(MAX_ESCAPE_DEPTH + 1)
        .take_while(|b| **b == b'\\')
        .count();
    let first = *rest.get(slashes)?;
    if is_quote(first) {
        let start = at + slashes + 1;
        let range = start..closing_quote(text, start, first, slashes);
        return Some(ValueLiteral {
            range,
            quoted: true,
        });
    }
    let end = runs.end(text, at, BARE);
    (slashes == 0 && end > at).then_some(ValueLiteral {
        range: at..end,
        quoted: false,
    })
}

/// The literal in `from("…")`, if the wrapper at `wrapper` is known to keep the value.
pub(super) fn wrapped(
    text: &[u8],
    wrapper: Range<usize>,
    runs: &mut RunCache,
) -> Option<ValueLiteral> {
    const WRAPPERS: &[&[u8]] = &[
        b"Some",
        b"from",
        b"new",
        b"String",
        b"Secret",
        b"SecretStr",
        b"SecretString",
        b"SecureString",
    ];
    let last = run_start(text, wrapper.end, ALNUM, 24, wrapper.start);
    if !WRAPPERS.contains(&&text[last..wrapper.end]) || !is_at(text, wrapper.start, ALPHA) {
        return None;
    }
    literal(text, wrapper.end + 1, runs).filter(|inner| inner.quoted)
}

/// The end of a string opened by `quote` behind `slashes` backslashes. A newline also ends it, because output is
/// often truncated.
fn closing_quote(text: &[u8], start: usize, quote: u8, slashes: usize) -> usize {
    let mut at = start;
    while at < text.len() && text[at] != b'\n' {
        if text[at] == quote {
            let escapes = text[start..at]
                .iter()
                .rev()
                .take_while(|b| **b == b'\\')
                .count();
            if slashes == 0 && escapes % 2 == 0 {
                return at;
            }
            if slashes > 0 && escapes <= slashes {
                return at - escapes;
            }
        }
        at += 1;
    }
    at
}

/// Whether this byte opens and closes strings.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Whether `range` contains letters and no lower-case ones, like an environment variable.
pub(super) fn is_capital(text: &[u8], range: &Range<usize>) -> bool {
    let name = &text[range.clone()];
    name.iter().any(|b| is(*b, super::bytes::UPPER))
        && name.iter().all(|b| !is(*b, super::bytes::LOWER))
}
