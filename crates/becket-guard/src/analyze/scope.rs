//! State of a shell at a point in the text: variables, functions, working directory, launchers.

use std::rc::Rc;

use crate::command::{Launcher, Stdin, UNKNOWN, Word};
use crate::facts::RunLocation;
use crate::shell::ast::Command;

/// Maximum number of alternative values for one variable.
const MAX_OTHERS: usize = 6;

/// A text and the commands that it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellValue {
    pub(super) text: String,
    pub(super) from: Vec<usize>,
    /// Whether the text is a glob that stands for the names it matches.
    pub(super) glob: bool,
}

impl ShellValue {
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

/// The content of a variable: one value or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableContent {
    One(ShellValue),
    Many(Vec<ShellValue>),
}

impl VariableContent {
    pub(super) fn first(&self) -> ShellValue {
        match self {
            Self::One(value) => value.clone(),
            Self::Many(values) => values.first().cloned().unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellVariable {
    pub(super) name: String,
    pub(super) content: VariableContent,
    /// Alternative contents, after branches that were merged.
    pub(super) others: Vec<VariableContent>,
    pub(super) exported: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct ShellScope {
    variables: Vec<ShellVariable>,
    /// Name references: `declare -n`.
    references: Vec<(String, String)>,
    pub(super) functions: Vec<(String, Rc<Command>)>,
    pub(super) exported_functions: Vec<String>,
    pub(super) aliases: Vec<(String, String)>,
    /// Working directory; `None` if a `cd` could not be resolved.
    pub(super) cwd: Option<String>,
    pub(super) old_cwd: Option<String>,
    pub(super) stack: Vec<Option<String>>,
    /// `$1`, `$2` …; `None` if they are unknown.
    pub(super) arguments: Option<Vec<ShellValue>>,
    /// `$0`
    pub(super) zero: Option<ShellValue>,
    pub(super) via: Vec<Launcher>,
    pub(super) stdin: Stdin,
    pub(super) sources: Vec<usize>,
    /// The file that standard input is redirected from.
    pub(super) input_file: Option<Word>,
}

impl ShellScope {
    pub(super) fn new(location: &RunLocation) -> Self {
        Self {
            cwd: (!location.cwd.is_empty()).then(|| location.cwd.clone()),
            ..Self::default()
        }
    }

    /// Makes `name` a reference to the variable `target`.
    pub(super) fn add_reference(&mut self, name: &str, target: String) {
        self.references.retain(|(known, _)| known != name);
        self.references.push((name.to_owned(), target));
    }

    fn resolve_reference<'n>(&'n self, name: &'n str) -> &'n str {
        let found = self.references.iter().find(|(known, _)| known == name);
        found.map_or(name, |(_, target)| target)
    }

    pub(super) fn get(&self, name: &str) -> Option<&ShellVariable> {
        let name = self.resolve_reference(name);
        self.variables.iter().find(|variable| variable.name == name)
    }

    pub(super) fn set(&mut self, name: &str, content: VariableContent) {
        let name = self.resolve_reference(name).to_owned();
        let name = name.as_str();
        if let Some(variable) = self
            .variables
            .iter_mut()
            .find(|variable| variable.name == name)
        {
            variable.content = content;
            variable.others.clear();
            return;
        }
        self.variables.push(ShellVariable {
            name: name.to_owned(),
            content,
            others: Vec::new(),
            exported: usually_exported(name),
        });
    }

    pub(super) fn set_one(&mut self, name: &str, value: ShellValue) {
        self.set(name, VariableContent::One(value));
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

    pub(super) fn exported(&self) -> impl Iterator<Item = &ShellVariable> {
        self.variables.iter().filter(|variable| variable.exported)
    }

    pub(super) fn is_ambiguous(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|variable| !variable.others.is_empty())
    }

    /// Sets a variable to one of several values.
    pub(super) fn set_any(&mut self, name: &str, mut all: Vec<VariableContent>) {
        if all.len() > MAX_OTHERS {
            all.truncate(MAX_OTHERS);
            all.push(VariableContent::One(ShellValue::unknown(Vec::new())));
        }
        if let Some(first) = all.first() {
            self.set(name, first.clone());
            self.restore(name, all);
        }
    }

    /// All values of a variable, if there are several.
    pub(super) fn alternatives(&self, name: &str) -> Option<Vec<VariableContent>> {
        let variable = self
            .get(name)
            .filter(|variable| !variable.others.is_empty())?;
        let mut all = vec![variable.content.clone()];
        all.extend(variable.others.iter().cloned());
        Some(all)
    }

    pub(super) fn restore(&mut self, name: &str, mut all: Vec<VariableContent>) {
        if let Some(variable) = self
            .variables
            .iter_mut()
            .find(|variable| variable.name == name)
        {
            if !all.is_empty() {
                variable.content = all.remove(0);
            }
            variable.others = all;
        }
    }

    pub(super) fn variables(&self) -> Vec<ShellVariable> {
        self.variables.clone()
    }

    /// Adds the earlier contents of the variables as alternatives.
    pub(super) fn merge_earlier(&mut self, earlier: Vec<ShellVariable>) {
        for theirs in earlier {
            match self
                .variables
                .iter_mut()
                .find(|variable| variable.name == theirs.name)
            {
                None => self.variables.push(theirs),
                Some(ours) => {
                    ours.exported |= theirs.exported;
                    for content in std::iter::once(theirs.content).chain(theirs.others) {
                        let new = content != ours.content && !ours.others.contains(&content);
                        if new && ours.others.len() < MAX_OTHERS {
                            ours.others.push(content);
                        } else if new && ours.others.len() == MAX_OTHERS {
                            let unknown = ShellValue::unknown(Vec::new());
                            ours.others.push(VariableContent::One(unknown));
                        }
                    }
                }
            }
        }
    }

    /// Merges two execution paths: each variable holds either of its values.
    pub(super) fn join(&mut self, other: ShellScope) {
        self.merge_earlier(other.variables);
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

    /// Whether a known variable has changed, so that another iteration may run different commands.
    pub(super) fn has_changed_since(&self, before: &ShellScope) -> bool {
        self.variables.iter().any(|variable| {
            variable.content.first().is_known()
                && before.get(&variable.name).is_none_or(|old| {
                    old.content != variable.content || old.others != variable.others
                })
        })
    }

    /// Keeps only exported functions, as in a new shell.
    pub(super) fn only_exported_functions(&mut self) {
        let exported = &self.exported_functions;
        self.functions.retain(|(name, _)| exported.contains(name));
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Command>) {
        self.functions.retain(|(known, _)| known != name);
        self.functions.push((name.to_owned(), body));
    }
}

/// Variables that every login exports, so setting them affects every program.
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
