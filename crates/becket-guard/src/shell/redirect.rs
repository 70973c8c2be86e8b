//! Parses redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{RedirectOperator, Redirection, WordNode, WordPart};
use super::parser::{Parser, PendingHeredoc, ends_word, name_part};

const OPERATORS: &[(&str, RedirectOperator)] = &[
    ("&>>", RedirectOperator::AppendBoth),
    ("&>", RedirectOperator::WriteBoth),
    ("<<<", RedirectOperator::HereString),
    ("<<-", RedirectOperator::HereDocument),
    ("<<", RedirectOperator::HereDocument),
    ("<&", RedirectOperator::CopyInput),
    ("<>", RedirectOperator::ReadWrite),
    ("<", RedirectOperator::Read),
    (">>", RedirectOperator::Append),
    (">&", RedirectOperator::CopyOutput),
    (">|", RedirectOperator::Write),
    (">", RedirectOperator::Write),
];

impl Parser<'_> {
    /// Parses all redirections at this position.
    pub(super) fn redirections(&mut self, redirects: &mut Vec<Redirection>) {
        loop {
            self.blanks();
            if !self.redirection(redirects) {
                return;
            }
        }
    }

    /// Parses one redirection, if there is one.
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
            self.error("a redirection without a target", start);
            return true;
        }
        let target = self.word();
        let body = (operator == RedirectOperator::HereDocument)
            .then(|| self.announce(&target, text == "<<-"));
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

    fn announce(
        &mut self,
        target: &WordNode,
        strip_tabs: bool,
    ) -> Rc<OnceCell<super::ast::HeredocBody>> {
        let body = Rc::new(OnceCell::new());
        let (delimiter, quoted) = delimiter(&target.parts);
        self.pending.push(PendingHeredoc {
            delimiter,
            quoted,
            strip_tabs,
            body: Rc::clone(&body),
        });
        body
    }
}

/// A delimiter is not expanded. Any quote in it makes the whole document literal.
fn delimiter(parts: &[WordPart]) -> (String, bool) {
    let mut text = String::new();
    let mut quoted = false;
    for part in parts {
        match part {
            WordPart::Bare(bare) => text.push_str(bare),
            WordPart::Quoted(inner) => {
                text.push_str(inner);
                quoted = true;
            }
            WordPart::Double(inner) => {
                text.push_str(&delimiter(inner).0);
                quoted = true;
            }
            WordPart::Parameter(parameter) => {
                text.push('$');
                text.push_str(&parameter.name);
            }
            _ => {}
        }
    }
    (text, quoted)
}
