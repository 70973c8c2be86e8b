//! The parser's state and its basic steps.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{CommandList, HeredocBody};
use super::{MAX_DEPTH, SyntaxError};
use crate::command::Span;

/// Maximum number of recorded errors.
const MAX_ERRORS: usize = 16;

/// A heredoc whose body has not been reached yet.
pub(super) struct PendingHeredoc {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    pub(super) body: Rc<OnceCell<HeredocBody>>,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) errors: Vec<SyntaxError>,
    pub(super) pending: Vec<PendingHeredoc>,
    fixed_span: Option<Span>,
    pub(super) depth: usize,
    gave_up: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, fixed_span: Option<Span>, depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            errors: Vec::new(),
            pending: Vec::new(),
            fixed_span,
            depth,
            gave_up: false,
        }
    }

    /// Parses the whole text. Reports and skips unexpected tokens.
    pub(super) fn program(&mut self) -> CommandList {
        let mut list = self.list();
        while self.at < self.bytes.len() {
            self.error("unexpected token", self.at);
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

    /// Consumes and returns the next character.
    pub(super) fn character(&mut self) -> Option<char> {
        let character = self.text[self.at..].chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    pub(super) fn span(&self, start: usize) -> Span {
        self.fixed_span.unwrap_or(Span {
            start: start.min(self.at),
            end: self.at,
        })
    }

    pub(super) fn error(&mut self, message: &'static str, start: usize) {
        if !self.gave_up && self.errors.len() < MAX_ERRORS {
            let span = self.fixed_span.unwrap_or(Span {
                start: start.min(self.bytes.len()),
                end: self.bytes.len(),
            });
            self.errors.push(SyntaxError {
                message,
                too_deep: false,
                span,
            });
        }
    }

    /// Parses one level deeper, or gives up at the nesting limit.
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
            self.errors.push(SyntaxError {
                message: "nested too deeply",
                too_deep: true,
                span,
            });
        }
        self.gave_up = true;
        self.at = self.bytes.len();
    }

    /// Skips spaces, tabs, line continuations, and the carriage return of a CRLF line end.
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

    /// Skips blanks, comments and newlines; returns whether there was a newline.
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

    /// Consumes a newline; the bodies of pending heredocs start here.
    pub(super) fn end_of_line(&mut self) {
        self.at += 1;
        if !self.pending.is_empty() {
            self.read_pending();
        }
    }

    /// The unquoted word at the current position, if it is complete: the form of a reserved word.
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
            self.error(otherwise, self.at);
        }
    }

    /// Skips line continuations, which disappear in any position.
    pub(super) fn continuations(&mut self) {
        loop {
            if !self.eat("\\\n") && !self.eat("\\\r\n") {
                return;
            }
        }
    }

    /// Parses a name, possibly split by line continuations.
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

    /// Consumes bytes while `keep` returns true.
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
