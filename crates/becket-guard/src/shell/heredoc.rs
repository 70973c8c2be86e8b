//! The texts of heredocs.

use super::ast::{Body, Part};
use super::parser::{Parser, Pending};

impl Parser<'_> {
    /// Reads the text of every heredoc that was announced, in order.
    pub(super) fn read_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.heredoc(&pending);
        }
    }

    fn heredoc(&mut self, pending: &Pending) {
        let start = self.at;
        let mut raw = String::new();
        while self.at < self.bytes.len() {
            let rest = &self.text[self.at..];
            let (line, len) = match rest.find('\n') {
                Some(end) => (&rest[..end], end + 1),
                None => (rest, rest.len()),
            };
            self.at += len;
            let line = if pending.strip_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line.trim_end_matches('\r') == pending.delimiter.trim_end_matches('\r') {
                break;
            }
            raw.push_str(line);
            raw.push('\n');
        }
        let span = self.span(start);
        let parts = if pending.quoted {
            vec![Part::Quoted(raw)]
        } else {
            self.heredoc_parts(&raw, span)
        };
        // Each cell belongs to one heredoc, which is read once.
        let _ = pending.body.set(Body { parts, span });
    }

    /// The expansions in an unquoted heredoc. Their places are the whole text's.
    fn heredoc_parts(&mut self, raw: &str, span: crate::command::Span) -> Vec<Part> {
        if !raw.contains(['$', '`', '\\']) {
            return vec![Part::Quoted(raw.to_owned())];
        }
        let mut inner = Parser::new(raw, Some(span), self.depth);
        let parts = inner.nested(|parser| {
            let mut parts = Vec::new();
            while parser.peek().is_some() {
                parser.text_part(&mut parts, false);
            }
            parts
        });
        inner.read_pending();
        self.problems.append(&mut inner.problems);
        parts
    }
}
