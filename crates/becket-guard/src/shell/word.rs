//! Words, in their parts.

use super::ast::{Part, Word};
use super::parser::{Parser, ends_word};

impl Parser<'_> {
    /// Whether `<(` or `>(` stands here.
    pub(super) fn process_substitution_here(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(')
    }

    /// A word, up to a blank or an operator.
    pub(super) fn word(&mut self) -> Word {
        self.word_after(self.at, Vec::new())
    }

    /// The rest of a word whose first parts are known.
    pub(super) fn word_after(&mut self, start: usize, mut parts: Vec<Part>) -> Word {
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
        Word {
            parts,
            span: self.span(start),
        }
    }

    fn line_end_in_two(&self) -> bool {
        self.peek() == Some(b'\r') && matches!(self.peek_at(1), Some(b'\n') | None)
    }

    /// One step of a word: a quote, an expansion, or a character.
    pub(super) fn part(&mut self, parts: &mut Vec<Part>, in_double: bool) {
        match self.peek() {
            Some(b'\\') => self.escape(parts, in_double),
            Some(b'\'') if !in_double => {
                let text = self.single_quoted();
                parts.push(Part::Quoted(text));
            }
            Some(b'"') => {
                let inner = self.double_quoted();
                parts.push(Part::Double(inner));
            }
            Some(b'$') => self.dollar(parts, in_double),
            Some(b'`') => {
                let list = self.backticks(in_double);
                parts.push(Part::Command(list));
            }
            _ => {
                if let Some(character) = self.character() {
                    push_bare(parts, character);
                }
            }
        }
    }

    /// Parts up to a byte that `stop` knows; quotes and expansions are read whole.
    pub(super) fn parts_until(&mut self, stop: impl Fn(u8) -> bool, in_double: bool) -> Vec<Part> {
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

    fn escape(&mut self, parts: &mut Vec<Part>, in_double: bool) {
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

    /// `@(a|b)` and its kin, where a pattern character stands in front.
    fn extended_pattern(&mut self, parts: &mut Vec<Part>) -> bool {
        let Some(Part::Bare(text)) = parts.last() else {
            return false;
        };
        if !text.ends_with(['@', '!', '?', '*', '+']) {
            return false;
        }
        let start = self.at;
        self.at += 1;
        let mut group = vec![Part::Bare("(".to_owned())];
        group.append(&mut self.parts_until(|byte| matches!(byte, b')' | b'\n'), false));
        parts.append(&mut group);
        if self.eat(")") {
            push_bare(parts, ')');
        } else {
            self.problem("a pattern's `(` is not closed", start);
        }
        true
    }

    fn process_substitution(&mut self) -> Part {
        let start = self.at;
        let input = self.peek() == Some(b'<');
        self.at += 2;
        let list = self.nested(Self::list);
        if !self.eat(")") {
            self.problem("a process substitution is not closed", start);
        }
        Part::Process { list, input }
    }
}

pub(super) fn push_bare(parts: &mut Vec<Part>, character: char) {
    match parts.last_mut() {
        Some(Part::Bare(text)) => text.push(character),
        _ => parts.push(Part::Bare(character.to_string())),
    }
}

pub(super) fn push_quoted(parts: &mut Vec<Part>, character: char) {
    match parts.last_mut() {
        Some(Part::Quoted(text)) => text.push(character),
        _ => parts.push(Part::Quoted(character.to_string())),
    }
}
