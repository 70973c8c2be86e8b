//! Assignments and declarations.

use super::Walker;
use super::run::value_of;
use super::scope::{Held, Scope, Value};
use crate::command::{DoubtKind, Span, Word};
use crate::shell::ast::{self, Assignment, Part};

impl Walker<'_> {
    pub(super) fn assign(&mut self, assignment: &Assignment, span: Span, scope: &mut Scope) {
        if let [Part::Array(words)] = assignment.value.parts.as_slice() {
            let mut values: Vec<Value> = Vec::new();
            if assignment.append {
                match scope
                    .get(&assignment.name)
                    .map(|variable| variable.held.clone())
                {
                    Some(Held::Many(old)) => values = old,
                    Some(Held::One(old)) => values.push(old),
                    None => {}
                }
            }
            for word in self.words(words, scope) {
                let mut value = value_of(word);
                if let Some((key, text)) = keyed(&value.text) {
                    let (name, text) = (format!("{}[{key}]", assignment.name), text.to_owned());
                    value.text = text;
                    scope.set_one(&name, value.clone());
                }
                values.push(value);
            }
            scope.set(&assignment.name, Held::Many(values));
            return;
        }
        // A pattern in an assignment stays as it is written until it is used.
        let value = Value {
            glob: false,
            ..value_of(self.one_word(&assignment.value, scope))
        };
        self.subscript(&value.text, span);
        if let Some(index) = &assignment.index {
            let index = self.one_word(index, scope).text;
            if assignment.name == "BASH_ALIASES" {
                scope.aliases.push((index.clone(), value.text.clone()));
            }
            self.assign_element(&assignment.name, &index, value, span, scope);
            return;
        }
        let value = if assignment.append {
            let mut old = scope.get(&assignment.name).map_or_else(
                || Value::unknown(Vec::new()),
                |variable| variable.held.first(),
            );
            old.text.push_str(&value.text);
            old.from.extend(value.from);
            self.charge(old.text.len(), span);
            old
        } else {
            value
        };
        scope.set_one(&assignment.name, value);
    }

    fn assign_element(
        &mut self,
        name: &str,
        index: &str,
        value: Value,
        span: Span,
        scope: &mut Scope,
    ) {
        let mut values = match scope.get(name).map(|variable| variable.held.clone()) {
            Some(Held::Many(values)) => values,
            Some(Held::One(value)) => vec![value],
            None => Vec::new(),
        };
        match index.trim().parse::<usize>() {
            Ok(at) if at < 256 => {
                if values.len() <= at {
                    values.resize(at + 1, Value::default());
                }
                values[at] = value;
            }
            _ => {
                scope.set_one(&format!("{name}[{index}]"), value.clone());
                values.push(value);
            }
        }
        self.charge(64 * values.len(), span);
        scope.set(name, Held::Many(values));
    }

    /// `a[$(command)]` runs its command wherever it is taken for a number or a name.
    pub(super) fn subscript(&mut self, text: &str, span: Span) {
        if text.contains("[$(") || text.contains("[`") {
            self.doubt(
                DoubtKind::Unclear,
                "a subscript that runs a command when it is evaluated",
                span,
            );
        }
    }

    /// `export name=value …`: values stay whole, lists are lists.
    pub(super) fn declaration(&mut self, words: &[ast::Word], scope: &mut Scope) -> Vec<Word> {
        let mut expanded = Vec::new();
        let exports = words.first().and_then(ast::Word::bare) == Some("export")
            || words.iter().any(|word| {
                word.bare()
                    .is_some_and(|text| text.starts_with('-') && text.contains('x'))
            });
        let refers = words.iter().skip(1).any(|word| {
            word.bare()
                .is_some_and(|text| text.starts_with('-') && text.contains('n'))
        });
        for (at, word) in words.iter().enumerate() {
            let assignment = (at > 0).then(|| as_assignment(word)).flatten();
            if let (true, Some(assignment)) = (refers, &assignment) {
                let target = self.one_word(&assignment.value, scope).text;
                scope.refer(&assignment.name, target);
            }
            let Some(assignment) = assignment else {
                expanded.extend(self.words(std::slice::from_ref(word), scope));
                if let (true, Some(name)) = (exports, word.bare()) {
                    scope.export(name);
                }
                continue;
            };
            if !refers {
                self.assign(&assignment, word.span, scope);
            }
            if exports {
                scope.export(&assignment.name);
            }
            let value = scope
                .get(&assignment.name)
                .map(|variable| variable.held.first())
                .unwrap_or_default();
            expanded.push(Word {
                text: format!("{}={}", assignment.name, value.text),
                glob: false,
                span: word.span,
                from: value.from,
            });
        }
        expanded
    }
}

/// `[key]=value` in a list.
fn keyed(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('[')?.split_once("]=")
}

/// `name=value` as an argument.
fn as_assignment(word: &ast::Word) -> Option<Assignment> {
    let Some(Part::Bare(head)) = word.parts.first() else {
        return None;
    };
    let (name, rest) = head.split_once('=')?;
    let (name, append) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !plain {
        return None;
    }
    let mut parts = Vec::new();
    if !rest.is_empty() {
        parts.push(Part::Bare(rest.to_owned()));
    }
    parts.extend(word.parts[1..].iter().cloned());
    Some(Assignment {
        name: name.to_owned(),
        index: None,
        append,
        value: ast::Word {
            parts,
            span: word.span,
        },
    })
}
