//! Maps from events to matcher groups, for files that allow no other shape: Gemini CLI's and Codex's.

use becket_model::{Dialect, EventKind, OnFailure};

use super::hook;
use super::matcher_groups;
use super::reader::{ConfigReader, DialectChoice, KeyPath};
use super::shapes::FileScope;
use super::tree::{ConfigField, ConfigNode, ConfigValue};

/// Reads a map from events to lists of groups. Keys in `skip` are not events.
pub(super) fn events(
    reader: &mut ConfigReader,
    field: &ConfigField,
    at: &KeyPath,
    dialect: Dialect,
    enabled: bool,
    skip: &[&str],
) {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!(
            "expected an object of events, found {}",
            field.node.describe()
        );
        let hint = "write {\"<event>\": [{\"matcher\": …, \"hooks\": […]}]}";
        return reader.error(&at, message, Some(hint.to_owned()));
    };
    let scope = FileScope {
        nested: dialect,
        choice: DialectChoice::Explicit(dialect),
        enabled,
        subagent: false,
    };
    for field in reader.fields(fields, &at) {
        if !skip.contains(&&*field.key) {
            one_event(reader, field, &at.field(field), scope);
        }
    }
}

fn one_event(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath, scope: FileScope) {
    let bound = hook::bind(reader, at, scope.nested, &field.key);
    let Some((first, others)) = bound.split_first() else {
        return;
    };
    let mark = reader.mark();
    match &field.node.tree {
        ConfigValue::Null => {}
        ConfigValue::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                element(
                    reader,
                    node,
                    &at.index(index, node.line),
                    &first.event,
                    scope,
                );
            }
            // If one group asks for it, Gemini runs all hooks of the event sequentially.
            if nodes.iter().any(is_sequential) {
                for hook in reader.hooks_since(mark) {
                    hook.sequential = true;
                }
            }
        }
        _ => report_mismatch(reader, &field.node, at, &first.event),
    }
    let others: Vec<EventKind> = others.iter().map(|bound| bound.event.clone()).collect();
    reader.bind_also(mark, &others);
}

fn is_sequential(node: &ConfigNode) -> bool {
    node.get("sequential")
        .is_some_and(|field| matches!(field.node.tree, ConfigValue::Bool(true)))
}

fn element(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
    event: &EventKind,
    scope: FileScope,
) {
    match &node.tree {
        ConfigValue::Table(fields) if node.get("hooks").is_some() => {
            matcher_groups::group(reader, fields, at, event, scope);
        }
        _ => report_mismatch(reader, node, at, event),
    }
}

fn report_mismatch(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, event: &EventKind) {
    let (message, hint) = match &node.tree {
        ConfigValue::Table(_) => (
            "not a matcher group: it has no `hooks`".to_owned(),
            "write [{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …}]}]",
        ),
        _ => (
            format!("expected matcher groups, found {}", node.describe()),
            "write [{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …}]}]",
        ),
    };
    reader.error(at, &*message, Some(hint.to_owned()));
    reader.add_broken(at, None, event, OnFailure::Allow, message);
}
