//! Parses words into parts.

use super::ast::{WordNode, WordPart};
use super::parser::{Parser, ends_word};

impl Parser<'_> {
    /// Whether `<(` or `>(` follows.
    pub(super) fn process_substitution_here(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(')
    }

    /// Parses a word, up to a blank or an operator.
    pub(super) fn word(&mut self) -> WordNode {
        self.word_after(self.at, Vec::new())
    }

    /// Parses the rest of a word whose first parts are given.
    pub(super) fn word_after(&mut self, start: usize, mut parts: Vec<WordPart>) -> WordNode {
        while let Some(byte) = self.peek() {
            if self.process_substitution_here() {
                parts.push(self.process_substitution());
            } else if byte == b'(' && self.extended_pattern(&mut parts) {
                // The group is part of the word.
            } else if ends_word(byte) || self.line_end_in_two() {
                break;
            } else {
                self.part(&mut parts, false);
            }
        }
        WordNode {
            parts,
            span: self.span(start),
        }
    }

    fn line_end_in_two(&self) -> bool {
        self.peek() == Some(b'\r') && matches!(self.peek_at(1), Some(b'\n') | None)
    }

    /// Parses one step of a word: a quote, an expansion or a character.
    pub(super) fn part(&mut self, parts: &mut Vec<WordPart>, in_double: bool) {
        match self.peek() {
            Some(b'\\') => self.escape(parts, in_double),
            Some(b'\'') if !in_double => {
                let text = self.single_quoted();
                parts.push(WordPart::Quoted(text));
            }
            Some(b'"') => {
                let inner = self.double_quoted();
                parts.push(WordPart::Double(inner));
            }
            Some(b'$') => self.dollar(parts, in_double),
            Some(b'`') => {
                let list = self.backticks(in_double);
                parts.push(WordPart::Command(list));
            }
            _ => {
                if let Some(character) = self.character() {
                    push_bare(parts, character);
                }
            }
        }
    }

    /// Parses parts up to a byte accepted by `stop`; quotes and expansions are parsed completely.
    pub(super) fn parts_until(
        &mut self,
        stop: impl Fn(u8) -> bool,
        in_double: bool,
    ) -> Vec<WordPart> {
        self.nested(|parser| {
            let mut parts = Vec::new();
            while let Some(byte) = parser.peek() {
                if stop(byte) {
                    break;
                }
                if !in_double && parser.process_substitution_here() {
                    parts.push(parser.process_substitution());
                    continue;
                }
                parser.part(&mut parts, in_double);
            }
            parts
        })
    }

    fn escape(&mut self, parts: &mut Vec<WordPart>, in_double: bool) {
        self.at += 1;
        if self.eat("\n") || self.eat("\r\n") {
            return;
        }
        let kept = in_double && !matches!(self.peek(), Some(b'$' | b'`' | b'"' | b'\\' | b'}'));
        if kept {
            push_quoted(parts, '\\');
        }
        match self.character() {
            Some(character) => push_quoted(parts, character),
            None if !kept => push_quoted(parts, '\\'),
            None => {}
        }
    }

    /// Parses extended globs such as `@(a|b)`, if a glob operator precedes the parenthesis.
    fn extended_pattern(&mut self, parts: &mut Vec<WordPart>) -> bool {
        let Some(WordPart::Bare(text)) = parts.last() else {
            return false;
        };
        if !text.ends_with(['@', '!', '?', '*', '+']) {
            return false;
        }
        let start = self.at;
        self.at += 1;
        let mut group = vec![WordPart::Bare("(".to_owned())];
        group.append(&mut self.parts_until(|byte| matches!(byte, b')' | b'\n'), false));
        parts.append(&mut group);
        if self.eat(")") {
            push_bare(parts, ')');
        } else {
            self.error("a pattern's `(` is not closed", start);
        }
        true
    }

    fn process_substitution(&mut self) -> WordPart {
        let start = self.at;
        let input = self.peek() == Some(b'<');
        self.at += 2;
        let list = self.nested(Self::list);
        if !self.eat(")") {
            self.error("a process substitution is not closed", start);
        }
        WordPart::Process { list, input }
    }
}

pub(super) fn push_bare(parts: &mut Vec<WordPart>, character: char) {
    match parts.last_mut() {
        Some(WordPart::Bare(text)) => text.push(character),
        _ => parts.push(WordPart::Bare(character.to_string())),
    }
}

pub(super) fn push_quoted(parts: &mut Vec<WordPart>, character: char) {
    match parts.last_mut() {
        Some(WordPart::Quoted(text)) => text.push(character),
        _ => parts.push(WordPart::Quoted(character.to_string())),
    }
}
