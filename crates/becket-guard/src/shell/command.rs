//! Parses lists, pipelines and simple commands.

use super::ast::{
    AndOr, Assignment, Command, CommandKind, CommandList, Pipeline, PipelineJoin, SimpleCommand,
    WordNode, WordPart,
};
use super::parser::{Parser, ends_word, name_part, name_start};

/// How far ahead the end of a subscript is searched.
const MAX_INDEX: usize = 256;

/// Commands whose arguments may be assignments, including lists.
const DECLARATIONS: &[&str] = &[
    "declare", "export", "local", "readonly", "typeset", "alias", "eval",
];

impl Parser<'_> {
    /// Parses commands until a token that cannot start one.
    pub(super) fn list(&mut self) -> CommandList {
        let mut items = Vec::new();
        loop {
            self.newlines();
            if self.list_ends() {
                break;
            }
            let before = self.at;
            let pipelines = self.and_or();
            let background = self.separator();
            items.push(AndOr {
                pipelines,
                background,
            });
            if self.at == before {
                // Nothing could be parsed here; the caller reports the token.
                items.pop();
                break;
            }
        }
        CommandList { items }
    }

    /// Parses a list that must not be empty.
    pub(super) fn filled_list(&mut self, otherwise: &'static str) -> CommandList {
        let start = self.at;
        let list = self.list();
        if list.items.is_empty() {
            self.error(otherwise, start);
        }
        list
    }

    fn list_ends(&self) -> bool {
        match self.peek() {
            None | Some(b')' | b';' | b'&' | b'|') => true,
            _ => matches!(
                self.keyword(),
                "then" | "do" | "done" | "fi" | "else" | "elif" | "esac" | "}"
            ),
        }
    }

    /// Parses `;`, `&` or a newline; returns true for `&`.
    fn separator(&mut self) -> bool {
        self.blanks();
        match (self.peek(), self.peek_at(1)) {
            (Some(b';'), next) if next != Some(b';') && next != Some(b'&') => {
                self.at += 1;
                false
            }
            (Some(b'&'), next) if next != Some(b'&') => {
                self.at += 1;
                true
            }
            _ => false,
        }
    }

    fn and_or(&mut self) -> Vec<(PipelineJoin, Pipeline)> {
        let mut pipelines = vec![(PipelineJoin::And, self.pipeline())];
        loop {
            self.blanks();
            let join = if self.eat("&&") {
                PipelineJoin::And
            } else if self.eat("||") {
                PipelineJoin::Or
            } else {
                return pipelines;
            };
            self.newlines();
            if self.list_ends() {
                self.error("a command is missing after `&&` or `||`", self.at);
                return pipelines;
            }
            let pipeline = self.pipeline();
            pipelines.push((join, pipeline));
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        let mut stages = Vec::new();
        let prefixed = self.pipeline_prefix();
        self.blanks();
        let nothing = self.list_ends() || matches!(self.peek(), Some(b'\n' | b'#'));
        if prefixed && nothing {
            return Pipeline { stages };
        }
        stages.extend(self.command());
        loop {
            self.blanks();
            let piped = self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|');
            if !piped {
                return Pipeline { stages };
            }
            self.at += 1;
            self.eat("&");
            self.newlines();
            if self.list_ends() {
                self.error("a command is missing after `|`", self.at);
                return Pipeline { stages };
            }
            let start = self.at;
            if self.eat_keyword("!") {
                self.error("`!` is only allowed before a whole pipeline", start);
                self.blanks();
            }
            stages.extend(self.command());
        }
    }

    fn pipeline_prefix(&mut self) -> bool {
        let start = self.at;
        loop {
            self.blanks();
            if self.eat_keyword("time") {
                self.blanks();
                let portable = self.starts_with("-p") && self.peek_at(2).is_none_or(ends_word);
                if portable {
                    self.at += 2;
                }
            } else if !self.eat_keyword("!") {
                return self.at > start;
            }
        }
    }

    /// Parses one compound or simple command; `None` if there is none.
    pub(super) fn command(&mut self) -> Option<Command> {
        self.nested(|parser| {
            let start = parser.at;
            let Some(kind) = parser.compound() else {
                return parser.simple();
            };
            let mut redirects = Vec::new();
            parser.redirections(&mut redirects);
            if !matches!(kind, CommandKind::Coprocess(_)) {
                parser.expect_end_of_command();
            }
            Some(Command {
                kind,
                redirects,
                span: parser.span(start),
            })
        })
    }

    /// Only an operator or a newline may follow a compound command.
    fn expect_end_of_command(&mut self) {
        self.blanks();
        let fine = match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'#') => true,
            _ => self.list_ends(),
        };
        if !fine {
            self.error("unexpected word after a compound command", self.at);
        }
    }

    fn simple(&mut self) -> Option<Command> {
        let start = self.at;
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        let mut end = start;
        loop {
            self.blanks();
            if self.redirection(&mut redirects) {
                end = self.at;
                continue;
            }
            match self.peek() {
                Some(b'#') => {
                    self.comment();
                    break;
                }
                Some(b'(') => {
                    if let Some(function) = self.function_after(&simple, &redirects, start) {
                        return Some(function);
                    }
                    self.error("unexpected `(`", self.at);
                    self.at += 1;
                    continue;
                }
                None => break,
                Some(byte) if ends_word(byte) && !self.process_substitution_here() => break,
                Some(_) => {}
            }
            if simple.words.is_empty() {
                let before = self.at;
                match self.assignment() {
                    Ok(assignment) => simple.assignments.push(assignment),
                    Err(parts) => simple.words.push(self.word_after(before, parts)),
                }
                end = self.at;
                if self.at == before {
                    break;
                }
                continue;
            }
            let before = self.at;
            let declares = simple
                .words
                .first()
                .and_then(WordNode::bare)
                .is_some_and(|name| DECLARATIONS.contains(&name));
            let word = if declares {
                self.declaration()
            } else {
                self.word()
            };
            simple.words.push(word);
            end = self.at;
            if self.at == before {
                break;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return None;
        }
        let resume = self.at;
        self.at = end;
        let span = self.span(start);
        self.at = resume;
        Some(Command {
            kind: CommandKind::Simple(simple),
            redirects,
            span,
        })
    }

    fn function_after(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[super::ast::Redirection],
        start: usize,
    ) -> Option<Command> {
        let [name] = simple.words.as_slice() else {
            return None;
        };
        if !redirects.is_empty() || !simple.assignments.is_empty() {
            return None;
        }
        let name = name.bare()?.to_owned();
        let before = self.at;
        self.at += 1;
        self.blanks();
        if !self.eat(")") {
            self.at = before;
            return None;
        }
        let function = self.function_body(name, start);
        self.expect_end_of_command();
        Some(function)
    }

    /// Parses `name=value` where a command may start. `Err` holds the parsed parts of a word that is not an
    /// assignment.
    fn assignment(&mut self) -> Result<Assignment, Vec<WordPart>> {
        let start = self.at;
        if !self.peek().is_some_and(name_start) {
            return Err(Vec::new());
        }
        let name = self.name();
        let index = self.index();
        let append = self.starts_with("+=");
        if append || self.starts_with("=") {
            self.at += 1 + usize::from(append);
            let value = self.assigned_value();
            return Ok(Assignment {
                name,
                index,
                append,
                value,
            });
        }
        // Parsing the subscript twice would double the work at every nesting level.
        let Some(index) = index else {
            self.at = start;
            return Err(Vec::new());
        };
        let mut parts = vec![WordPart::Bare(format!("{name}["))];
        parts.extend(index.parts);
        parts.push(WordPart::Bare("]".to_owned()));
        Err(parts)
    }

    /// Parses `[index]`, if it closes soon and an assignment follows.
    fn index(&mut self) -> Option<WordNode> {
        let start = self.at;
        let ahead = &self.bytes[self.at..(self.at + MAX_INDEX).min(self.bytes.len())];
        let assigned = ahead.windows(2).any(|two| two == b"]=" || two == b"]+");
        if self.peek() != Some(b'[') || !assigned {
            return None;
        }
        self.at += 1;
        let parts = self.parts_until(|byte| matches!(byte, b']' | b'\n'), false);
        if !self.eat("]") {
            self.error("`[` is not closed", start);
        }
        Some(WordNode {
            parts,
            span: self.span(start),
        })
    }

    fn assigned_value(&mut self) -> WordNode {
        if self.peek() == Some(b'(') {
            return self.array();
        }
        match self.peek() {
            Some(byte) if !ends_word(byte) || self.process_substitution_here() => self.word(),
            _ => WordNode {
                parts: Vec::new(),
                span: self.span(self.at),
            },
        }
    }

    /// `( word word [i]=word … )`
    fn array(&mut self) -> WordNode {
        let start = self.at;
        self.at += 1;
        let mut words = Vec::new();
        self.nested(|parser| {
            loop {
                parser.newlines();
                match parser.peek() {
                    None => {
                        parser.error("a list is not closed", start);
                        break;
                    }
                    Some(b')') => {
                        parser.at += 1;
                        break;
                    }
                    Some(byte) if ends_word(byte) && !parser.process_substitution_here() => {
                        parser.error("unexpected token in a list", parser.at);
                        parser.at += 1;
                    }
                    Some(_) => words.push(parser.word()),
                }
            }
        });
        WordNode {
            parts: vec![WordPart::Array(words)],
            span: self.span(start),
        }
    }

    /// Parses an argument of `export` and similar builtins, where `name=( … )` is also a list.
    fn declaration(&mut self) -> WordNode {
        let start = self.at;
        let name = self.take_while(name_part).len();
        let operator = match (self.peek(), self.peek_at(1), self.peek_at(2)) {
            (Some(b'='), Some(b'('), _) => 1,
            (Some(b'+'), Some(b'='), Some(b'(')) => 2,
            _ => 0,
        };
        if name == 0 || operator == 0 {
            self.at = start;
            return self.word();
        }
        self.at += operator;
        let head = self.text[start..self.at].to_owned();
        let mut word = self.array();
        word.parts.insert(0, WordPart::Bare(head));
        word.span = self.span(start);
        word
    }
}
