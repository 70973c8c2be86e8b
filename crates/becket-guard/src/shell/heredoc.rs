//! Parses heredoc bodies.

use super::ast::{HeredocBody, WordPart};
use super::parser::{Parser, PendingHeredoc};

impl Parser<'_> {
    /// Reads the body of every pending heredoc, in order.
    pub(super) fn read_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.heredoc(&pending);
        }
    }

    fn heredoc(&mut self, pending: &PendingHeredoc) {
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
            vec![WordPart::Quoted(raw)]
        } else {
            self.heredoc_parts(&raw, span)
        };
        // Each cell belongs to one heredoc, which is read only once.
        let _ = pending.body.set(HeredocBody { parts, span });
    }

    /// The expansions in an unquoted heredoc, with the span of the whole body.
    fn heredoc_parts(&mut self, raw: &str, span: crate::command::Span) -> Vec<WordPart> {
        if !raw.contains(['$', '`', '\\']) {
            return vec![WordPart::Quoted(raw.to_owned())];
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
        self.errors.append(&mut inner.errors);
        parts
    }
}
