//! `$x` and `${x…}`.

use super::Walker;
use super::pattern::matches_slice;
use super::scope::{Held, Scope, Value};
use crate::command::{Span, UNKNOWN};
use crate::shell::ast::{Operation, Parameter, Part};

/// Patterns are not tried on longer values.
const MAX_PATTERN_TEXT: usize = 200;

/// What a parameter becomes.
pub(super) enum Expanded {
    One(Value),
    /// `"$@"` and `"${a[@]}"`: one word each.
    Each(Vec<Value>),
}

impl Walker<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        quoted: bool,
        span: Span,
        scope: &mut Scope,
    ) -> Expanded {
        let index = parameter
            .index
            .as_ref()
            .map(|parts| self.one_value(parts, span, scope).text);
        let all = matches!(index.as_deref(), Some("@" | "*"))
            || matches!(parameter.name.as_str(), "@" | "*");
        let list = matches!(index.as_deref(), Some("@")) || parameter.name == "@" || !quoted;
        if all && list && matches!(parameter.operation, Operation::Plain) {
            return Expanded::Each(Self::all_values(&parameter.name, scope));
        }
        if let (true, true, Operation::Slice(bounds)) = (all, list, &parameter.operation) {
            let bounds = self.one_value(bounds, span, scope).text;
            let mut values = Self::all_values(&parameter.name, scope);
            if matches!(parameter.name.as_str(), "@" | "*") {
                values.insert(
                    0,
                    scope
                        .zero
                        .clone()
                        .unwrap_or_else(|| Value::unknown(Vec::new())),
                );
            }
            return Expanded::Each(slice_values(values, &bounds));
        }
        if all && matches!(parameter.operation, Operation::Length) {
            return Expanded::One(Value::known(
                Self::all_values(&parameter.name, scope).len().to_string(),
            ));
        }
        let set = self.lookup(&parameter.name, index.as_deref(), scope);
        let value = self.operate(parameter, set, quoted, span, scope);
        Expanded::One(value)
    }

    fn all_values(name: &str, scope: &Scope) -> Vec<Value> {
        if matches!(name, "@" | "*") {
            return scope
                .arguments
                .clone()
                .unwrap_or_else(|| vec![Value::unknown(Vec::new())]);
        }
        match scope.get(name).map(|variable| &variable.held) {
            Some(Held::Many(values)) => values.clone(),
            Some(Held::One(value)) => vec![value.clone()],
            None => vec![Value::unknown(Vec::new())],
        }
    }

    /// The value, when the text or the place tells it.
    fn lookup(&mut self, name: &str, index: Option<&str>, scope: &Scope) -> Option<Value> {
        if let Some(index) = index
            && let Some(variable) = scope.get(&format!("{name}[{index}]"))
        {
            return Some(variable.held.first());
        }
        if let Some(variable) = scope.get(name) {
            return Some(element(&variable.held, index));
        }
        if name == "0" {
            return scope.zero.clone();
        }
        if let Ok(number) = name.parse::<usize>() {
            let arguments = scope.arguments.as_ref()?;
            return Some(arguments.get(number - 1).cloned().unwrap_or_default());
        }
        let path = |path: &Option<String>| path.clone().map(Value::known);
        match name {
            "@" | "*" => scope.arguments.as_ref().map(|values| join(values)),
            "#" => scope
                .arguments
                .as_ref()
                .map(|values| Value::known(values.len().to_string())),
            "HOME" => Some(self.home(scope)).filter(Value::is_known),
            "PWD" => path(&scope.cwd),
            "OLDPWD" => path(&scope.old_cwd),
            "IFS" => Some(Value::known(" \t\n")),
            "SHELL" | "BASH" => Some(Value::known("/bin/bash")),
            "TMPDIR" => Some(Value::known("/tmp")),
            "USER" | "LOGNAME" => self
                .place
                .home
                .rsplit('/')
                .next()
                .filter(|user| !user.is_empty())
                .map(Value::known),
            _ => None,
        }
    }

    fn operate(
        &mut self,
        parameter: &Parameter,
        set: Option<Value>,
        quoted: bool,
        span: Span,
        scope: &mut Scope,
    ) -> Value {
        let unknown = || Value::unknown(Vec::new());
        match &parameter.operation {
            Operation::Plain | Operation::Require(_) => {
                if let Operation::Require(word) = &parameter.operation {
                    self.one_value(word, span, scope);
                }
                set.unwrap_or_else(unknown)
            }
            Operation::Default { word, assign } => {
                let default = self.operand(word, quoted, span, scope);
                let value = set
                    .filter(|value| !value.text.is_empty())
                    .unwrap_or(default);
                if *assign {
                    scope.set_one(&parameter.name, value.clone());
                }
                value
            }
            Operation::Alternative(word) => {
                let alternative = self.operand(word, quoted, span, scope);
                match set {
                    Some(value) if value.text.is_empty() => value,
                    _ => alternative,
                }
            }
            Operation::Length => match set {
                Some(value) if value.is_known() => {
                    Value::known(value.text.chars().count().to_string())
                }
                _ => unknown(),
            },
            Operation::Indirect => match set {
                Some(name) if name.is_known() => {
                    self.lookup(&name.text, None, scope).unwrap_or_else(unknown)
                }
                _ => unknown(),
            },
            Operation::Slice(parts) => {
                let bounds = self.one_value(parts, span, scope).text;
                slice(&parameter.name, set, &bounds).unwrap_or_else(unknown)
            }
            Operation::Trim {
                pattern,
                end,
                longest,
            } => {
                let pattern = self.pattern(pattern, span, scope);
                self.charge_for_pattern(set.as_ref(), span);
                edit(set, |text| trim(text, &pattern, *end, *longest))
            }
            Operation::Replace { pattern, with, all } => {
                let pattern = self.pattern(pattern, span, scope);
                let with = self.one_value(with, span, scope);
                self.charge_for_pattern(set.as_ref(), span);
                let mut value = edit(set, |text| replace(text, &pattern, &with.text, *all));
                value.from.extend(with.from);
                value
            }
            Operation::Upper { all } => {
                edit(set, |text| Some(case(text, *all, char::to_ascii_uppercase)))
            }
            Operation::Lower { all } => {
                edit(set, |text| Some(case(text, *all, char::to_ascii_lowercase)))
            }
            Operation::Other(parts) => {
                let operator = self.one_value(parts, span, scope).text;
                self.transform(&operator, set, span, scope)
            }
        }
    }

    /// `${x@L}` and its kin.
    fn transform(
        &mut self,
        operator: &str,
        set: Option<Value>,
        span: Span,
        scope: &mut Scope,
    ) -> Value {
        match operator.trim_start_matches('@') {
            "L" => edit(set, |text| Some(case(text, true, char::to_ascii_lowercase))),
            "U" => edit(set, |text| Some(case(text, true, char::to_ascii_uppercase))),
            "u" => edit(set, |text| {
                Some(case(text, false, char::to_ascii_uppercase))
            }),
            "Q" | "E" | "k" | "K" => set.unwrap_or_else(|| Value::unknown(Vec::new())),
            // A prompt is expanded once more.
            "P" => match set {
                Some(value) if value.text.contains(['$', '`']) => {
                    let line = format!("echo \"{}\"", value.text);
                    let output = self.text(&line, span, &mut scope.clone());
                    Value::unknown(output.from)
                }
                set => set.unwrap_or_else(|| Value::unknown(Vec::new())),
            },
            _ => set.map_or_else(
                || Value::unknown(Vec::new()),
                |value| Value::unknown(value.from),
            ),
        }
    }

    fn operand(&mut self, parts: &[Part], quoted: bool, span: Span, scope: &mut Scope) -> Value {
        if quoted {
            self.quoted_value(parts, span, scope)
        } else {
            self.one_value(parts, span, scope)
        }
    }

    /// Patterns are tried at every place of the value.
    fn charge_for_pattern(&mut self, set: Option<&Value>, span: Span) {
        let len = set.map_or(0, |value| value.text.len().min(MAX_PATTERN_TEXT));
        self.charge(8 * len * len, span);
    }

    fn pattern(&mut self, parts: &[Part], span: Span, scope: &mut Scope) -> Vec<char> {
        let mut pattern = Vec::new();
        for part in parts {
            let text = self.one_value(std::slice::from_ref(part), span, scope).text;
            let literal = matches!(part, Part::Quoted(_) | Part::Double(_));
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

fn element(held: &Held, index: Option<&str>) -> Value {
    match (held, index) {
        (Held::Many(values), Some("@" | "*")) => join(values),
        (Held::Many(values), Some(index)) => match index.trim().parse::<i64>() {
            Ok(at) => {
                let len = i64::try_from(values.len()).unwrap_or(i64::MAX);
                let at = if at < 0 { len + at } else { at };
                usize::try_from(at)
                    .ok()
                    .and_then(|at| values.get(at).cloned())
                    .unwrap_or_default()
            }
            Err(_) => Value::unknown(Vec::new()),
        },
        (held, _) => held.first(),
    }
}

fn join(values: &[Value]) -> Value {
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Value::new(
        texts.join(" "),
        values
            .iter()
            .flat_map(|value| value.from.iter().copied())
            .collect(),
    )
}

/// A value changed by `change`; unknown when it was, or when it is too much.
fn edit(set: Option<Value>, change: impl FnOnce(&[char]) -> Option<String>) -> Value {
    let Some(value) = set else {
        return Value::unknown(Vec::new());
    };
    if value.text.len() > MAX_PATTERN_TEXT || value.text.contains(UNKNOWN) {
        return Value::unknown(value.from);
    }
    let text: Vec<char> = value.text.chars().collect();
    match change(&text) {
        Some(text) => Value::new(text, value.from),
        None => Value::unknown(value.from),
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
fn slice_values(values: Vec<Value>, bounds: &str) -> Vec<Value> {
    let mut numbers = bounds
        .split(':')
        .map(|number| number.trim().parse::<usize>().ok());
    let (Some(offset), length) = (numbers.next().flatten(), numbers.next()) else {
        return vec![Value::unknown(Vec::new())];
    };
    let most = length
        .map_or(Some(usize::MAX), |length| length)
        .unwrap_or(usize::MAX);
    values.into_iter().skip(offset).take(most).collect()
}

/// `${x:offset:length}`
fn slice(name: &str, set: Option<Value>, bounds: &str) -> Option<Value> {
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
        // Whatever these hold, they begin with a slash.
        let slash =
            matches!(name, "PATH" | "HOME" | "PWD" | "OLDPWD") && (offset, length) == (0, Some(1));
        return slash.then(|| Value::known("/"));
    };
    if !value.is_known() {
        return Some(Value::unknown(value.from));
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
    Some(Value::new(
        characters[start..end].iter().collect(),
        value.from,
    ))
}
