//! Evaluates assignments and declarations.

use super::Analyzer;
use super::scope::{ShellScope, ShellValue, VariableContent};
use super::simple_command::value_of;
use crate::command::{DoubtKind, Span, Word};
use crate::shell::ast::{self, Assignment, WordPart};

impl Analyzer<'_> {
    pub(super) fn assign(&mut self, assignment: &Assignment, span: Span, scope: &mut ShellScope) {
        if let [WordPart::Array(words)] = assignment.value.parts.as_slice() {
            let mut values: Vec<ShellValue> = Vec::new();
            if assignment.append {
                match scope
                    .get(&assignment.name)
                    .map(|variable| variable.content.clone())
                {
                    Some(VariableContent::Many(old)) => values = old,
                    Some(VariableContent::One(old)) => values.push(old),
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
            scope.set(&assignment.name, VariableContent::Many(values));
            return;
        }
        // A glob in an assignment stays unexpanded until it is used.
        let value = ShellValue {
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
                || ShellValue::unknown(Vec::new()),
                |variable| variable.content.first(),
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
        value: ShellValue,
        span: Span,
        scope: &mut ShellScope,
    ) {
        let mut values = match scope.get(name).map(|variable| variable.content.clone()) {
            Some(VariableContent::Many(values)) => values,
            Some(VariableContent::One(value)) => vec![value],
            None => Vec::new(),
        };
        match index.trim().parse::<usize>() {
            Ok(at) if at < 256 => {
                if values.len() <= at {
                    values.resize(at + 1, ShellValue::default());
                }
                values[at] = value;
            }
            _ => {
                scope.set_one(&format!("{name}[{index}]"), value.clone());
                values.push(value);
            }
        }
        self.charge(64 * values.len(), span);
        scope.set(name, VariableContent::Many(values));
    }

    /// `a[$(command)]` runs its command wherever it is evaluated as a number or a name.
    pub(super) fn subscript(&mut self, text: &str, span: Span) {
        if text.contains("[$(") || text.contains("[`") {
            self.doubt(
                DoubtKind::Unclear,
                "a subscript that runs a command when it is evaluated",
                span,
            );
        }
    }

    /// `export name=value …`: values are not split, lists stay lists.
    pub(super) fn declaration(
        &mut self,
        words: &[ast::WordNode],
        scope: &mut ShellScope,
    ) -> Vec<Word> {
        let mut expanded = Vec::new();
        let exports = words.first().and_then(ast::WordNode::bare) == Some("export")
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
                scope.add_reference(&assignment.name, target);
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
                .map(|variable| variable.content.first())
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
fn as_assignment(word: &ast::WordNode) -> Option<Assignment> {
    let Some(WordPart::Bare(head)) = word.parts.first() else {
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
        parts.push(WordPart::Bare(rest.to_owned()));
    }
    parts.extend(word.parts[1..].iter().cloned());
    Some(Assignment {
        name: name.to_owned(),
        index: None,
        append,
        value: ast::WordNode {
            parts,
            span: word.span,
        },
    })
}
