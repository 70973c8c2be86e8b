//! Assignments and declarations.

use super::Walker;
use super::run::value_of;
use super::scope::{Held, Scope, Value};
use crate::command::{Span, Word};
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
            values.extend(self.words(words, scope).into_iter().map(value_of));
            scope.set(&assignment.name, Held::Many(values));
            return;
        }
        // A pattern in an assignment stays as it is written until it is used.
        let value = Value {
            glob: false,
            ..value_of(self.one_word(&assignment.value, scope))
        };
        if let Some(index) = &assignment.index {
            let index = self.one_word(index, scope).text;
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
            _ => values.push(value),
        }
        self.charge(64 * values.len(), span);
        scope.set(name, Held::Many(values));
    }

    /// `export name=value …`: values stay whole, lists are lists.
    pub(super) fn declaration(&mut self, words: &[ast::Word], scope: &mut Scope) -> Vec<Word> {
        let mut expanded = Vec::new();
        let exports = words.first().and_then(ast::Word::bare) == Some("export")
            || words.iter().any(|word| {
                word.bare()
                    .is_some_and(|text| text.starts_with('-') && text.contains('x'))
            });
        for (at, word) in words.iter().enumerate() {
            let assignment = (at > 0).then(|| as_assignment(word)).flatten();
            let Some(assignment) = assignment else {
                expanded.extend(self.words(std::slice::from_ref(word), scope));
                if let (true, Some(name)) = (exports, word.bare()) {
                    scope.export(name);
                }
                continue;
            };
            self.assign(&assignment, word.span, scope);
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
