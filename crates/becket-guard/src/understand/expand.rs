//! Words: tilde, parameters, substitutions, braces, splitting.

use super::fields::{Fields, MAX_WORD};
use super::parameter::Expanded;
use super::path::absolute;
use super::scope::{Scope, Value};
use super::{Output, Walker, Written, brace};
use crate::command::{DoubtKind, Span, UNKNOWN, Word};
use crate::shell::ast::{self, List, Part};

/// How parts are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Unquoted expansions fall apart.
    Split,
    /// They stay whole: assignments, `case`, redirections.
    Whole,
    /// Inside double quotes.
    Quoted,
}

impl Walker<'_> {
    pub(super) fn words(&mut self, words: &[ast::Word], scope: &mut Scope) -> Vec<Word> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            self.word(word, scope, &mut expanded);
        }
        expanded
    }

    fn word(&mut self, word: &ast::Word, scope: &mut Scope, expanded: &mut Vec<Word>) {
        if !self.charge(0, word.span) {
            return;
        }
        match brace::expand(&word.parts) {
            None => self.fields(&word.parts, word.span, scope, expanded),
            Some(Ok(variants)) => {
                self.charge(64 * variants.len(), word.span);
                for parts in variants {
                    self.fields(&parts, word.span, scope, expanded);
                }
            }
            Some(Err(())) => {
                self.doubt(DoubtKind::Bounds, "braces make too many words", word.span);
                expanded.push(Word {
                    span: word.span,
                    ..Word::literal(UNKNOWN)
                });
            }
        }
    }

    fn fields(&mut self, parts: &[Part], span: Span, scope: &mut Scope, expanded: &mut Vec<Word>) {
        if let [Part::Bare(text)] = parts {
            // Most words are plain.
            if !text.starts_with('~') && text.len() < MAX_WORD {
                let mut fields = Fields::new(span);
                fields.bare(text);
                expanded.append(&mut fields.finish());
                return;
            }
        }
        let mut fields = Fields::new(span);
        self.parts(parts, Mode::Split, span, scope, &mut fields);
        for word in fields.finish() {
            self.charge(word.text.len(), span);
            expanded.push(word);
        }
    }

    /// A word that stays one word.
    pub(super) fn one_word(&mut self, word: &ast::Word, scope: &mut Scope) -> Word {
        let mut fields = Fields::new(word.span);
        self.parts(&word.parts, Mode::Whole, word.span, scope, &mut fields);
        let word = fields.finish_one();
        self.charge(word.text.len(), word.span);
        word
    }

    /// Parts that stay one value.
    pub(super) fn one_value(&mut self, parts: &[Part], span: Span, scope: &mut Scope) -> Value {
        let mut fields = Fields::new(span);
        self.parts(parts, Mode::Whole, span, scope, &mut fields);
        let word = fields.finish_one();
        self.charge(word.text.len(), span);
        Value::new(word.text, word.from)
    }

    /// The text of a heredoc or of double quotes.
    pub(super) fn quoted_value(&mut self, parts: &[Part], span: Span, scope: &mut Scope) -> Value {
        let mut fields = Fields::new(span);
        self.parts(parts, Mode::Quoted, span, scope, &mut fields);
        let word = fields.finish_one();
        self.charge(word.text.len(), span);
        Value::new(word.text, word.from)
    }

    fn parts(
        &mut self,
        parts: &[Part],
        mode: Mode,
        span: Span,
        scope: &mut Scope,
        fields: &mut Fields,
    ) {
        self.each_part(parts, mode, span, scope, fields);
        if fields.is_cut() {
            let what = "a word is too long to be followed";
            self.doubt(DoubtKind::Bounds, what, span);
        }
    }

    fn each_part(
        &mut self,
        parts: &[Part],
        mode: Mode,
        span: Span,
        scope: &mut Scope,
        fields: &mut Fields,
    ) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Bare(text) if mode == Mode::Quoted => fields.quoted(text),
                Part::Bare(text) if at == 0 && text.starts_with('~') => {
                    let alone = parts.len() == 1;
                    self.tilde(text, alone, scope, fields);
                }
                Part::Bare(text) => fields.bare(text),
                Part::Quoted(text) => fields.quoted(text),
                Part::Double(inner) => {
                    // `"$@"` without arguments is no word at all.
                    let only_arguments = matches!(inner.as_slice(), [Part::Parameter(parameter)] if parameter.name == "@");
                    if !only_arguments {
                        fields.quoted("");
                    }
                    self.parts(inner, Mode::Quoted, span, scope, fields);
                }
                Part::Parameter(parameter) => {
                    let expanded = self.parameter(parameter, mode == Mode::Quoted, span, scope);
                    place(expanded, mode, scope, fields);
                }
                Part::Command(list) => {
                    let value = self.substitute(list, span, scope);
                    place(Expanded::One(value), mode, scope, fields);
                }
                Part::Process { list, input } => self.process(list, *input, span, scope, fields),
                Part::Arithmetic(inner) => {
                    let value = self.one_value(inner, span, scope);
                    let number = arithmetic(&value.text)
                        .map_or_else(|| UNKNOWN.to_string(), |number| number.to_string());
                    fields.value(&Value::new(number, value.from));
                }
                Part::Array(words) => {
                    for word in self.words(words, scope) {
                        fields.next_field();
                        fields.value(&Value::new(word.text, word.from));
                    }
                }
            }
        }
    }

    /// `$( … )`
    pub(super) fn substitute(&mut self, list: &List, span: Span, scope: &Scope) -> Value {
        let mut inner = scope.clone();
        let output = self
            .deeper(span, |walker| walker.list(list, &mut inner))
            .unwrap_or_default();
        let mut value = output.value();
        let kept = value.text.trim_end_matches('\n').len();
        value.text.truncate(kept);
        value
    }

    /// `<( … )` becomes a path whose text is known when the output is; `>( … )` waits for who writes to it.
    fn process(
        &mut self,
        list: &List,
        input: bool,
        span: Span,
        scope: &Scope,
        fields: &mut Fields,
    ) {
        let path = format!("/dev/fd/{}", self.descriptors);
        self.descriptors = self.descriptors.saturating_sub(1).max(3);
        let before = self.script.commands.len();
        let mut inner = scope.clone();
        let output = self
            .deeper(span, |walker| walker.list(list, &mut inner))
            .unwrap_or_default();
        let from = if input {
            let from = output.from.clone();
            self.written(path.clone(), output);
            from
        } else {
            self.consumers.extend(before..self.script.commands.len());
            Vec::new()
        };
        fields.value(&Value::new(path, from));
    }

    pub(super) fn written(&mut self, path: String, output: Output) {
        let written = match output.text {
            Some(text) => Written::Text(Value::new(text, output.from)),
            None => Written::By(output.from),
        };
        self.files.retain(|(known, _)| *known != path);
        self.files.push((path, written));
    }

    fn tilde(&mut self, text: &str, alone: bool, scope: &Scope, fields: &mut Fields) {
        let end = text.find('/').unwrap_or(text.len());
        let user = &text[1..end];
        let ends_here = end < text.len() || alone;
        let plain = user
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte));
        if !ends_here || !plain {
            fields.bare(text);
            return;
        }
        match user {
            "" => fields.value(&self.home(scope)),
            "+" => fields.quoted(scope.cwd.as_deref().unwrap_or("\u{FFFC}")),
            "-" => fields.quoted(scope.old_cwd.as_deref().unwrap_or("\u{FFFC}")),
            "root" => fields.quoted("/root"),
            user if self.place.home.rsplit('/').next() == Some(user) => {
                fields.quoted(&self.place.home);
            }
            user => fields.quoted(&format!("/home/{user}")),
        }
        fields.bare(&text[end..]);
    }

    pub(super) fn home(&self, scope: &Scope) -> Value {
        match scope.get("HOME") {
            Some(variable) => variable.held.first(),
            None if self.place.home.is_empty() => Value::unknown(Vec::new()),
            None => Value::known(self.place.home.as_str()),
        }
    }

    pub(super) fn absolute(scope: &Scope, path: &str) -> Option<String> {
        absolute(scope.cwd.as_deref(), path)
    }
}

fn place(expanded: Expanded, mode: Mode, scope: &Scope, fields: &mut Fields) {
    match (expanded, mode) {
        (Expanded::One(value), Mode::Split) => match scope.get("IFS") {
            Some(variable) => fields.split(&value, &variable.held.first().text),
            None => fields.split(&value, " \t\n"),
        },
        (Expanded::One(value), _) => fields.value(&value),
        (Expanded::Each(values), Mode::Whole) => {
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    fields.quoted(" ");
                }
                fields.value(value);
            }
        }
        (Expanded::Each(values), Mode::Split | Mode::Quoted) => {
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    fields.next_field();
                }
                match mode {
                    Mode::Quoted => fields.value(value),
                    _ => fields.split(value, " \t\n"),
                }
            }
        }
    }
}

/// Numbers and the four operations, as far as tricks with them go.
fn arithmetic(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    for operators in [&['+', '-'][..], &['*', '/', '%'][..]] {
        let Some(at) = text.rfind(operators).filter(|at| *at > 0) else {
            continue;
        };
        let (left, right) = (arithmetic(&text[..at])?, arithmetic(&text[at + 1..])?);
        return match text.as_bytes()[at] {
            b'+' => left.checked_add(right),
            b'-' => left.checked_sub(right),
            b'*' => left.checked_mul(right),
            b'/' => left.checked_div(right),
            _ => left.checked_rem(right),
        };
    }
    None
}
