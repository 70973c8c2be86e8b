//! What a shell knows at a point: variables, functions, where it is, who runs it.

use std::rc::Rc;

use crate::command::{Stdin, UNKNOWN, Via, Word};
use crate::facts::Place;
use crate::shell::ast::Command;

/// More values than this for one variable are not told apart.
const MAX_OTHERS: usize = 6;

/// Text and the commands it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) from: Vec<usize>,
    /// Whether it stands for the names that a pattern matches.
    pub(super) glob: bool,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    pub(super) fn new(text: String, from: Vec<usize>) -> Self {
        Self {
            text,
            from,
            glob: false,
        }
    }

    pub(super) fn unknown(from: Vec<usize>) -> Self {
        Self {
            text: UNKNOWN.to_string(),
            from,
            glob: false,
        }
    }

    pub(super) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }
}

/// What a variable holds: one value, or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    One(Value),
    Many(Vec<Value>),
}

impl Held {
    pub(super) fn first(&self) -> Value {
        match self {
            Self::One(value) => value.clone(),
            Self::Many(values) => values.first().cloned().unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) held: Held,
    /// What it may hold as well, after branches that came together.
    pub(super) others: Vec<Held>,
    pub(super) exported: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    variables: Vec<Variable>,
    /// Names that stand for other names: `declare -n`.
    references: Vec<(String, String)>,
    pub(super) functions: Vec<(String, Rc<Command>)>,
    pub(super) exported_functions: Vec<String>,
    pub(super) aliases: Vec<(String, String)>,
    /// `None` when a `cd` could not be followed.
    pub(super) cwd: Option<String>,
    pub(super) old_cwd: Option<String>,
    pub(super) stack: Vec<Option<String>>,
    /// `$1`, `$2` …; `None` when nobody here gave them.
    pub(super) arguments: Option<Vec<Value>>,
    /// `$0`
    pub(super) zero: Option<Value>,
    pub(super) via: Vec<Via>,
    pub(super) stdin: Stdin,
    pub(super) sources: Vec<usize>,
    /// The file that standard input is redirected from.
    pub(super) input_file: Option<Word>,
}

impl Scope {
    pub(super) fn new(place: &Place) -> Self {
        Self {
            cwd: (!place.cwd.is_empty()).then(|| place.cwd.clone()),
            ..Self::default()
        }
    }

    /// Lets `name` stand for the variable `target`.
    pub(super) fn refer(&mut self, name: &str, target: String) {
        self.references.retain(|(known, _)| known != name);
        self.references.push((name.to_owned(), target));
    }

    fn referred<'n>(&'n self, name: &'n str) -> &'n str {
        let found = self.references.iter().find(|(known, _)| known == name);
        found.map_or(name, |(_, target)| target)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        let name = self.referred(name);
        self.variables.iter().find(|variable| variable.name == name)
    }

    pub(super) fn set(&mut self, name: &str, held: Held) {
        let name = self.referred(name).to_owned();
        let name = name.as_str();
        if let Some(variable) = self
            .variables
            .iter_mut()
            .find(|variable| variable.name == name)
        {
            variable.held = held;
            variable.others.clear();
            return;
        }
        self.variables.push(Variable {
            name: name.to_owned(),
            held,
            others: Vec::new(),
            exported: usually_exported(name),
        });
    }

    pub(super) fn set_one(&mut self, name: &str, value: Value) {
        self.set(name, Held::One(value));
    }

    pub(super) fn export(&mut self, name: &str) {
        if self.get(name).is_none() {
            return;
        }
        for variable in &mut self.variables {
            variable.exported |= variable.name == name;
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.variables.retain(|variable| variable.name != name);
    }

    pub(super) fn exported(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| variable.exported)
    }

    pub(super) fn is_ambiguous(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|variable| !variable.others.is_empty())
    }

    /// Lets a variable hold one of several values.
    pub(super) fn set_any(&mut self, name: &str, mut all: Vec<Held>) {
        if all.len() > MAX_OTHERS {
            all.truncate(MAX_OTHERS);
            all.push(Held::One(Value::unknown(Vec::new())));
        }
        if let Some(first) = all.first() {
            self.set(name, first.clone());
            self.restore(name, all);
        }
    }

    /// Every value that a variable may hold when there are several.
    pub(super) fn alternatives(&self, name: &str) -> Option<Vec<Held>> {
        let variable = self
            .get(name)
            .filter(|variable| !variable.others.is_empty())?;
        let mut all = vec![variable.held.clone()];
        all.extend(variable.others.iter().cloned());
        Some(all)
    }

    pub(super) fn restore(&mut self, name: &str, mut all: Vec<Held>) {
        if let Some(variable) = self
            .variables
            .iter_mut()
            .find(|variable| variable.name == name)
        {
            if !all.is_empty() {
                variable.held = all.remove(0);
            }
            variable.others = all;
        }
    }

    pub(super) fn variables(&self) -> Vec<Variable> {
        self.variables.clone()
    }

    /// Variables may also hold what they held then.
    pub(super) fn may_hold(&mut self, earlier: Vec<Variable>) {
        for theirs in earlier {
            match self
                .variables
                .iter_mut()
                .find(|variable| variable.name == theirs.name)
            {
                None => self.variables.push(theirs),
                Some(ours) => {
                    ours.exported |= theirs.exported;
                    for held in std::iter::once(theirs.held).chain(theirs.others) {
                        let new = held != ours.held && !ours.others.contains(&held);
                        if new && ours.others.len() < MAX_OTHERS {
                            ours.others.push(held);
                        } else if new && ours.others.len() == MAX_OTHERS {
                            let unknown = Value::unknown(Vec::new());
                            ours.others.push(Held::One(unknown));
                        }
                    }
                }
            }
        }
    }

    /// What holds after either of two ways: a variable holds one value or the other.
    pub(super) fn join(&mut self, other: Scope) {
        self.may_hold(other.variables);
        for (name, body) in other.functions {
            if !self.functions.iter().any(|(known, _)| *known == name) {
                self.functions.push((name, body));
            }
        }
        for (name, text) in other.aliases {
            if !self.aliases.iter().any(|(known, _)| *known == name) {
                self.aliases.push((name, text));
            }
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
    }

    /// Whether the variables differ in a way that running something a second time would show.
    pub(super) fn gained_over(&self, before: &Scope) -> bool {
        self.variables.iter().any(|variable| {
            variable.held.first().is_known()
                && before
                    .get(&variable.name)
                    .is_none_or(|old| old.held != variable.held || old.others != variable.others)
        })
    }

    /// A shell of its own knows only the functions that were exported.
    pub(super) fn only_exported_functions(&mut self) {
        let exported = &self.exported_functions;
        self.functions.retain(|(name, _)| exported.contains(name));
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Command>) {
        self.functions.retain(|(known, _)| known != name);
        self.functions.push((name.to_owned(), body));
    }
}

/// Variables that every login has in its environment, so that setting them reaches every program.
fn usually_exported(name: &str) -> bool {
    matches!(
        name,
        "PATH"
            | "HOME"
            | "SHELL"
            | "USER"
            | "TERM"
            | "LANG"
            | "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "TMPDIR"
            | "PWD"
    )
}
