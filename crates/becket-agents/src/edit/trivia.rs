//! The text between two values: commas, comments and white space.

use std::ops::Range;

/// A comma or a comment in a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TriviaToken {
    pub(super) kind: TriviaKind,
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TriviaKind {
    Comma,
    LineComment,
    BlockComment,
}

impl TriviaToken {
    pub(super) fn is_comment(&self) -> bool {
        self.kind != TriviaKind::Comma
    }
}

/// The commas and comments of a gap, in order. `gap` must lie between two values of a parsed text.
pub(super) fn tokens(text: &str, gap: Range<usize>) -> Vec<TriviaToken> {
    let bytes = &text.as_bytes()[..gap.end];
    let mut found = Vec::new();
    let mut at = gap.start;
    while at < bytes.len() {
        let (kind, end) = match bytes[at] {
            b',' => (TriviaKind::Comma, at + 1),
            b'/' if bytes[at..].starts_with(b"//") => {
                (TriviaKind::LineComment, line_end(bytes, at))
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                (TriviaKind::BlockComment, block_end(bytes, at))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        found.push(TriviaToken {
            kind,
            range: at..end,
        });
        at = end;
    }
    found
}

/// A lone carriage return also ends a line comment, as it does for the parser.
pub(super) fn is_line_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    start
        + rest
            .iter()
            .position(|byte| is_line_break(*byte))
            .unwrap_or(rest.len())
}

fn block_end(bytes: &[u8], start: usize) -> usize {
    let body = start + 2;
    bytes
        .get(body..)
        .and_then(|rest| rest.windows(2).position(|pair| pair == b"*/"))
        .map_or(bytes.len(), |length| body + length + 2)
}
