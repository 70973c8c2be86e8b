//! The rows of the hook list.

use crate::hooks::builtins::{BUILTINS, description_of};
use crate::hooks::catalog::HookDefinition;
use crate::hooks::list::by_event;

/// One row of the list.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum ListRow {
    Event {
        name: String,
        /// Indices of the definitions below the event.
        hooks: Vec<usize>,
    },
    Hook(usize),
    /// The heading of the built-ins.
    Builtins,
    Builtin(usize),
}

/// Identifies a definition across reloads.
pub(super) fn identity(hook: &HookDefinition) -> String {
    let first = hook.first();
    let file = first.source.file.display();
    format!("{file}\n{}\n{}", first.name, first.definition())
}

/// The rows that pass the filter: hooks by event, then the built-ins that are not set up.
pub(super) fn rows(hooks: &[HookDefinition], filter: &str) -> Vec<ListRow> {
    let wanted = filter.to_lowercase();
    let shows = |texts: &[&str]| {
        let mut texts = texts.iter();
        wanted.is_empty() || texts.any(|text| text.to_lowercase().contains(&wanted))
    };
    let mut rows = Vec::new();
    for (event, group) in by_event(hooks) {
        let index =
            |wanted: &HookDefinition| hooks.iter().position(|one| std::ptr::eq(one, wanted));
        let below: Vec<usize> = group
            .iter()
            .filter(|(hook, one)| {
                let about = description_of(hook).unwrap_or_default();
                let (action, file) = (hook.action.summary(), one.place());
                shows(&[event, one.name(), about, &action, &file])
            })
            .filter_map(|(_, one)| index(one))
            .collect();
        if !below.is_empty() {
            rows.push(ListRow::Event {
                name: event.to_owned(),
                hooks: below.clone(),
            });
            rows.extend(below.into_iter().map(ListRow::Hook));
        }
    }
    let unused: Vec<ListRow> = BUILTINS
        .iter()
        .enumerate()
        .filter(|(_, builtin)| {
            let is_set_up = |hook: &HookDefinition| {
                let action = &hook.first().action;
                action.kind() == "builtin" && action.summary() == builtin.name
            };
            !hooks.iter().any(is_set_up) && shows(&[builtin.name, builtin.about])
        })
        .map(|(index, _)| ListRow::Builtin(index))
        .collect();
    if !unused.is_empty() {
        rows.push(ListRow::Builtins);
        rows.extend(unused);
    }
    rows
}
