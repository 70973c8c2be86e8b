//! Byte sets as bit masks, and runs of bytes.

/// A set of bytes: a combination of the bits below.
pub(super) type ByteSet = u16;

pub(super) const LOWER: ByteSet = 1;
pub(super) const UPPER: ByteSet = 1 << 1;
pub(super) const DIGIT: ByteSet = 1 << 2;
pub(super) const HEX: ByteSet = 1 << 3;
pub(super) const UNDER: ByteSet = 1 << 4;
pub(super) const DASH: ByteSet = 1 << 5;
pub(super) const DOT: ByteSet = 1 << 6;
/// `+` and `/`.
pub(super) const PLUS_SLASH: ByteSet = 1 << 7;
pub(super) const EQUALS: ByteSet = 1 << 8;
/// Characters of an unquoted value in a shell, an environment file or a header.
pub(super) const BARE: ByteSet = 1 << 9;
/// Characters of a name.
pub(super) const NAME: ByteSet = 1 << 10;
/// Whitespace within a line.
pub(super) const BLANK: ByteSet = 1 << 11;
/// Characters of a header's value: no newline, real or escaped, and no quote.
pub(super) const HEADER: ByteSet = 1 << 12;

pub(super) const ALPHA: ByteSet = LOWER | UPPER;
pub(super) const ALNUM: ByteSet = ALPHA | DIGIT;
pub(super) const WORD: ByteSet = ALNUM | UNDER;
pub(super) const URL64: ByteSet = WORD | DASH;
pub(super) const BASE64: ByteSet = ALNUM | PLUS_SLASH | EQUALS;

static CLASS: [ByteSet; 256] = classes();

const fn classes() -> [ByteSet; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
        let byte = i as u8;
        table[i] = class_of(byte);
        i += 1;
    }
    table
}

const fn class_of(byte: u8) -> ByteSet {
    let header = match byte {
        b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' | b'<' => 0,
        _ => HEADER,
    };
    header | narrow_class_of(byte)
}

const fn narrow_class_of(byte: u8) -> ByteSet {
    let hex = if byte.is_ascii_hexdigit() { HEX } else { 0 };
    match byte {
        b'a'..=b'z' => LOWER | hex | BARE | NAME,
        b'A'..=b'Z' => UPPER | hex | BARE | NAME,
        b'0'..=b'9' => DIGIT | hex | BARE | NAME,
        b'_' => UNDER | BARE | NAME,
        b'-' => DASH | BARE | NAME,
        b'.' => DOT | BARE | NAME,
        b'+' | b'/' => PLUS_SLASH | BARE,
        b'=' => EQUALS | BARE,
        b'!' | b'#' | b'$' | b'%' | b'*' | b':' | b'?' | b'@' | b'^' | b'~' | 0x80.. => BARE,
        b' ' | b'\t' => BLANK,
        _ => 0,
    }
}

/// Whether `byte` belongs to `set`.
pub(super) fn is(byte: u8, set: ByteSet) -> bool {
    CLASS[usize::from(byte)] & set != 0
}

/// Whether the byte at `at` exists and belongs to `set`.
pub(super) fn is_at(text: &[u8], at: usize, set: ByteSet) -> bool {
    text.get(at).is_some_and(|byte| is(*byte, set))
}

/// End of the run of `set` that starts at `from`.
pub(super) fn run_end(text: &[u8], from: usize, set: ByteSet) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|b| !is(*b, set)).unwrap_or(rest.len())
}

/// Start of the run of `set` that ends before `to`, looking at no more than `most` bytes and nothing before
/// `floor`.
pub(super) fn run_start(text: &[u8], to: usize, set: ByteSet, most: usize, floor: usize) -> usize {
    let first = to.saturating_sub(most).max(floor).min(to);
    let part = &text[first..to];
    to - part
        .iter()
        .rev()
        .position(|b| !is(*b, set))
        .unwrap_or(part.len())
}

/// Like [`run_start`], but the letter of an escape such as `\n` is not part of the run.
pub(super) fn word_start(text: &[u8], to: usize, set: ByteSet, most: usize, floor: usize) -> usize {
    let start = run_start(text, to, set, most, floor);
    let escaped = start < to && start > floor && text[start - 1] == b'\\';
    start + usize::from(escaped && matches!(text[start], b'n' | b'r' | b't'))
}

/// Whether `text` continues with `word` at `at`.
pub(super) fn has_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(word))
}

/// Whether `text` continues with `word` at `at`, ignoring case.
pub(super) fn has_word_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at.saturating_add(word.len()))
        .is_some_and(|part| part.eq_ignore_ascii_case(word))
}

/// Whether a token may start at `at`: the preceding byte is not part of a word.
///
/// The letter of an escape (`\n`, `\t`) is not part of a word; text that contains JSON or source code is full of
/// them.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return true;
    };
    if !is(text[before], ALNUM) {
        return true;
    }
    let escaped = matches!(text[before], b'n' | b'r' | b't');
    escaped && before > 0 && text[before - 1] == b'\\'
}

/// Caches the ends of long runs, so that many candidates within one run cost a single scan.
#[derive(Default)]
pub(super) struct RunCache {
    kept: [(ByteSet, usize, usize); 4],
    next: usize,
}

/// Shorter runs are cheaper to scan again than to cache.
const MIN_CACHED_RUN: usize = 64;

impl RunCache {
    /// Like [`run_end`], amortized.
    pub(super) fn end(&mut self, text: &[u8], from: usize, set: ByteSet) -> usize {
        for (kept_set, start, end) in self.kept {
            if kept_set == set && start <= from && from < end {
                return end;
            }
        }
        let end = run_end(text, from, set);
        if end - from > MIN_CACHED_RUN {
            self.kept[self.next] = (set, from, end);
            self.next = (self.next + 1) % self.kept.len();
        }
        end
    }
}
