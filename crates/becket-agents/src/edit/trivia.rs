//! What stands between two values: commas, comments and white space.

use std::ops::Range;

/// A piece of a gap that is not white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Comma,
    LineComment,
    BlockComment,
}

impl Token {
    pub(super) fn is_comment(&self) -> bool {
        self.kind != Kind::Comma
    }
}

/// The commas and comments of a gap, in order. `gap` must lie between two values of a parsed text.
pub(super) fn tokens(text: &str, gap: Range<usize>) -> Vec<Token> {
    let bytes = &text.as_bytes()[..gap.end];
    let mut found = Vec::new();
    let mut at = gap.start;
    while at < bytes.len() {
        let (kind, end) = match bytes[at] {
            b',' => (Kind::Comma, at + 1),
            b'/' if bytes[at..].starts_with(b"//") => (Kind::LineComment, line_end(bytes, at)),
            b'/' if bytes[at..].starts_with(b"/*") => (Kind::BlockComment, block_end(bytes, at)),
            _ => {
                at += 1;
                continue;
            }
        };
        found.push(Token {
            kind,
            range: at..end,
        });
        at = end;
    }
    found
}

/// A lone carriage return ends a line comment too, as it does for the parser.
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
