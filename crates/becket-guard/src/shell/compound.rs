//! Compound commands and functions.

use std::rc::Rc;

use super::ast::{Arm, Command, Kind, List, Simple, Word};
use super::parser::{Parser, ends_word, name_part};

impl Parser<'_> {
    /// A compound command, if one starts here; its redirections are left to the caller.
    pub(super) fn compound(&mut self) -> Option<Kind> {
        if self.peek() == Some(b'(') {
            return Some(self.parenthesis());
        }
        let kind = match self.keyword() {
            "in" | "]]" => {
                self.problem("unexpected reserved word", self.at);
                return None;
            }
            "{" => self.group(),
            "[[" => self.conditional(),
            "if" => self.conditions(),
            "while" | "until" => self.repeat(),
            "for" | "select" => self.for_each(),
            "case" => self.case(),
            "function" => self.function(),
            "coproc" => self.coprocess(),
            _ => return None,
        };
        Some(kind)
    }

    fn parenthesis(&mut self) -> Kind {
        let start = self.at;
        if self.starts_with("((") && self.arithmetic_closes(self.at + 2) {
            self.at += 2;
            let parts = self.arithmetic();
            return Kind::Arithmetic(Word {
                parts,
                span: self.span(start),
            });
        }
        self.at += 1;
        let list = self.filled_list("a subshell holds nothing");
        if !self.eat(")") {
            self.problem("a subshell is not closed", start);
        }
        Kind::Subshell(list)
    }

    fn group(&mut self) -> Kind {
        self.at += 1;
        let list = self.filled_list("a group holds nothing");
        self.expect_keyword("}", "a group is not closed");
        Kind::Group(list)
    }

    fn conditions(&mut self) -> Kind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.at += 2;
        loop {
            let condition = self.filled_list("a condition is missing");
            self.expect_keyword("then", "`then` is missing");
            let body = self.filled_list("nothing stands after `then`");
            branches.push((condition, body));
            if self.eat_keyword("elif") {
                continue;
            }
            if self.eat_keyword("else") {
                otherwise = Some(self.filled_list("nothing stands after `else`"));
            }
            self.expect_keyword("fi", "`fi` is missing");
            return Kind::If {
                branches,
                otherwise,
            };
        }
    }

    fn repeat(&mut self) -> Kind {
        self.at += 5;
        let condition = self.filled_list("a condition is missing");
        let body = self.done_list();
        Kind::While { condition, body }
    }

    /// `do … done`
    fn done_list(&mut self) -> List {
        self.expect_keyword("do", "`do` is missing");
        let body = self.filled_list("nothing stands after `do`");
        self.expect_keyword("done", "`done` is missing");
        body
    }

    fn for_each(&mut self) -> Kind {
        let counting = self.keyword() == "for";
        self.at += self.keyword().len();
        self.blanks();
        if counting && self.starts_with("((") {
            return self.counting_for();
        }
        let start = self.at;
        let name = self.word();
        let name = match name.bare() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => {
                self.problem("`for` without a name", start);
                String::new()
            }
        };
        self.newlines();
        let words = if self.eat_keyword("in") {
            Some(self.for_words())
        } else {
            self.blanks();
            self.eat(";");
            None
        };
        self.newlines();
        Kind::For {
            name,
            words,
            body: self.for_body(),
        }
    }

    fn for_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b';') => {
                    self.at += 1;
                    break;
                }
                Some(b'#') => self.comment(),
                None | Some(b'\n') => break,
                Some(byte) if ends_word(byte) && !self.process_substitution_here() => {
                    self.problem("unexpected token after `in`", self.at);
                    self.at += 1;
                    break;
                }
                Some(_) => words.push(self.word()),
            }
        }
        words
    }

    /// `do … done` or, as bash also takes it, `{ … }`.
    fn for_body(&mut self) -> List {
        if self.keyword() != "{" {
            return self.done_list();
        }
        match self.group() {
            Kind::Group(list) => list,
            _ => List::default(),
        }
    }

    fn counting_for(&mut self) -> Kind {
        let start = self.at;
        self.at += 2;
        let parts = self.arithmetic();
        let head = Word {
            parts,
            span: self.span(start),
        };
        self.blanks();
        self.eat(";");
        self.newlines();
        Kind::CountingFor {
            head,
            body: self.for_body(),
        }
    }

    fn case(&mut self) -> Kind {
        self.at += 4;
        self.blanks();
        let start = self.at;
        let subject = self.word();
        if subject.parts.is_empty() {
            self.problem("`case` without a word", start);
        }
        self.newlines();
        self.expect_keyword("in", "`in` is missing");
        let mut arms = Vec::new();
        loop {
            self.newlines();
            if self.eat_keyword("esac") {
                break;
            }
            if self.peek().is_none() {
                self.problem("`esac` is missing", start);
                break;
            }
            let before = self.at;
            let arm = self.arm();
            arms.push(arm);
            if self.at == before {
                self.problem("unexpected token in `case`", before);
                break;
            }
        }
        Kind::Case { subject, arms }
    }

    fn arm(&mut self) -> Arm {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            let start = self.at;
            let word = self.word();
            if word.parts.is_empty() {
                self.problem("a pattern is missing", start);
            }
            patterns.push(word);
            self.blanks();
            if !self.eat("|") {
                break;
            }
        }
        if !self.eat(")") {
            self.problem("`)` is missing after a pattern", self.at);
        }
        let body = self.list();
        self.newlines();
        let goes_on = self.eat(";;&") || self.eat(";&");
        let ended = goes_on || self.eat(";;");
        if !ended && self.keyword() != "esac" {
            self.problem("`;;` is missing", self.at);
        }
        Arm {
            patterns,
            body,
            goes_on,
        }
    }

    fn function(&mut self) -> Kind {
        let start = self.at;
        self.at += "function".len();
        self.blanks();
        let name = self.word();
        let Some(name) = name.bare().map(str::to_owned) else {
            self.problem("a function without a name", start);
            return Kind::Simple(Simple::default());
        };
        self.blanks();
        if self.eat("(") {
            self.blanks();
            if !self.eat(")") {
                self.problem("`)` is missing after a function's name", self.at);
            }
        }
        self.function_body(name, start).kind
    }

    /// The compound command that is a function's body.
    pub(super) fn function_body(&mut self, name: String, start: usize) -> Command {
        self.newlines();
        let before = self.at;
        let body = self.nested(|parser| {
            let kind = parser.compound()?;
            let mut redirects = Vec::new();
            parser.redirections(&mut redirects);
            Some(Command {
                kind,
                redirects,
                span: parser.span(before),
            })
        });
        let body = body.unwrap_or_else(|| {
            self.problem("a function's body is missing", before);
            Command {
                kind: Kind::Simple(Simple::default()),
                redirects: Vec::new(),
                span: self.span(before),
            }
        });
        Command {
            kind: Kind::Function {
                name,
                body: Rc::new(body),
            },
            redirects: Vec::new(),
            span: self.span(start),
        }
    }

    fn coprocess(&mut self) -> Kind {
        let start = self.at;
        self.at += "coproc".len();
        self.blanks();
        let before = self.at;
        // A name may stand in front of a compound command, never in front of a simple one.
        let named = self.keyword().is_empty() && {
            self.take_while(name_part);
            self.blanks();
            self.peek() == Some(b'(')
                || matches!(
                    self.keyword(),
                    "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case"
                )
        };
        if !named {
            self.at = before;
        }
        match self.command() {
            Some(command) => Kind::Coprocess(Box::new(command)),
            None => {
                self.problem("`coproc` without a command", start);
                Kind::Simple(Simple::default())
            }
        }
    }
}
