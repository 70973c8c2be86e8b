//! Parses compound commands and functions.

use std::rc::Rc;

use super::ast::{CaseArm, Command, CommandKind, CommandList, SimpleCommand, WordNode};
use super::parser::{Parser, ends_word, name_part};

impl Parser<'_> {
    /// Parses a compound command, if one starts here. The caller parses its redirections.
    pub(super) fn compound(&mut self) -> Option<CommandKind> {
        if self.peek() == Some(b'(') {
            return Some(self.parenthesis());
        }
        let kind = match self.keyword() {
            "in" | "]]" => {
                self.error("unexpected reserved word", self.at);
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

    fn parenthesis(&mut self) -> CommandKind {
        let start = self.at;
        if self.starts_with("((") && self.arithmetic_closes(self.at + 2) {
            self.at += 2;
            let parts = self.arithmetic();
            return CommandKind::Arithmetic(WordNode {
                parts,
                span: self.span(start),
            });
        }
        self.at += 1;
        let list = self.filled_list("empty subshell");
        if !self.eat(")") {
            self.error("a subshell is not closed", start);
        }
        CommandKind::Subshell(list)
    }

    fn group(&mut self) -> CommandKind {
        self.at += 1;
        let list = self.filled_list("empty group");
        self.expect_keyword("}", "a group is not closed");
        CommandKind::Group(list)
    }

    fn conditions(&mut self) -> CommandKind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.at += 2;
        loop {
            let condition = self.filled_list("a condition is missing");
            self.expect_keyword("then", "`then` is missing");
            let body = self.filled_list("no command after `then`");
            branches.push((condition, body));
            if self.eat_keyword("elif") {
                continue;
            }
            if self.eat_keyword("else") {
                otherwise = Some(self.filled_list("no command after `else`"));
            }
            self.expect_keyword("fi", "`fi` is missing");
            return CommandKind::If {
                branches,
                otherwise,
            };
        }
    }

    fn repeat(&mut self) -> CommandKind {
        self.at += 5;
        let condition = self.filled_list("a condition is missing");
        let body = self.done_list();
        CommandKind::While { condition, body }
    }

    /// `do … done`
    fn done_list(&mut self) -> CommandList {
        self.expect_keyword("do", "`do` is missing");
        let body = self.filled_list("no command after `do`");
        self.expect_keyword("done", "`done` is missing");
        body
    }

    fn for_each(&mut self) -> CommandKind {
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
                self.error("`for` without a name", start);
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
        CommandKind::For {
            name,
            words,
            body: self.for_body(),
        }
    }

    fn for_words(&mut self) -> Vec<WordNode> {
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
                    self.error("unexpected token after `in`", self.at);
                    self.at += 1;
                    break;
                }
                Some(_) => words.push(self.word()),
            }
        }
        words
    }

    /// Parses `do … done` or bash's alternative `{ … }`.
    fn for_body(&mut self) -> CommandList {
        if self.keyword() != "{" {
            return self.done_list();
        }
        match self.group() {
            CommandKind::Group(list) => list,
            _ => CommandList::default(),
        }
    }

    fn counting_for(&mut self) -> CommandKind {
        let start = self.at;
        self.at += 2;
        let parts = self.arithmetic();
        let head = WordNode {
            parts,
            span: self.span(start),
        };
        self.blanks();
        self.eat(";");
        self.newlines();
        CommandKind::CountingFor {
            head,
            body: self.for_body(),
        }
    }

    fn case(&mut self) -> CommandKind {
        self.at += 4;
        self.blanks();
        let start = self.at;
        let subject = self.word();
        if subject.parts.is_empty() {
            self.error("`case` without a word", start);
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
                self.error("`esac` is missing", start);
                break;
            }
            let before = self.at;
            let arm = self.arm();
            arms.push(arm);
            if self.at == before {
                self.error("unexpected token in `case`", before);
                break;
            }
        }
        CommandKind::Case { subject, arms }
    }

    fn arm(&mut self) -> CaseArm {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            let start = self.at;
            let word = self.word();
            if word.parts.is_empty() {
                self.error("a pattern is missing", start);
            }
            patterns.push(word);
            self.blanks();
            if !self.eat("|") {
                break;
            }
        }
        if !self.eat(")") {
            self.error("`)` is missing after a pattern", self.at);
        }
        let body = self.list();
        self.newlines();
        let goes_on = self.eat(";;&") || self.eat(";&");
        let ended = goes_on || self.eat(";;");
        if !ended && self.keyword() != "esac" {
            self.error("`;;` is missing", self.at);
        }
        CaseArm {
            patterns,
            body,
            goes_on,
        }
    }

    fn function(&mut self) -> CommandKind {
        let start = self.at;
        self.at += "function".len();
        self.blanks();
        let name = self.word();
        let Some(name) = name.bare().map(str::to_owned) else {
            self.error("a function without a name", start);
            return CommandKind::Simple(SimpleCommand::default());
        };
        self.blanks();
        if self.eat("(") {
            self.blanks();
            if !self.eat(")") {
                self.error("`)` is missing after a function's name", self.at);
            }
        }
        self.function_body(name, start).kind
    }

    /// Parses the compound command that is a function's body.
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
            self.error("a function's body is missing", before);
            Command {
                kind: CommandKind::Simple(SimpleCommand::default()),
                redirects: Vec::new(),
                span: self.span(before),
            }
        });
        Command {
            kind: CommandKind::Function {
                name,
                body: Rc::new(body),
            },
            redirects: Vec::new(),
            span: self.span(start),
        }
    }

    fn coprocess(&mut self) -> CommandKind {
        let start = self.at;
        self.at += "coproc".len();
        self.blanks();
        let before = self.at;
        // A name may precede a compound command, but not a simple one.
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
            Some(command) => CommandKind::Coprocess(Box::new(command)),
            None => {
                self.error("`coproc` without a command", start);
                CommandKind::Simple(SimpleCommand::default())
            }
        }
    }
}
