//! Following constants through a program's text.

use super::strings::Piece;
use super::token::Token;
use super::{Action, Language, calls, environment, methods};
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
    /// Each of these in turn, as in a loop.
    Each(Vec<Value>),
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
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    pub(super) variables: Vec<(String, Value)>,
    pub(super) actions: Vec<Action>,
    pub(super) incomplete: bool,
    /// How deep this program stands inside others.
    pub(super) nesting: usize,
    depth: usize,
    work: usize,
    /// The text of the last statement, which a pipe may hand on.
    pub(super) last: Option<String>,
    /// Whether the text speaks of starting processes, so that `x.exec(…)` is that.
    pub(super) starts_processes: bool,
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
            last: None,
            starts_processes: tokens.iter().any(names_process_module),
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

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn sign(&self, sign: char) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    pub(super) fn sign_at(&self, ahead: usize, sign: char) -> bool {
        self.tokens.get(self.at + ahead) == Some(&Token::Sign(sign))
    }

    pub(super) fn eat(&mut self, sign: char) -> bool {
        let found = self.sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn name(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn set(&mut self, name: String, value: Value) {
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
                (Language::Awk, Some(Token::Sign('$')))
                | (Language::Python | Language::Awk, Some(Token::Text(_))) => {
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
            Value::Name(path) => environment::member(&format!("{path}.{name}")),
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
            (Value::Name(path), Some(Value::Text(key))) => {
                environment::member(&format!("{path}.{key}"))
            }
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
                    || self.language == Language::Ruby
                        && matches!(name.as_str(), "p" | "pp")
                        && matches!(self.peek(), Some(Token::Name(_)))
                {
                    let value = self.expression();
                    if matches!(name.as_str(), "print" | "puts" | "p" | "pp") {
                        environment::shown(self, &value);
                    }
                    return value;
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
            Token::Sign('[') => {
                self.bind_comprehension();
                Value::List(self.arguments(']').0)
            }
            Token::Sign('(') => {
                let (mut args, _) = self.arguments(')');
                if args.len() == 1 {
                    args.remove(0)
                } else {
                    Value::List(args)
                }
            }
            Token::Sign('$') if self.language == Language::Awk => {
                // A field of the line that is read.
                self.at += 2;
                Value::Unknown
            }
            Token::Sign('{') => self.fields(),
            _ => Value::Unknown,
        }
    }

    /// `[f(x) for x in y]` says last what `x` is.
    fn bind_comprehension(&mut self) {
        if self.language != Language::Python {
            return;
        }
        let mut depth = 0_usize;
        for (ahead, token) in self.tokens[self.at..].iter().enumerate().take(256) {
            match token {
                Token::Sign('[' | '(' | '{') => depth += 1,
                Token::Sign(']' | ')' | '}') if depth <= 1 => return,
                Token::Sign(']' | ')' | '}') => depth -= 1,
                Token::Name(name) if name == "for" && depth == 1 => {
                    let start = self.at;
                    let acted = self.actions.len();
                    self.at += ahead;
                    self.bind_loop();
                    self.actions.truncate(acted);
                    self.at = start;
                    return;
                }
                _ => {}
            }
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
    pub(super) fn resolve(&self, pieces: &[Piece]) -> String {
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
}

fn names_process_module(token: &Token) -> bool {
    let Token::Text(pieces) = token else {
        return false;
    };
    matches!(pieces.as_slice(), [Piece::Literal(text)] if text.ends_with("child_process"))
}

fn size(value: &Value) -> usize {
    match value {
        Value::Text(text)
        | Value::Path(text)
        | Value::Contents(text)
        | Value::Remote(text)
        | Value::Name(text) => text.len(),
        Value::List(values) | Value::Each(values) => {
            values.iter().map(|value| 16 + size(value)).sum()
        }
        Value::Fields(fields) => fields
            .iter()
            .map(|(name, value)| 16 + name.len() + size(value))
            .sum(),
        Value::Unknown => 1,
    }
}

/// Texts next to each other.
pub(super) fn add(left: &Value, right: &Value) -> Value {
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
