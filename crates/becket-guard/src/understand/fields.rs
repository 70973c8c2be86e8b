//! A word on its way to becoming words: pieces come in, fields come out.

use super::scope::Value;
use crate::command::{Span, UNKNOWN, Word};

/// No word is longer than this; what is cut off is unknown, and a doubt.
pub(super) const MAX_WORD: usize = 1 << 18;

pub(super) struct Fields {
    done: Vec<Word>,
    text: String,
    /// Whether the field exists although its text may be empty.
    started: bool,
    glob: bool,
    from: Vec<usize>,
    span: Span,
    is_cut: bool,
}

impl Fields {
    pub(super) fn new(span: Span) -> Self {
        Self {
            done: Vec::new(),
            text: String::new(),
            started: false,
            glob: false,
            from: Vec::new(),
            span,
            is_cut: false,
        }
    }

    /// Quoted text: it is there even when it is empty.
    pub(super) fn quoted(&mut self, text: &str) {
        self.started = true;
        self.push(text);
    }

    /// Text written plainly.
    pub(super) fn bare(&mut self, text: &str) {
        self.glob |= text.contains(['*', '?', '[']);
        self.quoted(text);
    }

    pub(super) fn value(&mut self, value: &Value) {
        self.started = true;
        self.glob |= value.glob;
        self.came_from(&value.from);
        self.push(&value.text);
    }

    /// The value of an unquoted expansion: it falls apart at the separators.
    pub(super) fn split(&mut self, value: &Value, separators: &str) {
        self.came_from(&value.from);
        let mut pieces = value.text.split(|character| separators.contains(character));
        if let Some(first) = pieces.next() {
            self.plain_piece(first);
        }
        for piece in pieces {
            self.next_field();
            self.from.extend(&value.from);
            self.plain_piece(piece);
        }
    }

    fn plain_piece(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.bare(piece);
        }
    }

    /// Ends the field, if there is one.
    pub(super) fn next_field(&mut self) {
        if self.started {
            self.done.push(Word {
                text: std::mem::take(&mut self.text),
                glob: self.glob,
                span: self.span,
                from: std::mem::take(&mut self.from),
            });
        }
        self.from.clear();
        self.started = false;
        self.glob = false;
    }

    fn came_from(&mut self, from: &[usize]) {
        for index in from {
            if !self.from.contains(index) {
                self.from.push(*index);
            }
        }
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() > MAX_WORD {
            self.is_cut = true;
            if !self.text.ends_with(UNKNOWN) {
                self.text.push(UNKNOWN);
            }
            return;
        }
        self.text.push_str(text);
    }

    /// Whether a field was too long.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn finish(mut self) -> Vec<Word> {
        self.next_field();
        self.done
    }

    /// Everything as one word, whether or not there is anything.
    pub(super) fn finish_one(mut self) -> Word {
        self.started = true;
        self.next_field();
        self.done.pop().unwrap_or_default()
    }
}
