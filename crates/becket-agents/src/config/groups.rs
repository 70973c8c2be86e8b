//! Maps from events to matcher groups in files that know no other shape: Gemini CLI's and Codex's.

use becket_model::{Dialect, EventKind, OnFailure};

use super::hook;
use super::nested;
use super::reader::{Choice, Place, Reader};
use super::shapes::Scope;
use super::tree::{Field, Node, Tree};

/// Reads a map from events to lists of groups. Keys in `skip` are not events.
pub(super) fn events(
    reader: &mut Reader,
    field: &Field,
    at: &Place,
    dialect: Dialect,
    enabled: bool,
    skip: &[&str],
) {
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected an object of events, found {}", field.node.what());
        let hint = "write {\"<event>\": [{\"matcher\": …, \"hooks\": […]}]}";
        return reader.error(&at, message, Some(hint.to_owned()));
    };
    let scope = Scope {
        nested: dialect,
        choice: Choice::Said(dialect),
        enabled,
        subagent: false,
    };
    for field in reader.fields(fields, &at) {
        if !skip.contains(&&*field.key) {
            one_event(reader, field, &at.field(field), scope);
        }
    }
}

fn one_event(reader: &mut Reader, field: &Field, at: &Place, scope: Scope) {
    let bound = hook::bind(reader, at, scope.nested, &field.key);
    let Some((first, others)) = bound.split_first() else {
        return;
    };
    let mark = reader.mark();
    match &field.node.tree {
        Tree::Null => {}
        Tree::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                element(
                    reader,
                    node,
                    &at.index(index, node.line),
                    &first.event,
                    scope,
                );
            }
            // One group that asks for it makes Gemini run all hooks of the event in turn.
            if nodes.iter().any(is_sequential) {
                for hook in reader.hooks_since(mark) {
                    hook.sequential = true;
                }
            }
        }
        _ => misfit(reader, &field.node, at, &first.event),
    }
    let others: Vec<EventKind> = others.iter().map(|bound| bound.event.clone()).collect();
    reader.also_for(mark, &others);
}

fn is_sequential(node: &Node) -> bool {
    node.get("sequential")
        .is_some_and(|field| matches!(field.node.tree, Tree::Bool(true)))
}

fn element(reader: &mut Reader, node: &Node, at: &Place, event: &EventKind, scope: Scope) {
    match &node.tree {
        Tree::Table(fields) if node.get("hooks").is_some() => {
            nested::group(reader, fields, at, event, scope);
        }
        _ => misfit(reader, node, at, event),
    }
}

fn misfit(reader: &mut Reader, node: &Node, at: &Place, event: &EventKind) {
    let (message, hint) = match &node.tree {
        Tree::Table(_) => (
            "not a matcher group: it has no `hooks`".to_owned(),
            "write [{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …}]}]",
        ),
        _ => (
            format!("expected matcher groups, found {}", node.what()),
            "write [{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …}]}]",
        ),
    };
    reader.error(at, &*message, Some(hint.to_owned()));
    reader.broken(at, None, event, OnFailure::Allow, message);
}
