//! Expands words: tilde, parameters, substitutions, braces, field splitting.

use super::field_splitting::{FieldSplitter, MAX_WORD};
use super::parameter::ExpandedParameter;
use super::path::absolute;
use super::scope::{ShellScope, ShellValue};
use super::{Analyzer, CommandOutput, WrittenFile, brace};
use crate::command::{DoubtKind, Span, UNKNOWN, Word};
use crate::shell::ast::{self, CommandList, WordPart};

/// How expanded parts are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpansionMode {
    /// Unquoted expansions are split into fields.
    Split,
    /// Expansions are not split: assignments, `case`, redirections.
    Whole,
    /// Inside double quotes.
    Quoted,
}

impl Analyzer<'_> {
    pub(super) fn words(&mut self, words: &[ast::WordNode], scope: &mut ShellScope) -> Vec<Word> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            self.word(word, scope, &mut expanded);
        }
        expanded
    }

    fn word(&mut self, word: &ast::WordNode, scope: &mut ShellScope, expanded: &mut Vec<Word>) {
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
                self.doubt(
                    DoubtKind::Bounds,
                    "brace expansion produces too many words",
                    word.span,
                );
                expanded.push(Word {
                    span: word.span,
                    ..Word::literal(UNKNOWN)
                });
            }
        }
    }

    fn fields(
        &mut self,
        parts: &[WordPart],
        span: Span,
        scope: &mut ShellScope,
        expanded: &mut Vec<Word>,
    ) {
        if let [WordPart::Bare(text)] = parts {
            // Fast path: most words are plain.
            if !text.starts_with('~') && text.len() < MAX_WORD {
                let mut fields = FieldSplitter::new(span);
                fields.bare(text);
                expanded.append(&mut fields.finish());
                return;
            }
        }
        let mut fields = FieldSplitter::new(span);
        self.parts(parts, ExpansionMode::Split, span, scope, &mut fields);
        for word in fields.finish() {
            self.charge(word.text.len(), span);
            expanded.push(word);
        }
    }

    /// Expands a word that stays one word.
    pub(super) fn one_word(&mut self, word: &ast::WordNode, scope: &mut ShellScope) -> Word {
        let mut fields = FieldSplitter::new(word.span);
        self.parts(
            &word.parts,
            ExpansionMode::Whole,
            word.span,
            scope,
            &mut fields,
        );
        let word = fields.finish_one();
        self.charge(word.text.len(), word.span);
        word
    }

    /// Expands parts that stay one value.
    pub(super) fn one_value(
        &mut self,
        parts: &[WordPart],
        span: Span,
        scope: &mut ShellScope,
    ) -> ShellValue {
        let mut fields = FieldSplitter::new(span);
        self.parts(parts, ExpansionMode::Whole, span, scope, &mut fields);
        let word = fields.finish_one();
        self.charge(word.text.len(), span);
        ShellValue::new(word.text, word.from)
    }

    /// Expands the text of a heredoc or of double quotes.
    pub(super) fn quoted_value(
        &mut self,
        parts: &[WordPart],
        span: Span,
        scope: &mut ShellScope,
    ) -> ShellValue {
        let mut fields = FieldSplitter::new(span);
        self.parts(parts, ExpansionMode::Quoted, span, scope, &mut fields);
        let word = fields.finish_one();
        self.charge(word.text.len(), span);
        ShellValue::new(word.text, word.from)
    }

    fn parts(
        &mut self,
        parts: &[WordPart],
        mode: ExpansionMode,
        span: Span,
        scope: &mut ShellScope,
        fields: &mut FieldSplitter,
    ) {
        self.each_part(parts, mode, span, scope, fields);
        if fields.is_cut() {
            let what = "a word is too long to be analyzed";
            self.doubt(DoubtKind::Bounds, what, span);
        }
    }

    fn each_part(
        &mut self,
        parts: &[WordPart],
        mode: ExpansionMode,
        span: Span,
        scope: &mut ShellScope,
        fields: &mut FieldSplitter,
    ) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                WordPart::Bare(text) if mode == ExpansionMode::Quoted => fields.quoted(text),
                WordPart::Bare(text) if at == 0 && text.starts_with('~') => {
                    let alone = parts.len() == 1;
                    self.tilde(text, alone, scope, fields);
                }
                WordPart::Bare(text) => fields.bare(text),
                WordPart::Quoted(text) => fields.quoted(text),
                WordPart::Double(inner) => {
                    // `"$@"` without arguments expands to no word.
                    let only_arguments = matches!(inner.as_slice(), [WordPart::Parameter(parameter)] if parameter.name == "@");
                    if !only_arguments {
                        fields.quoted("");
                    }
                    self.parts(inner, ExpansionMode::Quoted, span, scope, fields);
                }
                WordPart::Parameter(parameter) => {
                    let expanded =
                        self.parameter(parameter, mode == ExpansionMode::Quoted, span, scope);
                    push_expanded(expanded, mode, scope, fields);
                }
                WordPart::Command(list) => {
                    let value = self.substitute(list, span, scope);
                    push_expanded(ExpandedParameter::One(value), mode, scope, fields);
                }
                WordPart::Process { list, input } => {
                    self.process(list, *input, span, scope, fields);
                }
                WordPart::Arithmetic(inner) => {
                    let value = self.one_value(inner, span, scope);
                    let number = arithmetic(&value.text)
                        .map_or_else(|| UNKNOWN.to_string(), |number| number.to_string());
                    fields.value(&ShellValue::new(number, value.from));
                }
                WordPart::Array(words) => {
                    for word in self.words(words, scope) {
                        fields.next_field();
                        fields.value(&ShellValue::new(word.text, word.from));
                    }
                }
            }
        }
    }

    /// `$( … )`
    pub(super) fn substitute(
        &mut self,
        list: &CommandList,
        span: Span,
        scope: &ShellScope,
    ) -> ShellValue {
        let mut inner = scope.clone();
        let output = self
            .deeper(span, |analyzer| analyzer.list(list, &mut inner))
            .unwrap_or_default();
        let mut value = output.value();
        let kept = value.text.trim_end_matches('\n').len();
        value.text.truncate(kept);
        value
    }

    /// `<( … )` becomes a path with known text if the output is known; `>( … )` waits for a command that writes to
    /// it.
    fn process(
        &mut self,
        list: &CommandList,
        input: bool,
        span: Span,
        scope: &ShellScope,
        fields: &mut FieldSplitter,
    ) {
        let path = format!("/dev/fd/{}", self.descriptors);
        self.descriptors = self.descriptors.saturating_sub(1).max(3);
        let before = self.script.commands.len();
        let mut inner = scope.clone();
        let output = self
            .deeper(span, |analyzer| analyzer.list(list, &mut inner))
            .unwrap_or_default();
        let from = if input {
            let from = output.from.clone();
            self.written(path.clone(), output);
            from
        } else {
            self.consumers.extend(before..self.script.commands.len());
            Vec::new()
        };
        fields.value(&ShellValue::new(path, from));
    }

    pub(super) fn written(&mut self, path: String, output: CommandOutput) {
        let written = match output.text {
            Some(text) => WrittenFile::Text(ShellValue::new(text, output.from)),
            None => WrittenFile::GeneratedBy(output.from),
        };
        self.files.retain(|(known, _)| *known != path);
        self.files.push((path, written));
    }

    fn tilde(&mut self, text: &str, alone: bool, scope: &ShellScope, fields: &mut FieldSplitter) {
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
            user if self.location.home.rsplit('/').next() == Some(user) => {
                fields.quoted(&self.location.home);
            }
            user => fields.quoted(&format!("/home/{user}")),
        }
        fields.bare(&text[end..]);
    }

    pub(super) fn home(&self, scope: &ShellScope) -> ShellValue {
        match scope.get("HOME") {
            Some(variable) => variable.content.first(),
            None if self.location.home.is_empty() => ShellValue::unknown(Vec::new()),
            None => ShellValue::known(self.location.home.as_str()),
        }
    }

    pub(super) fn absolute(scope: &ShellScope, path: &str) -> Option<String> {
        absolute(scope.cwd.as_deref(), path)
    }
}

fn push_expanded(
    expanded: ExpandedParameter,
    mode: ExpansionMode,
    scope: &ShellScope,
    fields: &mut FieldSplitter,
) {
    match (expanded, mode) {
        (ExpandedParameter::One(value), ExpansionMode::Split) => match scope.get("IFS") {
            Some(variable) => fields.split(&value, &variable.content.first().text),
            None => fields.split(&value, " \t\n"),
        },
        (ExpandedParameter::One(value), _) => fields.value(&value),
        (ExpandedParameter::Each(values), ExpansionMode::Whole) => {
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    fields.quoted(" ");
                }
                fields.value(value);
            }
        }
        (ExpandedParameter::Each(values), ExpansionMode::Split | ExpansionMode::Quoted) => {
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    fields.next_field();
                }
                match mode {
                    ExpansionMode::Quoted => fields.value(value),
                    _ => fields.split(value, " \t\n"),
                }
            }
        }
    }
}

/// Evaluates numbers and the four operations, which covers common obfuscation.
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
