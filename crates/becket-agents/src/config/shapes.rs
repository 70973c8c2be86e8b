//! The shapes of hooks in JSON and YAML files, told apart per event and per element:
//! matcher groups (`[{matcher, hooks: […]}]`, see [`nested`](super::nested)), named hooks
//! (`{name: {command, …}}`, `{name: "command"}`) and plain lists (`["command"]`, `[{command, …}]`),
//! see [`flat`](super::flat).
//!
//! A value that has none of these shapes is an error that says which shape is nearest: a file never
//! gives no hooks without a word.

use becket_model::{Dialect, EventKind, OnFailure};

use super::flat;
use super::hook;
use super::keys::FLAT_HOOK;
use super::nested;
use super::reader::{Choice, Place, Reader};
use super::tree::{Field, Node, Tree};

/// What holds for a whole file.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// The dialect of matcher groups here.
    pub(super) nested: Dialect,
    /// What the file says about its dialect.
    pub(super) choice: Choice,
    /// Whether hooks are switched on.
    pub(super) enabled: bool,
    /// Whether the file describes a subagent, whose `Stop` is the subagent's.
    pub(super) subagent: bool,
}

/// Reads a map from events to hooks. Keys in `skip` are not events.
pub(super) fn events(
    reader: &mut Reader,
    fields: &[Field],
    at: &Place,
    mut scope: Scope,
    skip: &[&str],
) {
    if let Some(field) = super::tree::find(fields, "dialect") {
        scope.choice = reader.dialect(field, at);
    }
    for field in reader.fields(fields, at) {
        if field.key != "dialect" && !skip.contains(&&*field.key) {
            one_event(reader, field, &at.field(field), scope);
        }
    }
}

fn one_event(reader: &mut Reader, field: &Field, at: &Place, scope: Scope) {
    if is_autohand(field) {
        let hint = "that is Autohand's shape, which belongs in its own file; here it is {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}";
        reader.error(at, "is not an event", Some(hint.to_owned()));
        return;
    }
    let event = match hook::event(reader, at, &field.key) {
        EventKind::Stop if scope.subagent => EventKind::SubagentStop,
        event => event,
    };
    match &field.node.tree {
        Tree::Null => {}
        Tree::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                element(reader, node, &at.index(index, node.line), &event, scope);
            }
        }
        Tree::Table(hooks) => named(reader, &field.node, hooks, at, &event, scope),
        _ => misfit(reader, &field.node, at, &event),
    }
}

fn is_autohand(field: &Field) -> bool {
    match &field.node.tree {
        Tree::List(nodes) => {
            field.key == "hooks" && nodes.iter().any(|node| node.get("event").is_some())
        }
        Tree::Bool(_) => field.key == "enabled",
        _ => false,
    }
}

fn element(reader: &mut Reader, node: &Node, at: &Place, event: &EventKind, scope: Scope) {
    match &node.tree {
        Tree::Text(_) => flat::read(reader, node, at, None, event, scope),
        Tree::Table(fields) if node.get("hooks").is_some() => {
            nested::group(reader, fields, at, event, scope);
        }
        Tree::Table(_) if node.get("command").is_some() => {
            flat::read(reader, node, at, None, event, scope);
        }
        _ => misfit(reader, node, at, event),
    }
}

/// A map from names to hooks.
fn named(
    reader: &mut Reader,
    node: &Node,
    fields: &[Field],
    at: &Place,
    event: &EventKind,
    mut scope: Scope,
) {
    if is_group(node) || is_one_hook(node, fields) {
        return misfit(reader, node, at, event);
    }
    if let Some(field) = node.get("dialect") {
        scope.choice = reader.dialect(field, at);
    }
    for field in reader.fields(fields, at) {
        if field.key == "dialect" {
            continue;
        }
        let at = at.field(field);
        match &field.node.tree {
            Tree::Null => {}
            Tree::Text(_) => flat::read(reader, &field.node, &at, Some(&field.key), event, scope),
            Tree::Table(_) if !is_group(&field.node) => {
                flat::read(reader, &field.node, &at, Some(&field.key), event, scope);
            }
            _ => misfit(reader, &field.node, &at, event),
        }
    }
}

fn is_group(node: &Node) -> bool {
    node.get("hooks")
        .is_some_and(|field| matches!(field.node.tree, Tree::List(_)))
}

/// Whether this is a hook itself and not a map of hooks.
fn is_one_hook(node: &Node, fields: &[Field]) -> bool {
    node.get("command")
        .is_some_and(|field| field.node.text().is_some())
        && fields.len() > 1
        && fields.iter().all(|field| FLAT_HOOK.contains(&&*field.key))
}

/// Tells that a value has no shape of a hook, and which shape is nearest.
fn misfit(reader: &mut Reader, node: &Node, at: &Place, event: &EventKind) {
    let (message, hint) = match &node.tree {
        Tree::Table(_) if is_group(node) => (
            "a matcher group must be in an array".to_owned(),
            "write [{\"matcher\": \"Bash\", \"hooks\": […]}]",
        ),
        Tree::Table(_) if node.get("command").is_some() => (
            "a hook must be in an array or have a name".to_owned(),
            "write [{\"command\": …}] or {\"my-hook\": {\"command\": …}}",
        ),
        Tree::Table(_) => (
            "neither a matcher group nor a hook: it has no `hooks` and no `command`".to_owned(),
            "write {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": …}]}",
        ),
        _ => (
            format!("{} is no shape of a hook", node.what()),
            "expected an array of matcher groups, [{\"matcher\": \"Bash\", \"hooks\": […]}], or named hooks, {\"my-hook\": {\"command\": …}}",
        ),
    };
    reader.error(at, &*message, Some(hint.to_owned()));
    reader.broken(at, None, event, OnFailure::Allow, message);
}
