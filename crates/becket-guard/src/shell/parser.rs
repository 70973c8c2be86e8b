//! The parser's state and the small steps that everything else is made of.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Body, List};
use super::{MAX_DEPTH, Problem};
use crate::command::Span;

/// More problems than this say nothing new.
const MAX_PROBLEMS: usize = 16;

/// A heredoc whose text has not been reached yet.
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    pub(super) body: Rc<OnceCell<Body>>,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) problems: Vec<Problem>,
    pub(super) pending: Vec<Pending>,
    place: Option<Span>,
    pub(super) depth: usize,
    gave_up: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, place: Option<Span>, depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            problems: Vec::new(),
            pending: Vec::new(),
            place,
            depth,
            gave_up: false,
        }
    }

    /// The whole text. What stands where nothing may stand is reported and stepped over.
    pub(super) fn program(&mut self) -> List {
        let mut list = self.list();
        while self.at < self.bytes.len() {
            self.problem("unexpected token", self.at);
            self.step_over_token();
            list.items.append(&mut self.list().items);
        }
        self.read_pending();
        list
    }

    fn step_over_token(&mut self) {
        let word = self.keyword().len();
        let double = self.starts_with(";;");
        let step = if word > 0 {
            word
        } else {
            1 + usize::from(double)
        };
        self.at = (self.at + step).min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// The character here, stepped over.
    pub(super) fn character(&mut self) -> Option<char> {
        let character = self.text[self.at..].chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    pub(super) fn span(&self, start: usize) -> Span {
        self.place.unwrap_or(Span {
            start: start.min(self.at),
            end: self.at,
        })
    }

    pub(super) fn problem(&mut self, what: &'static str, start: usize) {
        if !self.gave_up && self.problems.len() < MAX_PROBLEMS {
            let span = self.place.unwrap_or(Span {
                start: start.min(self.bytes.len()),
                end: self.bytes.len(),
            });
            self.problems.push(Problem {
                what,
                too_deep: false,
                span,
            });
        }
    }

    /// One level deeper, or an end to it all.
    pub(super) fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up();
            return T::default();
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn give_up(&mut self) {
        if !self.gave_up {
            let span = self.span(self.at);
            self.problems.push(Problem {
                what: "nested too deeply",
                too_deep: true,
                span,
            });
        }
        self.gave_up = true;
        self.at = self.bytes.len();
    }

    /// Spaces, tabs, line continuations, and the carriage return of a line that ends in two characters.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.starts_with("\\\r\n") => self.at += 3,
                Some(b'\r') if matches!(self.peek_at(1), Some(b'\n') | None) => self.at += 1,
                _ => break,
            }
        }
    }

    /// Blanks, comments and ends of lines; true when a line ended.
    pub(super) fn newlines(&mut self) -> bool {
        let mut any = false;
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n') => {
                    self.end_of_line();
                    any = true;
                }
                Some(b'#') => self.comment(),
                _ => return any,
            }
        }
    }

    pub(super) fn comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// Steps over a line end; heredocs that were announced on the line begin here.
    pub(super) fn end_of_line(&mut self) {
        self.at += 1;
        if !self.pending.is_empty() {
            self.read_pending();
        }
    }

    /// The plain word here, if it ends where a word ends: what a reserved word has to look like.
    pub(super) fn keyword(&self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let len = rest
            .iter()
            .take(9)
            .take_while(|byte| matches!(byte, b'a'..=b'z' | b'{' | b'}' | b'!' | b'[' | b']'))
            .count();
        let ends = match rest.get(len) {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                true
            }
            Some(b'\r') => matches!(rest.get(len + 1), Some(b'\n') | None),
            Some(b'\\') => rest.get(len + 1) == Some(&b'\n'),
            _ => false,
        };
        if ends {
            &self.text[self.at..self.at + len]
        } else {
            ""
        }
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    pub(super) fn expect_keyword(&mut self, word: &str, otherwise: &'static str) {
        if !self.eat_keyword(word) {
            self.problem(otherwise, self.at);
        }
    }

    /// Steps over line continuations, which vanish wherever they stand.
    pub(super) fn continuations(&mut self) {
        loop {
            if !self.eat("\\\n") && !self.eat("\\\r\n") {
                return;
            }
        }
    }

    /// A name, however it is broken over lines.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(name_part));
            let before = self.at;
            self.continuations();
            if self.at == before {
                return name;
            }
        }
    }

    /// Collects text up to where `stop` says, for constructs that hold no language of their own.
    pub(super) fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&keep) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }
}

/// Bytes that end a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

pub(super) fn name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
