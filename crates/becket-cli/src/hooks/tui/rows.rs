//! The lines of the list.

use crate::hooks::builtins::{BUILTINS, about};
use crate::hooks::catalog::Definition;
use crate::hooks::list::by_event;

/// One line of the list.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Row {
    Event {
        name: String,
        /// The definitions below it.
        hooks: Vec<usize>,
    },
    Hook(usize),
    /// The heading above the built-ins.
    Builtins,
    Builtin(usize),
}

/// What makes a definition the same after its file was changed elsewhere.
pub(super) fn identity(hook: &Definition) -> String {
    let first = hook.first();
    let file = first.source.file.display();
    format!("{file}\n{}\n{}", first.name, first.definition())
}

/// The lines that a filter lets through: hooks below their events, then the built-ins that nobody has.
pub(super) fn rows(hooks: &[Definition], filter: &str) -> Vec<Row> {
    let wanted = filter.to_lowercase();
    let shows = |texts: &[&str]| {
        let mut texts = texts.iter();
        wanted.is_empty() || texts.any(|text| text.to_lowercase().contains(&wanted))
    };
    let mut rows = Vec::new();
    for (event, group) in by_event(hooks) {
        let index = |wanted: &Definition| hooks.iter().position(|one| std::ptr::eq(one, wanted));
        let below: Vec<usize> = group
            .iter()
            .filter(|(hook, one)| {
                let about = about(hook).unwrap_or_default();
                let (action, file) = (hook.action.summary(), one.place());
                shows(&[event, one.name(), about, &action, &file])
            })
            .filter_map(|(_, one)| index(one))
            .collect();
        if !below.is_empty() {
            rows.push(Row::Event {
                name: event.to_owned(),
                hooks: below.clone(),
            });
            rows.extend(below.into_iter().map(Row::Hook));
        }
    }
    let unused: Vec<Row> = BUILTINS
        .iter()
        .enumerate()
        .filter(|(_, builtin)| {
            let is_set_up = |hook: &Definition| {
                let action = &hook.first().action;
                action.kind() == "builtin" && action.summary() == builtin.name
            };
            !hooks.iter().any(is_set_up) && shows(&[builtin.name, builtin.about])
        })
        .map(|(index, _)| Row::Builtin(index))
        .collect();
    if !unused.is_empty() {
        rows.push(Row::Builtins);
        rows.extend(unused);
    }
    rows
}
