//! Following constants through a program's text.

use super::strings::Piece;
use super::token::Token;
use super::{Action, Language, calls, methods};
use crate::command::UNKNOWN;

/// How deep expressions may stand inside each other.
const MAX_DEPTH: usize = 24;
/// Texts that are put together are not longer than this.
const MAX_TEXT: usize = 1 << 14;
/// Lists that are put together are not longer than this.
const MAX_LIST: usize = 512;
/// More variables than this are not kept apart.
const MAX_VARIABLES: usize = 256;
/// How many bytes of values may be handed around.
const MAX_WORK: usize = 1 << 22;
const MAX_ACTIONS: usize = 256;

/// What an expression is worth.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Text, with [`UNKNOWN`] for gaps.
    Text(String),
    List(Vec<Value>),
    /// A path object (`pathlib.Path`).
    Path(String),
    /// The contents of a file.
    Contents(String),
    /// What was downloaded from there.
    Remote(String),
    /// `{ key: value }`
    Fields(Vec<(String, Value)>),
    /// A name that is not a variable here: a module, a function, dots included.
    Name(String),
    Unknown,
}

impl Value {
    /// As text, unknown where it is not.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Path(text) => text.clone(),
            _ => UNKNOWN.to_string(),
        }
    }
}

pub(super) struct Eval<'a> {
    pub(super) language: Language,
    tokens: &'a [Token],
    at: usize,
    pub(super) variables: Vec<(String, Value)>,
    pub(super) actions: Vec<Action>,
    pub(super) incomplete: bool,
    /// How deep this program stands inside others.
    pub(super) nesting: usize,
    depth: usize,
    work: usize,
}

impl<'a> Eval<'a> {
    pub(super) fn new(language: Language, tokens: &'a [Token], nesting: usize) -> Self {
        Self {
            language,
            tokens,
            at: 0,
            variables: Vec::new(),
            actions: Vec::new(),
            incomplete: false,
            nesting,
            depth: 0,
            work: 0,
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        if self.actions.len() < MAX_ACTIONS {
            self.actions.push(action);
        } else {
            self.incomplete = true;
        }
    }

    pub(super) fn program(&mut self) {
        while self.at < self.tokens.len() {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.at += 1;
            }
        }
    }

    /// Counts work; when it is too much, the rest is left out.
    fn worked(&mut self, bytes: usize) {
        self.work += bytes;
        if self.work > MAX_WORK {
            self.incomplete = true;
            self.at = self.tokens.len();
        }
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn sign(&self, sign: char) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    fn sign_at(&self, ahead: usize, sign: char) -> bool {
        self.tokens.get(self.at + ahead) == Some(&Token::Sign(sign))
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.sign(sign);
        self.at += usize::from(found);
        found
    }

    fn name(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn statement(&mut self) {
        if self.imports() || self.assignment() {
            return;
        }
        if self.language == Language::Awk && self.awk() {
            return;
        }
        if self.language == Language::Tcl && self.tcl() {
            return;
        }
        if self.language == Language::AppleScript && self.name() == Some("do") {
            self.apple_script();
            return;
        }
        self.expression();
    }

    /// `import os as o`, `from os import system as s`, `const { exec } = require("child_process")`.
    fn imports(&mut self) -> bool {
        match (self.language, self.name()) {
            (Language::Python, Some("import")) => {
                self.at += 1;
                while let Some(module) = self.dotted() {
                    let alias = self.alias().unwrap_or_else(|| module.clone());
                    self.set(alias, Value::Name(module));
                    if !self.eat(',') {
                        break;
                    }
                }
                true
            }
            (Language::Python, Some("from")) => {
                self.at += 1;
                let module = self.dotted().unwrap_or_default();
                self.at += usize::from(self.name() == Some("import"));
                self.eat('(');
                while let Some(name) = self.name() {
                    self.at += 1;
                    let alias = self.alias().unwrap_or_else(|| name.to_owned());
                    self.set(alias, Value::Name(format!("{module}.{name}")));
                    if !self.eat(',') {
                        break;
                    }
                }
                true
            }
            (Language::JavaScript, Some("const" | "let" | "var" | "import")) => {
                self.destructuring()
            }
            _ => false,
        }
    }

    fn dotted(&mut self) -> Option<String> {
        let mut name = self.name()?.to_owned();
        self.at += 1;
        while self.sign('.') {
            self.at += 1;
            if let Some(part) = self.name() {
                name.push('.');
                name.push_str(part);
                self.at += 1;
            }
        }
        Some(name)
    }

    fn alias(&mut self) -> Option<String> {
        if self.name() != Some("as") {
            return None;
        }
        self.at += 1;
        let alias = self.name()?.to_owned();
        self.at += 1;
        Some(alias)
    }

    /// `const {a, b: c} = require("m")`, `import {a as b} from "m"`, `import m from "m"`.
    fn destructuring(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        let mut names: Vec<(String, String)> = Vec::new();
        let mut whole = None;
        if self.eat('{') {
            while let Some(name) = self.name() {
                self.at += 1;
                let renamed = self.alias().or_else(|| {
                    self.eat(':')
                        .then(|| self.name().map(str::to_owned))
                        .flatten()
                        .inspect(|_| self.at += 1)
                });
                names.push((name.to_owned(), renamed.unwrap_or_else(|| name.to_owned())));
                if !self.eat(',') {
                    break;
                }
            }
            self.eat('}');
        } else {
            if self.eat('*') {
                self.at += usize::from(self.name() == Some("as"));
            }
            whole = self.name().map(str::to_owned);
            self.at += usize::from(whole.is_some());
        }
        let from = self.name() == Some("from");
        if !from && (names.is_empty() || !self.sign('=')) {
            self.at = start + 1;
            return self.assignment();
        }
        self.at += 1;
        let module = match self.expression() {
            Value::Text(module) if from => module_name(&module),
            Value::Name(module) => module,
            _ => return true,
        };
        if let Some(name) = whole {
            self.set(name, Value::Name(module.clone()));
        }
        for (name, alias) in names {
            self.set(alias, Value::Name(format!("{module}.{name}")));
        }
        true
    }

    /// `x = …`, `x += …`
    fn assignment(&mut self) -> bool {
        let mut start = self.at;
        while let Some(Token::Name(name)) = self.tokens.get(start) {
            if !matches!(
                name.as_str(),
                "my" | "our" | "local" | "const" | "let" | "var" | "set"
            ) {
                break;
            }
            start += 1;
        }
        let Some(Token::Name(name)) = self.tokens.get(start) else {
            return false;
        };
        let sign =
            |ahead: usize, sign: char| self.tokens.get(start + ahead) == Some(&Token::Sign(sign));
        let append = (sign(1, '+') || sign(1, '.')) && sign(2, '=');
        let plain = sign(1, '=') && !sign(2, '=') && !sign(2, '~') && !sign(2, '>');
        if !append && !plain {
            return false;
        }
        self.at = start + 2 + usize::from(append);
        let mut value = self.expression();
        if append {
            let old = self.variable(name).cloned().unwrap_or(Value::Unknown);
            value = add(&old, &value);
        }
        self.set(name.clone(), value);
        true
    }

    fn set(&mut self, name: String, value: Value) {
        self.variables.retain(|(known, _)| *known != name);
        if self.variables.len() >= MAX_VARIABLES {
            self.variables.remove(0);
            self.incomplete = true;
        }
        self.variables.push((name, value));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// An expression, as far as texts go.
    pub(super) fn expression(&mut self) -> Value {
        if self.depth >= MAX_DEPTH {
            self.incomplete = true;
            self.at += 1;
            return Value::Unknown;
        }
        self.depth += 1;
        let mut value = self.postfix();
        loop {
            let more = match (self.language, self.peek()) {
                (Language::Python | Language::Awk, Some(Token::Text(_))) => {
                    matches!(value, Value::Text(_))
                }
                (Language::Lua, Some(Token::Sign('.'))) if self.sign_at(1, '.') => self.advance(2),
                (Language::Perl | Language::Php, Some(Token::Sign('.')))
                | (Language::AppleScript, Some(Token::Sign('&'))) => self.advance(1),
                (_, Some(Token::Sign('+'))) if !self.sign_at(1, '=') && !self.sign_at(1, '+') => {
                    self.advance(1)
                }
                (Language::Python, Some(Token::Sign('/'))) if matches!(value, Value::Path(_)) => {
                    self.at += 1;
                    let part = self.postfix();
                    value = Value::Path(format!("{}/{}", value.text(), part.text()));
                    continue;
                }
                (Language::Python, Some(Token::Sign('%'))) => {
                    self.at += 1;
                    let values = self.postfix();
                    value = methods::percent(&value, &values);
                    continue;
                }
                _ => false,
            };
            if !more {
                break;
            }
            let right = self.postfix();
            value = add(&value, &right);
        }
        self.depth -= 1;
        value
    }

    fn advance(&mut self, count: usize) -> bool {
        self.at += count;
        true
    }

    /// A value and what is done with it: members, calls, indices.
    fn postfix(&mut self) -> Value {
        let mut value = self.primary();
        loop {
            let member = match self.peek() {
                Some(Token::Sign('.'))
                    if matches!(self.tokens.get(self.at + 1), Some(Token::Name(_))) =>
                {
                    1
                }
                Some(Token::Sign('?')) if self.sign_at(1, '.') => 2,
                Some(Token::Sign('-')) if self.sign_at(1, '>') => 2,
                Some(Token::Sign(':')) if self.sign_at(1, ':') => 2,
                Some(Token::Sign('(')) => {
                    let (args, named) = self.arguments(')');
                    value = calls::call(self, &value, &args, &named);
                    continue;
                }
                Some(Token::Text(pieces))
                    if self.language == Language::JavaScript && matches!(value, Value::Name(_)) =>
                {
                    let text = self.resolve(pieces);
                    self.at += 1;
                    value = calls::call(self, &value, &[Value::Text(text)], &[]);
                    continue;
                }
                Some(Token::Sign('[')) if !matches!(value, Value::Unknown) => {
                    value = self.index(&value);
                    continue;
                }
                _ => 0,
            };
            let name = match self.tokens.get(self.at + member) {
                Some(Token::Name(name)) if member > 0 => name.clone(),
                _ => break,
            };
            // In Perl and PHP a dot joins texts.
            let joins = matches!(self.language, Language::Perl | Language::Php)
                && member == 1
                && self.sign('.');
            if joins {
                break;
            }
            self.at += member + 1;
            value = self.member(&value, &name);
        }
        self.bare_call(value)
    }

    fn member(&mut self, value: &Value, name: &str) -> Value {
        match value {
            Value::Name(path) => Value::Name(format!("{path}.{name}")),
            Value::Unknown => {
                // A call on something unknown still is that call.
                Value::Name(format!("?.{name}"))
            }
            known => {
                let has_arguments = self.sign('(');
                let (args, _) = if has_arguments {
                    self.arguments(')')
                } else {
                    (Vec::new(), Vec::new())
                };
                methods::method(self, known, name, &args)
            }
        }
    }

    /// `x['system']`, `x[::-1]`
    fn index(&mut self, value: &Value) -> Value {
        let reversed = self.sign_at(1, ':') && self.sign_at(2, ':') && self.sign_at(3, '-');
        let (args, _) = self.arguments(']');
        match (value, args.first()) {
            (Value::Text(text), _) if reversed => Value::Text(text.chars().rev().collect()),
            (Value::Name(path), Some(Value::Text(key))) => Value::Name(format!("{path}.{key}")),
            (Value::List(values), Some(Value::Text(at))) => at
                .parse::<usize>()
                .ok()
                .and_then(|at| values.get(at).cloned())
                .unwrap_or(Value::Unknown),
            (Value::Fields(fields), Some(Value::Text(key))) => fields
                .iter()
                .find(|(name, _)| name == key)
                .map_or(Value::Unknown, |(_, value)| value.clone()),
            _ => Value::Unknown,
        }
    }

    /// `system "…"`, `unlink "a", "b"`: calls without parentheses.
    fn bare_call(&mut self, value: Value) -> Value {
        let Value::Name(_) = &value else {
            return value;
        };
        let allowed = matches!(
            self.language,
            Language::Perl | Language::Ruby | Language::Php | Language::Lua
        );
        let argument = matches!(self.peek(), Some(Token::Text(_) | Token::Words(_)))
            || matches!(self.peek(), Some(Token::Name(name)) if name.starts_with(['$', '@']));
        let acts = matches!(&value, Value::Name(name) if matches!(name.rsplit('.').next().unwrap_or_default(), "rm_rf" | "rm_r" | "rm_f" | "unlink" | "system" | "exec" | "rmdir" | "rmtree" | "remove_tree"))
            && matches!(self.peek(), Some(Token::Name(name)) if !matches!(name.as_str(), "if" | "unless" | "or" | "and" | "for" | "foreach"));
        if !allowed || !(argument || acts) {
            return value;
        }
        let mut args = vec![self.expression()];
        while self.eat(',') {
            args.push(self.expression());
        }
        calls::call(self, &value, &args, &[])
    }

    /// Arguments up to the closing bracket, named ones apart.
    fn arguments(&mut self, close: char) -> (Vec<Value>, Vec<(String, Value)>) {
        let mut args = Vec::new();
        let mut named = Vec::new();
        self.at += 1;
        while let Some(token) = self.peek() {
            match token {
                Token::Sign(sign) if *sign == close => {
                    self.at += 1;
                    break;
                }
                Token::Sign(',') | Token::Line => self.at += 1,
                Token::Name(name)
                    if (self.sign_at(1, '=') && !self.sign_at(2, '=') && !self.sign_at(2, '>'))
                        || (self.sign_at(1, ':') && !self.sign_at(2, ':')) =>
                {
                    let name = name.clone();
                    self.at += 2;
                    let value = self.expression();
                    named.push((name, value));
                }
                _ => {
                    let before = self.at;
                    args.push(self.expression());
                    if self.at == before {
                        self.at += 1;
                        args.pop();
                    }
                }
            }
        }
        (args, named)
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.peek() else {
            return Value::Unknown;
        };
        match token {
            Token::Text(pieces) => {
                self.at += 1;
                let text = self.resolve(pieces);
                self.worked(text.len());
                Value::Text(text)
            }
            Token::Shell(pieces) => {
                self.at += 1;
                let text = self.resolve(pieces);
                self.act(Action::Shell(text));
                Value::Unknown
            }
            Token::Words(words) => {
                self.at += 1;
                Value::List(words.iter().map(|word| Value::Text(word.clone())).collect())
            }
            Token::Number(number) => {
                self.at += 1;
                Value::Text(number.clone())
            }
            Token::Name(name) => {
                self.at += 1;
                if matches!(
                    name.as_str(),
                    "new"
                        | "await"
                        | "my"
                        | "our"
                        | "return"
                        | "print"
                        | "yield"
                        | "not"
                        | "else"
                        | "then"
                        | "do"
                        | "puts"
                        | "if"
                        | "in"
                ) && !self.sign('(')
                {
                    return self.expression();
                }
                match self.variable(name) {
                    Some(value) => {
                        let value = value.clone();
                        self.worked(size(&value));
                        value
                    }
                    None if name.starts_with(['$', '@']) && name.len() > 1 => Value::Unknown,
                    None => Value::Name(name.clone()),
                }
            }
            Token::Sign('[') => Value::List(self.arguments(']').0),
            Token::Sign('(') => {
                let (mut args, _) = self.arguments(')');
                if args.len() == 1 {
                    args.remove(0)
                } else {
                    Value::List(args)
                }
            }
            Token::Sign('{') => self.fields(),
            _ => Value::Unknown,
        }
    }

    /// `{ key: value }` or a block, whose statements are read like any others.
    fn fields(&mut self) -> Value {
        let key = match self.tokens.get(self.at + 1) {
            Some(Token::Name(_) | Token::Text(_)) => {
                self.sign_at(2, ':') || (self.sign_at(2, '=') && self.sign_at(3, '>'))
            }
            _ => false,
        };
        if !key {
            self.at += 1;
            return Value::Unknown;
        }
        self.at += 1;
        let mut fields = Vec::new();
        while let Some(token) = self.peek() {
            let name = match token {
                Token::Sign('}') => {
                    self.at += 1;
                    break;
                }
                Token::Name(name) => name.clone(),
                Token::Text(pieces) => self.resolve(pieces),
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            self.at += 1;
            if self.eat(':') || (self.eat('=') && self.eat('>')) {
                let before = self.at;
                let value = self.expression();
                if self.at == before {
                    self.at += 1;
                }
                fields.push((name, value));
            }
        }
        Value::Fields(fields)
    }

    /// A string with its gaps filled as far as they are known.
    fn resolve(&self, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Gap(name) => match self.variable(name) {
                    Some(Value::Text(value)) => text.push_str(value),
                    _ => text.push(UNKNOWN),
                },
            }
            if text.len() > MAX_TEXT * 4 {
                break;
            }
        }
        text
    }

    /// awk's `print | "cmd"`, `"cmd" | getline`, `print > "file"`.
    fn awk(&mut self) -> bool {
        match self.peek() {
            Some(Token::Sign('|')) => {
                self.at += 1;
                self.eat('&');
                if let Some(Token::Text(pieces)) = self.peek() {
                    let text = self.resolve(pieces);
                    self.at += 1;
                    self.act(Action::Shell(text));
                }
                true
            }
            Some(Token::Text(pieces))
                if self.sign_at(1, '|')
                    && matches!(self.tokens.get(self.at + 2), Some(Token::Name(name)) if name == "getline") =>
            {
                let text = self.resolve(pieces);
                self.at += 3;
                self.act(Action::Shell(text));
                true
            }
            Some(Token::Sign('>')) => {
                self.at += 1;
                let append = self.eat('>');
                if let Some(Token::Text(pieces)) = self.peek() {
                    let path = self.resolve(pieces);
                    self.at += 1;
                    self.act(Action::Write { path, append });
                }
                true
            }
            _ => false,
        }
    }

    /// Tcl's `exec word word …`.
    fn tcl(&mut self) -> bool {
        if self.name() != Some("exec") {
            return false;
        }
        self.at += 1;
        let mut line = String::new();
        while let Some(token) = self.peek() {
            match token {
                Token::Line | Token::Sign(';' | ']' | '}') => break,
                Token::Name(text) | Token::Number(text) => {
                    let glued = line.ends_with(['-', '/', '.', '$', '~', '_']);
                    if !glued && !line.is_empty() {
                        line.push(' ');
                    }
                    line.push_str(text);
                }
                Token::Text(pieces) => {
                    line.push(' ');
                    line.push_str(&self.resolve(pieces));
                }
                Token::Sign(sign) => {
                    if matches!(sign, '-' | '/' | '~') && !line.ends_with(['-', '/']) {
                        line.push(' ');
                    }
                    line.push(*sign);
                }
                _ => {}
            }
            self.at += 1;
        }
        self.act(Action::Shell(line));
        true
    }

    /// `do shell script "…"`
    fn apple_script(&mut self) {
        self.at += 1;
        let shell = self.name() == Some("shell")
            && matches!(self.tokens.get(self.at + 1), Some(Token::Name(name)) if name == "script");
        if !shell {
            return;
        }
        self.at += 2;
        let text = self.expression().text();
        self.act(Action::Shell(text));
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Text(text)
        | Value::Path(text)
        | Value::Contents(text)
        | Value::Remote(text)
        | Value::Name(text) => text.len(),
        Value::List(values) => values.iter().map(|value| 16 + size(value)).sum(),
        Value::Fields(fields) => fields
            .iter()
            .map(|(name, value)| 16 + name.len() + size(value))
            .sum(),
        Value::Unknown => 1,
    }
}

/// Texts next to each other.
fn add(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::List(left), Value::List(right)) if left.len() + right.len() > MAX_LIST => {
            Value::Unknown
        }
        (Value::List(left), Value::List(right)) => {
            Value::List(left.iter().chain(right).cloned().collect())
        }
        (Value::Remote(url), _) | (_, Value::Remote(url)) => Value::Remote(url.clone()),
        (Value::Contents(path), _) | (_, Value::Contents(path)) => Value::Contents(path.clone()),
        (left, right) => {
            let text = left.text() + &right.text();
            if text.len() > MAX_TEXT {
                Value::Unknown
            } else {
                Value::Text(text)
            }
        }
    }
}

/// `node:fs/promises` is `fs.promises`.
pub(super) fn module_name(module: &str) -> String {
    module.trim_start_matches("node:").replace('/', ".")
}
