//! Field splitting: takes pieces of a word and produces words.

use super::scope::ShellValue;
use crate::command::{Span, UNKNOWN, Word};

/// Maximum length of a word. The rest is unknown and raises a doubt.
pub(super) const MAX_WORD: usize = 1 << 18;

pub(super) struct FieldSplitter {
    done: Vec<Word>,
    text: String,
    /// Whether the field exists even if its text is empty.
    started: bool,
    glob: bool,
    from: Vec<usize>,
    span: Span,
    is_cut: bool,
}

impl FieldSplitter {
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

    /// Adds quoted text, which creates a field even when it is empty.
    pub(super) fn quoted(&mut self, text: &str) {
        self.started = true;
        self.push(text);
    }

    /// Adds unquoted text.
    pub(super) fn bare(&mut self, text: &str) {
        self.glob |= text.contains(['*', '?', '[']);
        self.quoted(text);
    }

    pub(super) fn value(&mut self, value: &ShellValue) {
        self.started = true;
        self.glob |= value.glob;
        self.came_from(&value.from);
        self.push(&value.text);
    }

    /// Adds the value of an unquoted expansion, split at the separators.
    pub(super) fn split(&mut self, value: &ShellValue, separators: &str) {
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

    /// Ends the current field, if there is one.
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

    /// Whether a field exceeded the maximum length.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn finish(mut self) -> Vec<Word> {
        self.next_field();
        self.done
    }

    /// Returns everything as one word, even if it is empty.
    pub(super) fn finish_one(mut self) -> Word {
        self.started = true;
        self.next_field();
        self.done.pop().unwrap_or_default()
    }
}
