//! Parses quotes: `'…'`, `"…"`, `$'…'` and backticks.

use super::ast::{CommandList, WordPart};
use super::parse_nested;
use super::parser::Parser;
use super::word::{push_bare, push_quoted};

impl Parser<'_> {
    pub(super) fn single_quoted(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        let rest = &self.text[self.at..];
        match rest.find('\'') {
            Some(end) => {
                self.at += end + 1;
                rest[..end].to_owned()
            }
            None => {
                self.error("a single quote is not closed", start);
                self.at = self.bytes.len();
                rest.to_owned()
            }
        }
    }

    pub(super) fn double_quoted(&mut self) -> Vec<WordPart> {
        let start = self.at;
        self.at += 1;
        let parts = self.nested(|parser| {
            let mut parts = Vec::new();
            while let Some(byte) = parser.peek() {
                if byte == b'"' {
                    break;
                }
                parser.text_part(&mut parts, true);
            }
            parts
        });
        if !self.eat("\"") {
            self.error("a double quote is not closed", start);
        }
        parts
    }

    /// Parses one step of text in which only `$`, backticks and `\` are special: double quotes and heredocs.
    pub(super) fn text_part(&mut self, parts: &mut Vec<WordPart>, quoted: bool) {
        match self.peek() {
            Some(b'\\') => {
                self.at += 1;
                if self.eat("\n") || self.eat("\r\n") {
                    return;
                }
                let special = match self.peek() {
                    Some(b'$' | b'`' | b'\\') => true,
                    Some(b'"') => quoted,
                    _ => false,
                };
                if !special {
                    push_quoted(parts, '\\');
                    return;
                }
                if let Some(character) = self.character() {
                    push_quoted(parts, character);
                }
            }
            Some(b'$') => self.dollar(parts, true),
            Some(b'`') => {
                let list = self.backticks(quoted);
                parts.push(WordPart::Command(list));
            }
            _ => {
                if let Some(character) = self.character() {
                    push_quoted(parts, character);
                }
            }
        }
    }

    /// Parses `$'…'`, from the quote on.
    pub(super) fn ansi_quoted(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                None => {
                    self.error("a `$'` quote is not closed", start);
                    break;
                }
                Some(b'\'') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.ansi_escape(&mut bytes);
                }
                Some(byte) => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        // A NUL ends the string.
        text.split('\0').next().unwrap_or_default().to_owned()
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            bytes.push(b'\\');
            return;
        };
        self.at += 1;
        let plain = match byte {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'0'..=b'7' => {
                self.at -= 1;
                let value = self.number(3, 8);
                bytes.push(low_byte(value));
                return;
            }
            b'x' => {
                let braced = self.eat("{");
                let value = self.number(if braced { 8 } else { 2 }, 16);
                if braced {
                    self.eat("}");
                }
                bytes.push(low_byte(value));
                return;
            }
            b'u' | b'U' => {
                let value = self.number(if byte == b'u' { 4 } else { 8 }, 16);
                let character = char::from_u32(value).unwrap_or('\u{FFFD}');
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return;
            }
            b'c' => {
                let control = self.peek().unwrap_or(b'@');
                if control.is_ascii() {
                    self.at = (self.at + 1).min(self.bytes.len());
                }
                bytes.push(control.to_ascii_uppercase() & 0x1f);
                return;
            }
            _ => {
                bytes.extend([b'\\', byte]);
                return;
            }
        };
        bytes.push(plain);
    }

    fn number(&mut self, digits: usize, radix: u32) -> u32 {
        let mut value: u32 = 0;
        for _ in 0..digits {
            let Some(digit) = self
                .peek()
                .and_then(|byte| char::from(byte).to_digit(radix))
            else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }

    /// Parses backticks: unescapes the text, then parses it as a separate text.
    pub(super) fn backticks(&mut self, in_double: bool) -> CommandList {
        let start = self.at;
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.character() {
                None => {
                    self.error("a backtick is not closed", start);
                    break;
                }
                Some('`') => break,
                Some('\\') => {
                    let unescaped = match self.peek() {
                        Some(b'`' | b'\\' | b'$') => true,
                        Some(b'"') => in_double,
                        _ => false,
                    };
                    if !unescaped {
                        inner.push('\\');
                    }
                    if unescaped || self.peek().is_some() {
                        inner.extend(self.character());
                    }
                }
                Some(character) => inner.push(character),
            }
        }
        let span = self.span(start);
        let depth = self.depth;
        let errors = &mut self.errors;
        if depth >= super::MAX_DEPTH {
            self.nested(|_| ());
            return CommandList::default();
        }
        let parsed = parse_nested(&inner, Some(span), depth + 1);
        errors.extend(parsed.errors);
        parsed.list
    }

    /// Consumes a `$` that starts no expansion and keeps it as text.
    pub(super) fn literal_dollar(&mut self, parts: &mut Vec<WordPart>, in_double: bool) {
        self.at += 1;
        if in_double {
            push_quoted(parts, '$');
        } else {
            push_bare(parts, '$');
        }
    }
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}
