//! Constant propagation through a program's text.

use super::strings::StringPiece;
use super::token::CodeToken;
use super::{CodeAction, ScriptLanguage, calls, environment, methods};
use crate::command::UNKNOWN;

/// Maximum nesting depth of expressions.
const MAX_DEPTH: usize = 24;
/// Maximum length of a computed text.
const MAX_TEXT: usize = 1 << 14;
/// Maximum length of a computed list.
const MAX_LIST: usize = 512;
/// Maximum number of variables.
const MAX_VARIABLES: usize = 256;
/// Maximum number of bytes of values copied.
const MAX_WORK: usize = 1 << 22;
const MAX_ACTIONS: usize = 256;

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CodeValue {
    /// Text, with [`UNKNOWN`] for gaps.
    Text(String),
    List(Vec<CodeValue>),
    /// Each of these values in turn, as in a loop.
    Each(Vec<CodeValue>),
    /// A path object (`pathlib.Path`).
    Path(String),
    /// The contents of a file.
    Contents(String),
    /// Data downloaded from this address.
    Remote(String),
    /// `{ key: value }`
    Fields(Vec<(String, CodeValue)>),
    /// A name that is not a variable: a module or a function, including dots.
    Name(String),
    Unknown,
}

impl CodeValue {
    /// The value as text; unknown if it is not text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Path(text) => text.clone(),
            _ => UNKNOWN.to_string(),
        }
    }
}

pub(super) struct CodeEvaluator<'a> {
    pub(super) language: ScriptLanguage,
    pub(super) tokens: &'a [CodeToken],
    pub(super) at: usize,
    pub(super) variables: Vec<(String, CodeValue)>,
    pub(super) actions: Vec<CodeAction>,
    pub(super) incomplete: bool,
    /// Nesting depth of this program inside others.
    pub(super) nesting: usize,
    depth: usize,
    work: usize,
    /// The text of the last statement, which a pipe may pass on.
    pub(super) last: Option<String>,
    /// Whether the text mentions starting processes, so that `x.exec(…)` counts as starting one.
    pub(super) starts_processes: bool,
}

impl<'a> CodeEvaluator<'a> {
    pub(super) fn new(language: ScriptLanguage, tokens: &'a [CodeToken], nesting: usize) -> Self {
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

    pub(super) fn act(&mut self, action: CodeAction) {
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

    /// Counts work; skips the rest of the program if the limit is exceeded.
    fn charge(&mut self, bytes: usize) {
        self.work += bytes;
        if self.work > MAX_WORK {
            self.incomplete = true;
            self.at = self.tokens.len();
        }
    }

    pub(super) fn peek(&self) -> Option<&'a CodeToken> {
        self.tokens.get(self.at)
    }

    pub(super) fn sign(&self, sign: char) -> bool {
        self.peek() == Some(&CodeToken::Sign(sign))
    }

    pub(super) fn sign_at(&self, ahead: usize, sign: char) -> bool {
        self.tokens.get(self.at + ahead) == Some(&CodeToken::Sign(sign))
    }

    pub(super) fn eat(&mut self, sign: char) -> bool {
        let found = self.sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn name(&self) -> Option<&'a str> {
        match self.peek() {
            Some(CodeToken::Name(name)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn set(&mut self, name: String, value: CodeValue) {
        self.variables.retain(|(known, _)| *known != name);
        if self.variables.len() >= MAX_VARIABLES {
            self.variables.remove(0);
            self.incomplete = true;
        }
        self.variables.push((name, value));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&CodeValue> {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Evaluates an expression, as far as texts are concerned.
    pub(super) fn expression(&mut self) -> CodeValue {
        if self.depth >= MAX_DEPTH {
            self.incomplete = true;
            self.at += 1;
            return CodeValue::Unknown;
        }
        self.depth += 1;
        let mut value = self.postfix();
        loop {
            let more = match (self.language, self.peek()) {
                (ScriptLanguage::Awk, Some(CodeToken::Sign('$')))
                | (ScriptLanguage::Python | ScriptLanguage::Awk, Some(CodeToken::Text(_))) => {
                    matches!(value, CodeValue::Text(_))
                }
                (ScriptLanguage::Lua, Some(CodeToken::Sign('.'))) if self.sign_at(1, '.') => {
                    self.advance(2)
                }
                (ScriptLanguage::Perl | ScriptLanguage::Php, Some(CodeToken::Sign('.')))
                | (ScriptLanguage::AppleScript, Some(CodeToken::Sign('&'))) => self.advance(1),
                (_, Some(CodeToken::Sign('+')))
                    if !self.sign_at(1, '=') && !self.sign_at(1, '+') =>
                {
                    self.advance(1)
                }
                (ScriptLanguage::Python, Some(CodeToken::Sign('/')))
                    if matches!(value, CodeValue::Path(_)) =>
                {
                    self.at += 1;
                    let part = self.postfix();
                    value = CodeValue::Path(format!("{}/{}", value.text(), part.text()));
                    continue;
                }
                (ScriptLanguage::Python, Some(CodeToken::Sign('%'))) => {
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

    /// Evaluates a value with its members, calls and indices.
    fn postfix(&mut self) -> CodeValue {
        let mut value = self.primary();
        loop {
            let member = match self.peek() {
                Some(CodeToken::Sign('.'))
                    if matches!(self.tokens.get(self.at + 1), Some(CodeToken::Name(_))) =>
                {
                    1
                }
                Some(CodeToken::Sign('?')) if self.sign_at(1, '.') => 2,
                Some(CodeToken::Sign('-')) if self.sign_at(1, '>') => 2,
                Some(CodeToken::Sign(':')) if self.sign_at(1, ':') => 2,
                Some(CodeToken::Sign('(')) => {
                    let (args, named) = self.arguments(')');
                    value = calls::call(self, &value, &args, &named);
                    continue;
                }
                Some(CodeToken::Text(pieces))
                    if self.language == ScriptLanguage::JavaScript
                        && matches!(value, CodeValue::Name(_)) =>
                {
                    let text = self.resolve(pieces);
                    self.at += 1;
                    value = calls::call(self, &value, &[CodeValue::Text(text)], &[]);
                    continue;
                }
                Some(CodeToken::Sign('[')) if !matches!(value, CodeValue::Unknown) => {
                    value = self.index(&value);
                    continue;
                }
                _ => 0,
            };
            let name = match self.tokens.get(self.at + member) {
                Some(CodeToken::Name(name)) if member > 0 => name.clone(),
                _ => break,
            };
            // In Perl and PHP a dot concatenates texts.
            let joins = matches!(self.language, ScriptLanguage::Perl | ScriptLanguage::Php)
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

    fn member(&mut self, value: &CodeValue, name: &str) -> CodeValue {
        match value {
            CodeValue::Name(path) => environment::member(&format!("{path}.{name}")),
            CodeValue::Unknown => {
                // A method call on an unknown value still counts as that call.
                CodeValue::Name(format!("?.{name}"))
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
    fn index(&mut self, value: &CodeValue) -> CodeValue {
        let reversed = self.sign_at(1, ':') && self.sign_at(2, ':') && self.sign_at(3, '-');
        let (args, _) = self.arguments(']');
        match (value, args.first()) {
            (CodeValue::Text(text), _) if reversed => CodeValue::Text(text.chars().rev().collect()),
            (CodeValue::Name(path), Some(CodeValue::Text(key))) => {
                environment::member(&format!("{path}.{key}"))
            }
            (CodeValue::List(values), Some(CodeValue::Text(at))) => at
                .parse::<usize>()
                .ok()
                .and_then(|at| values.get(at).cloned())
                .unwrap_or(CodeValue::Unknown),
            (CodeValue::Fields(fields), Some(CodeValue::Text(key))) => fields
                .iter()
                .find(|(name, _)| name == key)
                .map_or(CodeValue::Unknown, |(_, value)| value.clone()),
            _ => CodeValue::Unknown,
        }
    }

    /// `system "…"`, `unlink "a", "b"`: calls without parentheses.
    fn bare_call(&mut self, value: CodeValue) -> CodeValue {
        let CodeValue::Name(_) = &value else {
            return value;
        };
        let allowed = matches!(
            self.language,
            ScriptLanguage::Perl | ScriptLanguage::Ruby | ScriptLanguage::Php | ScriptLanguage::Lua
        );
        let argument = matches!(self.peek(), Some(CodeToken::Text(_) | CodeToken::Words(_)))
            || matches!(self.peek(), Some(CodeToken::Name(name)) if name.starts_with(['$', '@']));
        let acts = matches!(&value, CodeValue::Name(name) if matches!(name.rsplit('.').next().unwrap_or_default(), "rm_rf" | "rm_r" | "rm_f" | "unlink" | "system" | "exec" | "rmdir" | "rmtree" | "remove_tree"))
            && matches!(self.peek(), Some(CodeToken::Name(name)) if !matches!(name.as_str(), "if" | "unless" | "or" | "and" | "for" | "foreach"));
        if !allowed || !(argument || acts) {
            return value;
        }
        let mut args = vec![self.expression()];
        while self.eat(',') {
            args.push(self.expression());
        }
        calls::call(self, &value, &args, &[])
    }

    /// Parses arguments up to the closing bracket; returns positional and named ones.
    fn arguments(&mut self, close: char) -> (Vec<CodeValue>, Vec<(String, CodeValue)>) {
        let mut args = Vec::new();
        let mut named = Vec::new();
        self.at += 1;
        while let Some(token) = self.peek() {
            match token {
                CodeToken::Sign(sign) if *sign == close => {
                    self.at += 1;
                    break;
                }
                CodeToken::Sign(',') | CodeToken::Line => self.at += 1,
                CodeToken::Name(name)
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

    fn primary(&mut self) -> CodeValue {
        let Some(token) = self.peek() else {
            return CodeValue::Unknown;
        };
        match token {
            CodeToken::Text(pieces) => {
                self.at += 1;
                let text = self.resolve(pieces);
                self.charge(text.len());
                CodeValue::Text(text)
            }
            CodeToken::Shell(pieces) => {
                self.at += 1;
                let text = self.resolve(pieces);
                self.act(CodeAction::Shell(text));
                CodeValue::Unknown
            }
            CodeToken::Words(words) => {
                self.at += 1;
                CodeValue::List(
                    words
                        .iter()
                        .map(|word| CodeValue::Text(word.clone()))
                        .collect(),
                )
            }
            CodeToken::Number(number) => {
                self.at += 1;
                CodeValue::Text(number.clone())
            }
            CodeToken::Name(name) => {
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
                    || self.language == ScriptLanguage::Ruby
                        && matches!(name.as_str(), "p" | "pp")
                        && matches!(self.peek(), Some(CodeToken::Name(_)))
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
                        self.charge(size(&value));
                        value
                    }
                    None if name.starts_with(['$', '@']) && name.len() > 1 => CodeValue::Unknown,
                    None => CodeValue::Name(name.clone()),
                }
            }
            CodeToken::Sign('[') => {
                self.bind_comprehension();
                CodeValue::List(self.arguments(']').0)
            }
            CodeToken::Sign('(') => {
                let (mut args, _) = self.arguments(')');
                if args.len() == 1 {
                    args.remove(0)
                } else {
                    CodeValue::List(args)
                }
            }
            CodeToken::Sign('$') if self.language == ScriptLanguage::Awk => {
                // A field of the input line.
                self.at += 2;
                CodeValue::Unknown
            }
            CodeToken::Sign('{') => self.fields(),
            _ => CodeValue::Unknown,
        }
    }

    /// Binds the variable of `[f(x) for x in y]`, which follows its use.
    fn bind_comprehension(&mut self) {
        if self.language != ScriptLanguage::Python {
            return;
        }
        let mut depth = 0_usize;
        for (ahead, token) in self.tokens[self.at..].iter().enumerate().take(256) {
            match token {
                CodeToken::Sign('[' | '(' | '{') => depth += 1,
                CodeToken::Sign(']' | ')' | '}') if depth <= 1 => return,
                CodeToken::Sign(']' | ')' | '}') => depth -= 1,
                CodeToken::Name(name) if name == "for" && depth == 1 => {
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

    /// `{ key: value }`, or a block, whose statements are evaluated like any others.
    fn fields(&mut self) -> CodeValue {
        let key = match self.tokens.get(self.at + 1) {
            Some(CodeToken::Name(_) | CodeToken::Text(_)) => {
                self.sign_at(2, ':') || (self.sign_at(2, '=') && self.sign_at(3, '>'))
            }
            _ => false,
        };
        if !key {
            self.at += 1;
            return CodeValue::Unknown;
        }
        self.at += 1;
        let mut fields = Vec::new();
        while let Some(token) = self.peek() {
            let name = match token {
                CodeToken::Sign('}') => {
                    self.at += 1;
                    break;
                }
                CodeToken::Name(name) => name.clone(),
                CodeToken::Text(pieces) => self.resolve(pieces),
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
        CodeValue::Fields(fields)
    }

    /// A string with its gaps filled in as far as they are known.
    pub(super) fn resolve(&self, pieces: &[StringPiece]) -> String {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                StringPiece::Literal(literal) => text.push_str(literal),
                StringPiece::Gap(name) => match self.variable(name) {
                    Some(CodeValue::Text(value)) => text.push_str(value),
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

fn names_process_module(token: &CodeToken) -> bool {
    let CodeToken::Text(pieces) = token else {
        return false;
    };
    matches!(pieces.as_slice(), [StringPiece::Literal(text)] if text.ends_with("child_process"))
}

fn size(value: &CodeValue) -> usize {
    match value {
        CodeValue::Text(text)
        | CodeValue::Path(text)
        | CodeValue::Contents(text)
        | CodeValue::Remote(text)
        | CodeValue::Name(text) => text.len(),
        CodeValue::List(values) | CodeValue::Each(values) => {
            values.iter().map(|value| 16 + size(value)).sum()
        }
        CodeValue::Fields(fields) => fields
            .iter()
            .map(|(name, value)| 16 + name.len() + size(value))
            .sum(),
        CodeValue::Unknown => 1,
    }
}

/// Concatenates texts.
pub(super) fn add(left: &CodeValue, right: &CodeValue) -> CodeValue {
    match (left, right) {
        (CodeValue::List(left), CodeValue::List(right)) if left.len() + right.len() > MAX_LIST => {
            CodeValue::Unknown
        }
        (CodeValue::List(left), CodeValue::List(right)) => {
            CodeValue::List(left.iter().chain(right).cloned().collect())
        }
        (CodeValue::Remote(url), _) | (_, CodeValue::Remote(url)) => CodeValue::Remote(url.clone()),
        (CodeValue::Contents(path), _) | (_, CodeValue::Contents(path)) => {
            CodeValue::Contents(path.clone())
        }
        (left, right) => {
            let text = left.text() + &right.text();
            if text.len() > MAX_TEXT {
                CodeValue::Unknown
            } else {
                CodeValue::Text(text)
            }
        }
    }
}

/// Normalizes a module name: `node:fs/promises` becomes `fs.promises`.
pub(super) fn module_name(module: &str) -> String {
    module.trim_start_matches("node:").replace('/', ".")
}
