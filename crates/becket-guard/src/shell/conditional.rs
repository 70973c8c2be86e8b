//! Parses `[[ … ]]`; keeps the operands and drops the operators.

use super::ast::{CommandKind, WordNode, WordPart};
use super::parser::{Parser, ends_word};

impl Parser<'_> {
    /// Parses from `[[` on.
    pub(super) fn conditional(&mut self) -> CommandKind {
        let start = self.at;
        self.at += 2;
        let mut words = Vec::new();
        let mut pattern_next = false;
        loop {
            self.newlines();
            if self.eat_keyword("]]") {
                break;
            }
            match self.peek() {
                None => {
                    self.error("`[[` is not closed", start);
                    break;
                }
                Some(b';') => {
                    self.error("unexpected `;` in `[[`", self.at);
                    self.at += 1;
                }
                Some(byte)
                    if !pattern_next && ends_word(byte) && !self.process_substitution_here() =>
                {
                    self.at += 1;
                }
                Some(_) if pattern_next => {
                    words.push(self.pattern_word());
                    pattern_next = false;
                }
                Some(_) => {
                    let before = self.at;
                    let word = self.word();
                    pattern_next = matches!(word.bare(), Some("=~" | "==" | "=" | "!="));
                    words.push(word);
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
        if words.is_empty() {
            self.error("empty `[[`", start);
        }
        CommandKind::Test(words)
    }

    /// Parses a pattern or a regular expression, which may contain parentheses and bars.
    fn pattern_word(&mut self) -> WordNode {
        let start = self.at;
        let mut parts: Vec<WordPart> = Vec::new();
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => open += 1,
                b')' | b' ' | b'\t' | b'\n' | b'&' if open == 0 => break,
                b')' => open -= 1,
                _ => {}
            }
            self.part(&mut parts, false);
        }
        if self.at == start {
            self.at += 1;
        }
        WordNode {
            parts,
            span: self.span(start),
        }
    }
}
