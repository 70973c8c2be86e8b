//! Parses everything that starts with `$`.

use super::ast::{CommandList, Parameter, ParameterOperation, WordPart};
use super::parser::{Parser, name_part, name_start};

impl Parser<'_> {
    pub(super) fn dollar(&mut self, parts: &mut Vec<WordPart>, in_double: bool) {
        // Skip line continuations after the `$`, then step back one byte. From here on, that byte stands for
        // the `$`.
        self.at += 1;
        self.continuations();
        self.at -= 1;
        match self.peek_at(1) {
            Some(b'\'') if !in_double => {
                self.at += 1;
                let text = self.ansi_quoted();
                parts.push(WordPart::Quoted(text));
            }
            Some(b'"') if !in_double => {
                self.at += 1;
                let inner = self.double_quoted();
                parts.push(WordPart::Double(inner));
            }
            Some(b'(') => {
                let part = self.substitution();
                parts.push(part);
            }
            Some(b'{') => {
                let part = self.braced(in_double);
                parts.push(part);
            }
            Some(b'[') => {
                let start = self.at;
                self.at += 2;
                let inner = self.parts_until(|byte| byte == b']', true);
                if !self.eat("]") {
                    self.error("`$[` is not closed", start);
                }
                parts.push(WordPart::Arithmetic(inner));
            }
            Some(byte) if name_start(byte) => {
                self.at += 1;
                let name = self.name();
                parts.push(plain(name));
            }
            Some(byte @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.at += 2;
                parts.push(plain(char::from(byte).to_string()));
            }
            _ => self.literal_dollar(parts, in_double),
        }
    }

    /// `$( … )` or `$(( … ))`.
    fn substitution(&mut self) -> WordPart {
        let start = self.at;
        if self.bytes[self.at + 1..].starts_with(b"((") && self.arithmetic_closes(self.at + 3) {
            self.at += 3;
            let parts = self.arithmetic();
            return WordPart::Arithmetic(parts);
        }
        self.at += 2;
        let list = self.nested(Self::list);
        self.close_substitution(start);
        WordPart::Command(list)
    }

    fn close_substitution(&mut self, start: usize) {
        self.newlines();
        if self.eat(")") {
            return;
        }
        self.error("a command substitution is not closed", start);
    }

    /// Whether `))` closes the expression that starts at `from`, with balanced parentheses inside.
    pub(super) fn arithmetic_closes(&self, from: usize) -> bool {
        let mut open = 0_usize;
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' => {
                    let Some(end) = self.bytes[at + 1..].iter().position(|other| other == byte)
                    else {
                        return false;
                    };
                    at += end + 1;
                }
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return self.bytes.get(at + 1) == Some(&b')'),
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Parses an expression including its `))`.
    pub(super) fn arithmetic(&mut self) -> Vec<WordPart> {
        let start = self.at;
        let parts = self.nested(|parser| {
            let mut parts = Vec::new();
            let mut open = 0_usize;
            while let Some(byte) = parser.peek() {
                match byte {
                    b'(' => open += 1,
                    b')' if open == 0 => break,
                    b')' => open -= 1,
                    _ => {}
                }
                parser.part(&mut parts, false);
            }
            parts
        });
        if !self.eat("))") {
            self.error("an arithmetic expression is not closed", start);
            self.eat(")");
        }
        parts
    }

    /// `${ … }`
    fn braced(&mut self, in_double: bool) -> WordPart {
        let start = self.at;
        self.at += 2;
        self.continuations();
        if matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'|')) {
            return self.command_in_braces(start);
        }
        let prefix = match self.peek() {
            Some(b'#')
                if self
                    .peek_at(1)
                    .is_some_and(|byte| byte != b'}' && byte != b':') =>
            {
                Some(b'#')
            }
            Some(b'!')
                if self
                    .peek_at(1)
                    .is_some_and(|byte| name_part(byte) || byte == b'@' || byte == b'*') =>
            {
                Some(b'!')
            }
            _ => None,
        };
        self.at += usize::from(prefix.is_some());
        self.continuations();
        let name = self.parameter_name();
        let index = self.parameter_index();
        self.continuations();
        let operation = self.operation(prefix, in_double);
        if !self.eat("}") {
            self.error("`${` is not closed", start);
        }
        WordPart::Parameter(Box::new(Parameter {
            name,
            index,
            operation,
        }))
    }

    /// `${ command; }` also runs a command.
    fn command_in_braces(&mut self, start: usize) -> WordPart {
        self.eat("|");
        let list: CommandList = self.nested(Self::list);
        if !self.eat("}") {
            self.error("`${` is not closed", start);
        }
        WordPart::Command(list)
    }

    fn parameter_name(&mut self) -> String {
        match self.peek() {
            Some(byte) if name_start(byte) => self.name(),
            Some(byte) if byte.is_ascii_digit() => {
                self.take_while(|byte| byte.is_ascii_digit()).to_owned()
            }
            Some(byte @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.at += 1;
                char::from(byte).to_string()
            }
            _ => String::new(),
        }
    }

    fn parameter_index(&mut self) -> Option<Vec<WordPart>> {
        if !self.eat("[") {
            return None;
        }
        let parts = self.parts_until(|byte| matches!(byte, b']' | b'}'), false);
        self.eat("]");
        Some(parts)
    }

    fn operation(&mut self, prefix: Option<u8>, in_double: bool) -> ParameterOperation {
        let operand =
            |parser: &mut Self, quoted: bool| parser.parts_until(|byte| byte == b'}', quoted);
        if self.peek() == Some(b'}') {
            return match prefix {
                Some(b'#') => ParameterOperation::Length,
                Some(_) => ParameterOperation::Indirect,
                None => ParameterOperation::Plain,
            };
        }
        let colon =
            self.peek() == Some(b':') && matches!(self.peek_at(1), Some(b'-' | b'=' | b'?' | b'+'));
        if colon {
            self.at += 1;
        }
        let Some(byte) = self.peek() else {
            return ParameterOperation::Plain;
        };
        if !matches!(
            byte,
            b'-' | b'=' | b'?' | b'+' | b':' | b'#' | b'%' | b'/' | b'^' | b','
        ) {
            return ParameterOperation::Other(operand(self, in_double));
        }
        self.at += 1;
        match byte {
            b'-' | b'=' => ParameterOperation::Default {
                word: operand(self, in_double),
                assign: byte == b'=',
            },
            b'?' => ParameterOperation::Require(operand(self, in_double)),
            b'+' => ParameterOperation::Alternative(operand(self, in_double)),
            b':' => ParameterOperation::Slice(operand(self, in_double)),
            b'#' | b'%' => {
                let longest = self.peek() == Some(byte);
                self.at += usize::from(longest);
                ParameterOperation::Trim {
                    pattern: operand(self, false),
                    end: byte == b'%',
                    longest,
                }
            }
            b'/' => {
                let all = self.eat("/");
                let pattern = self.parts_until(|byte| matches!(byte, b'/' | b'}'), false);
                let with = if self.eat("/") {
                    operand(self, false)
                } else {
                    Vec::new()
                };
                ParameterOperation::Replace { pattern, with, all }
            }
            _ => {
                let all = self.peek() == Some(byte);
                self.at += usize::from(all);
                operand(self, false);
                if byte == b'^' {
                    ParameterOperation::Upper { all }
                } else {
                    ParameterOperation::Lower { all }
                }
            }
        }
    }
}

fn plain(name: String) -> WordPart {
    WordPart::Parameter(Box::new(Parameter {
        name,
        index: None,
        operation: ParameterOperation::Plain,
    }))
}
