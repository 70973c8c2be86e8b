//! Redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Operator, Part, Redirection, Word};
use super::parser::{Parser, Pending, ends_word, name_part};

const OPERATORS: &[(&str, Operator)] = &[
    ("&>>", Operator::AppendBoth),
    ("&>", Operator::WriteBoth),
    ("<<<", Operator::HereString),
    ("<<-", Operator::HereDocument),
    ("<<", Operator::HereDocument),
    ("<&", Operator::CopyInput),
    ("<>", Operator::ReadWrite),
    ("<", Operator::Read),
    (">>", Operator::Append),
    (">&", Operator::CopyOutput),
    (">|", Operator::Write),
    (">", Operator::Write),
];

impl Parser<'_> {
    /// Every redirection that stands here.
    pub(super) fn redirections(&mut self, redirects: &mut Vec<Redirection>) {
        loop {
            self.blanks();
            if !self.redirection(redirects) {
                return;
            }
        }
    }

    /// One redirection, if there is one.
    pub(super) fn redirection(&mut self, redirects: &mut Vec<Redirection>) -> bool {
        let start = self.at;
        let descriptor = self.descriptor();
        let operator = OPERATORS
            .iter()
            .find(|(text, _)| self.starts_with(text))
            .filter(|_| !self.process_substitution_here());
        let Some(&(text, operator)) = operator else {
            self.at = start;
            return false;
        };
        self.at += text.len();
        self.blanks();
        let missing = match self.peek() {
            None => true,
            Some(byte) => ends_word(byte) && !self.process_substitution_here(),
        };
        if missing {
            self.problem("a redirection without a target", start);
            return true;
        }
        let target = self.word();
        let body =
            (operator == Operator::HereDocument).then(|| self.announce(&target, text == "<<-"));
        redirects.push(Redirection {
            descriptor,
            operator,
            target,
            body,
        });
        true
    }

    /// `2` or `{name}` directly in front of an operator.
    fn descriptor(&mut self) -> Option<String> {
        let start = self.at;
        let braced = self.eat("{");
        let name = if braced {
            self.take_while(name_part)
        } else {
            self.take_while(|byte| byte.is_ascii_digit())
        };
        let closed = !braced || self.eat("}");
        if !name.is_empty() && closed && matches!(self.peek(), Some(b'<' | b'>')) {
            return Some(name.to_owned());
        }
        self.at = start;
        None
    }

    fn announce(&mut self, target: &Word, strip_tabs: bool) -> Rc<OnceCell<super::ast::Body>> {
        let body = Rc::new(OnceCell::new());
        let (delimiter, quoted) = delimiter(&target.parts);
        self.pending.push(Pending {
            delimiter,
            quoted,
            strip_tabs,
            body: Rc::clone(&body),
        });
        body
    }
}

/// A delimiter is not expanded; any quote in it makes the whole document literal.
fn delimiter(parts: &[Part]) -> (String, bool) {
    let mut text = String::new();
    let mut quoted = false;
    for part in parts {
        match part {
            Part::Bare(bare) => text.push_str(bare),
            Part::Quoted(inner) => {
                text.push_str(inner);
                quoted = true;
            }
            Part::Double(inner) => {
                text.push_str(&delimiter(inner).0);
                quoted = true;
            }
            Part::Parameter(parameter) => {
                text.push('$');
                text.push_str(&parameter.name);
            }
            _ => {}
        }
    }
    (text, quoted)
}
