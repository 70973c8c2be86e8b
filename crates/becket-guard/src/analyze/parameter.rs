//! Parameter expansion: `$x` and `${x…}`.

use super::Analyzer;
use super::scope::{ShellScope, ShellValue, VariableContent};
use crate::command::{Span, UNKNOWN};
use crate::glob::matches_slice;
use crate::shell::ast::{Parameter, ParameterOperation, WordPart};

/// Patterns are not applied to longer values.
const MAX_PATTERN_TEXT: usize = 200;

/// The expansion of a parameter.
pub(super) enum ExpandedParameter {
    One(ShellValue),
    /// `"$@"` and `"${a[@]}"`: separate words.
    Each(Vec<ShellValue>),
}

impl Analyzer<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        quoted: bool,
        span: Span,
        scope: &mut ShellScope,
    ) -> ExpandedParameter {
        let index = parameter
            .index
            .as_ref()
            .map(|parts| self.one_value(parts, span, scope).text);
        let all = matches!(index.as_deref(), Some("@" | "*"))
            || matches!(parameter.name.as_str(), "@" | "*");
        let list = matches!(index.as_deref(), Some("@")) || parameter.name == "@" || !quoted;
        if all && list && matches!(parameter.operation, ParameterOperation::Plain) {
            return ExpandedParameter::Each(Self::all_values(&parameter.name, scope));
        }
        if let (true, true, ParameterOperation::Slice(bounds)) = (all, list, &parameter.operation) {
            let bounds = self.one_value(bounds, span, scope).text;
            let mut values = Self::all_values(&parameter.name, scope);
            if matches!(parameter.name.as_str(), "@" | "*") {
                values.insert(
                    0,
                    scope
                        .zero
                        .clone()
                        .unwrap_or_else(|| ShellValue::unknown(Vec::new())),
                );
            }
            return ExpandedParameter::Each(slice_values(values, &bounds));
        }
        if all && matches!(parameter.operation, ParameterOperation::Length) {
            return ExpandedParameter::One(ShellValue::known(
                Self::all_values(&parameter.name, scope).len().to_string(),
            ));
        }
        let set = self.lookup(&parameter.name, index.as_deref(), scope);
        let value = self.operate(parameter, set, quoted, span, scope);
        ExpandedParameter::One(value)
    }

    fn all_values(name: &str, scope: &ShellScope) -> Vec<ShellValue> {
        if matches!(name, "@" | "*") {
            return scope
                .arguments
                .clone()
                .unwrap_or_else(|| vec![ShellValue::unknown(Vec::new())]);
        }
        match scope.get(name).map(|variable| &variable.content) {
            Some(VariableContent::Many(values)) => values.clone(),
            Some(VariableContent::One(value)) => vec![value.clone()],
            None => vec![ShellValue::unknown(Vec::new())],
        }
    }

    /// The value, if the text or the location determines it.
    fn lookup(
        &mut self,
        name: &str,
        index: Option<&str>,
        scope: &ShellScope,
    ) -> Option<ShellValue> {
        if let Some(index) = index
            && let Some(variable) = scope.get(&format!("{name}[{index}]"))
        {
            return Some(variable.content.first());
        }
        if let Some(variable) = scope.get(name) {
            return Some(element(&variable.content, index));
        }
        if name == "0" {
            return scope.zero.clone();
        }
        if let Ok(number) = name.parse::<usize>() {
            let arguments = scope.arguments.as_ref()?;
            return Some(arguments.get(number - 1).cloned().unwrap_or_default());
        }
        let path = |path: &Option<String>| path.clone().map(ShellValue::known);
        match name {
            "@" | "*" => scope.arguments.as_ref().map(|values| join(values)),
            "#" => scope
                .arguments
                .as_ref()
                .map(|values| ShellValue::known(values.len().to_string())),
            "HOME" => Some(self.home(scope)).filter(ShellValue::is_known),
            "PWD" => path(&scope.cwd),
            "OLDPWD" => path(&scope.old_cwd),
            "IFS" => Some(ShellValue::known(" \t\n")),
            "SHELL" | "BASH" => Some(ShellValue::known("/bin/bash")),
            "TMPDIR" => Some(ShellValue::known("/tmp")),
            "USER" | "LOGNAME" => self
                .location
                .home
                .rsplit('/')
                .next()
                .filter(|user| !user.is_empty())
                .map(ShellValue::known),
            _ => None,
        }
    }

    fn operate(
        &mut self,
        parameter: &Parameter,
        set: Option<ShellValue>,
        quoted: bool,
        span: Span,
        scope: &mut ShellScope,
    ) -> ShellValue {
        let unknown = || ShellValue::unknown(Vec::new());
        match &parameter.operation {
            ParameterOperation::Plain | ParameterOperation::Require(_) => {
                if let ParameterOperation::Require(word) = &parameter.operation {
                    self.one_value(word, span, scope);
                }
                set.unwrap_or_else(unknown)
            }
            ParameterOperation::Default { word, assign } => {
                let default = self.operand(word, quoted, span, scope);
                let value = set
                    .filter(|value| !value.text.is_empty())
                    .unwrap_or(default);
                if *assign {
                    scope.set_one(&parameter.name, value.clone());
                }
                value
            }
            ParameterOperation::Alternative(word) => {
                let alternative = self.operand(word, quoted, span, scope);
                match set {
                    Some(value) if value.text.is_empty() => value,
                    _ => alternative,
                }
            }
            ParameterOperation::Length => match set {
                Some(value) if value.is_known() => {
                    ShellValue::known(value.text.chars().count().to_string())
                }
                _ => unknown(),
            },
            ParameterOperation::Indirect => match set {
                Some(name) if name.is_known() => {
                    self.lookup(&name.text, None, scope).unwrap_or_else(unknown)
                }
                _ => unknown(),
            },
            ParameterOperation::Slice(parts) => {
                let bounds = self.one_value(parts, span, scope).text;
                slice(&parameter.name, set, &bounds).unwrap_or_else(unknown)
            }
            ParameterOperation::Trim {
                pattern,
                end,
                longest,
            } => {
                let pattern = self.pattern(pattern, span, scope);
                self.charge_for_pattern(set.as_ref(), span);
                edit(set, |text| trim(text, &pattern, *end, *longest))
            }
            ParameterOperation::Replace { pattern, with, all } => {
                let pattern = self.pattern(pattern, span, scope);
                let with = self.one_value(with, span, scope);
                self.charge_for_pattern(set.as_ref(), span);
                let mut value = edit(set, |text| replace(text, &pattern, &with.text, *all));
                value.from.extend(with.from);
                value
            }
            ParameterOperation::Upper { all } => {
                edit(set, |text| Some(case(text, *all, char::to_ascii_uppercase)))
            }
            ParameterOperation::Lower { all } => {
                edit(set, |text| Some(case(text, *all, char::to_ascii_lowercase)))
            }
            ParameterOperation::Other(parts) => {
                let operator = self.one_value(parts, span, scope).text;
                self.transform(&operator, set, span, scope)
            }
        }
    }

    /// `${x@L}` and similar transformations.
    fn transform(
        &mut self,
        operator: &str,
        set: Option<ShellValue>,
        span: Span,
        scope: &mut ShellScope,
    ) -> ShellValue {
        match operator.trim_start_matches('@') {
            "L" => edit(set, |text| Some(case(text, true, char::to_ascii_lowercase))),
            "U" => edit(set, |text| Some(case(text, true, char::to_ascii_uppercase))),
            "u" => edit(set, |text| {
                Some(case(text, false, char::to_ascii_uppercase))
            }),
            "Q" | "E" | "k" | "K" => set.unwrap_or_else(|| ShellValue::unknown(Vec::new())),
            // A prompt string is expanded once more.
            "P" => match set {
                Some(value) if value.text.contains(['$', '`']) => {
                    let line = format!("echo \"{}\"", value.text);
                    let output = self.text(&line, span, &mut scope.clone());
                    ShellValue::unknown(output.from)
                }
                set => set.unwrap_or_else(|| ShellValue::unknown(Vec::new())),
            },
            _ => set.map_or_else(
                || ShellValue::unknown(Vec::new()),
                |value| ShellValue::unknown(value.from),
            ),
        }
    }

    fn operand(
        &mut self,
        parts: &[WordPart],
        quoted: bool,
        span: Span,
        scope: &mut ShellScope,
    ) -> ShellValue {
        if quoted {
            self.quoted_value(parts, span, scope)
        } else {
            self.one_value(parts, span, scope)
        }
    }

    /// Charges for a pattern, which is tried at every position of the value.
    fn charge_for_pattern(&mut self, set: Option<&ShellValue>, span: Span) {
        let len = set.map_or(0, |value| value.text.len().min(MAX_PATTERN_TEXT));
        self.charge(8 * len * len, span);
    }

    fn pattern(&mut self, parts: &[WordPart], span: Span, scope: &mut ShellScope) -> Vec<char> {
        let mut pattern = Vec::new();
        for part in parts {
            let text = self.one_value(std::slice::from_ref(part), span, scope).text;
            let literal = matches!(part, WordPart::Quoted(_) | WordPart::Double(_));
            for character in text.chars() {
                if literal && matches!(character, '*' | '?' | '[' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(character);
            }
        }
        pattern
    }
}

fn element(content: &VariableContent, index: Option<&str>) -> ShellValue {
    match (content, index) {
        (VariableContent::Many(values), Some("@" | "*")) => join(values),
        (VariableContent::Many(values), Some(index)) => match index.trim().parse::<i64>() {
            Ok(at) => {
                let len = i64::try_from(values.len()).unwrap_or(i64::MAX);
                let at = if at < 0 { len + at } else { at };
                usize::try_from(at)
                    .ok()
                    .and_then(|at| values.get(at).cloned())
                    .unwrap_or_default()
            }
            Err(_) => ShellValue::unknown(Vec::new()),
        },
        (content, _) => content.first(),
    }
}

fn join(values: &[ShellValue]) -> ShellValue {
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    ShellValue::new(
        texts.join(" "),
        values
            .iter()
            .flat_map(|value| value.from.iter().copied())
            .collect(),
    )
}

/// Applies `change` to a value; the result is unknown if the value is unknown or too long.
fn edit(set: Option<ShellValue>, change: impl FnOnce(&[char]) -> Option<String>) -> ShellValue {
    let Some(value) = set else {
        return ShellValue::unknown(Vec::new());
    };
    if value.text.len() > MAX_PATTERN_TEXT || value.text.contains(UNKNOWN) {
        return ShellValue::unknown(value.from);
    }
    let text: Vec<char> = value.text.chars().collect();
    match change(&text) {
        Some(text) => ShellValue::new(text, value.from),
        None => ShellValue::unknown(value.from),
    }
}

fn trim(text: &[char], pattern: &[char], end: bool, longest: bool) -> Option<String> {
    if pattern.contains(&UNKNOWN) || pattern.len() > MAX_PATTERN_TEXT {
        return None;
    }
    let cuts = 0..=text.len();
    let fits = |cut: &usize| {
        if end {
            matches_slice(pattern, &text[*cut..])
        } else {
            matches_slice(pattern, &text[..*cut])
        }
    };
    let cut = if longest == end {
        cuts.clone().find(fits)
    } else {
        cuts.clone().rev().find(fits)
    };
    let kept = match cut {
        None => text,
        Some(cut) if end => &text[..cut],
        Some(cut) => &text[cut..],
    };
    Some(kept.iter().collect())
}

fn replace(text: &[char], pattern: &[char], with: &str, all: bool) -> Option<String> {
    if pattern.contains(&UNKNOWN) || pattern.is_empty() || pattern.len() > 64 {
        return pattern.is_empty().then(|| text.iter().collect());
    }
    let (anchored, pattern) = match pattern[0] {
        '#' => (Some(false), &pattern[1..]),
        '%' => (Some(true), &pattern[1..]),
        _ => (None, pattern),
    };
    let mut out = String::new();
    let mut at = 0;
    let mut replaced = false;
    while at < text.len() {
        let may = (all || !replaced) && (anchored != Some(false) || at == 0);
        let found = may
            .then(|| {
                (at + 1..=text.len()).rev().find(|end| {
                    (anchored != Some(true) || *end == text.len())
                        && matches_slice(pattern, &text[at..*end])
                })
            })
            .flatten();
        match found {
            Some(end) => {
                out.push_str(with);
                at = end;
                replaced = true;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    Some(out)
}

fn case(text: &[char], all: bool, change: impl Fn(&char) -> char) -> String {
    text.iter()
        .enumerate()
        .map(|(at, character)| {
            if all || at == 0 {
                change(character)
            } else {
                *character
            }
        })
        .collect()
}

/// `${a[@]:offset:length}`
fn slice_values(values: Vec<ShellValue>, bounds: &str) -> Vec<ShellValue> {
    let mut numbers = bounds
        .split(':')
        .map(|number| number.trim().parse::<usize>().ok());
    let (Some(offset), length) = (numbers.next().flatten(), numbers.next()) else {
        return vec![ShellValue::unknown(Vec::new())];
    };
    let most = length
        .map_or(Some(usize::MAX), |length| length)
        .unwrap_or(usize::MAX);
    values.into_iter().skip(offset).take(most).collect()
}

/// `${x:offset:length}`
fn slice(name: &str, set: Option<ShellValue>, bounds: &str) -> Option<ShellValue> {
    let (offset, length) = match bounds.split_once(':') {
        Some((offset, length)) => (offset, Some(length)),
        None => (bounds, None),
    };
    let offset = offset.trim().parse::<i64>().unwrap_or(0);
    let length = match length {
        Some(length) => Some(length.trim().parse::<i64>().ok()?),
        None => None,
    };
    let Some(value) = set else {
        // These variables always start with a slash.
        let slash =
            matches!(name, "PATH" | "HOME" | "PWD" | "OLDPWD") && (offset, length) == (0, Some(1));
        return slash.then(|| ShellValue::known("/"));
    };
    if !value.is_known() {
        return Some(ShellValue::unknown(value.from));
    }
    let characters: Vec<char> = value.text.chars().collect();
    let len = i64::try_from(characters.len()).ok()?;
    let start = if offset < 0 { len + offset } else { offset }.clamp(0, len);
    let end = match length {
        None => len,
        Some(length) if length < 0 => len + length,
        Some(length) => start.saturating_add(length),
    }
    .clamp(start, len);
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(ShellValue::new(
        characters[start..end].iter().collect(),
        value.from,
    ))
}
