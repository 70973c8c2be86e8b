//! Distinguishes the shapes of hooks in JSON and YAML files, per event and per element: matcher groups
//! (`[{matcher, hooks: […]}]`, see [`matcher_groups`](super::matcher_groups)), named hooks
//! (`{name: {command, …}}`, `{name: "command"}`) and plain lists (`["command"]`, `[{command, …}]`),
//! see [`flat`](super::flat).
//!
//! A value of any other shape is an error that names the nearest shape: no file is skipped silently.

use becket_model::{Dialect, EventKind, OnFailure};

use super::flat;
use super::hook;
use super::keys::FLAT_HOOK;
use super::matcher_groups;
use super::reader::{ConfigReader, DialectChoice, KeyPath};
use super::tree::{ConfigField, ConfigNode, ConfigValue};

/// Properties of a whole file.
#[derive(Clone, Copy)]
pub(super) struct FileScope {
    /// The dialect of matcher groups here.
    pub(super) nested: Dialect,
    /// The dialect that the file selects.
    pub(super) choice: DialectChoice,
    /// Whether its hooks are enabled.
    pub(super) enabled: bool,
    /// Whether the file describes a subagent, so that `Stop` means `SubagentStop`.
    pub(super) subagent: bool,
}

/// Reads a map from events to hooks. Keys in `skip` are not events.
pub(super) fn events(
    reader: &mut ConfigReader,
    fields: &[ConfigField],
    at: &KeyPath,
    mut scope: FileScope,
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

fn one_event(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath, scope: FileScope) {
    if is_autohand(field) {
        let hint = "this is Autohand's format, which belongs in Autohand's own file; write {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}";
        reader.error(at, "is not an event", Some(hint.to_owned()));
        return;
    }
    let event = match hook::event(reader, at, &field.key) {
        EventKind::Stop if scope.subagent => EventKind::SubagentStop,
        event => event,
    };
    match &field.node.tree {
        ConfigValue::Null => {}
        ConfigValue::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                element(reader, node, &at.index(index, node.line), &event, scope);
            }
        }
        ConfigValue::Table(hooks) => named(reader, &field.node, hooks, at, &event, scope),
        _ => report_mismatch(reader, &field.node, at, &event),
    }
}

fn is_autohand(field: &ConfigField) -> bool {
    match &field.node.tree {
        ConfigValue::List(nodes) => {
            field.key == "hooks" && nodes.iter().any(|node| node.get("event").is_some())
        }
        ConfigValue::Bool(_) => field.key == "enabled",
        _ => false,
    }
}

fn element(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
    event: &EventKind,
    scope: FileScope,
) {
    match &node.tree {
        ConfigValue::Text(_) => flat::read(reader, node, at, None, event, scope),
        ConfigValue::Table(fields) if node.get("hooks").is_some() => {
            matcher_groups::group(reader, fields, at, event, scope);
        }
        ConfigValue::Table(_) if node.get("command").is_some() => {
            flat::read(reader, node, at, None, event, scope);
        }
        _ => report_mismatch(reader, node, at, event),
    }
}

/// A map from names to hooks.
fn named(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    fields: &[ConfigField],
    at: &KeyPath,
    event: &EventKind,
    mut scope: FileScope,
) {
    if is_group(node) || is_one_hook(node, fields) {
        return report_mismatch(reader, node, at, event);
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
            ConfigValue::Null => {}
            ConfigValue::Text(_) => {
                flat::read(reader, &field.node, &at, Some(&field.key), event, scope);
            }
            ConfigValue::Table(_) if !is_group(&field.node) => {
                flat::read(reader, &field.node, &at, Some(&field.key), event, scope);
            }
            _ => report_mismatch(reader, &field.node, &at, event),
        }
    }
}

fn is_group(node: &ConfigNode) -> bool {
    node.get("hooks")
        .is_some_and(|field| matches!(field.node.tree, ConfigValue::List(_)))
}

/// Whether this is a single hook and not a map of hooks.
fn is_one_hook(node: &ConfigNode, fields: &[ConfigField]) -> bool {
    node.get("command")
        .is_some_and(|field| field.node.text().is_some())
        && fields.len() > 1
        && fields.iter().all(|field| FLAT_HOOK.contains(&&*field.key))
}

/// Reports a value that is not a hook, and names the nearest shape.
fn report_mismatch(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, event: &EventKind) {
    let (message, hint) = match &node.tree {
        ConfigValue::Table(_) if is_group(node) => (
            "a matcher group must be in an array".to_owned(),
            "write [{\"matcher\": \"Bash\", \"hooks\": […]}]",
        ),
        ConfigValue::Table(_) if node.get("command").is_some() => (
            "a hook must be in an array or have a name".to_owned(),
            "write [{\"command\": …}] or {\"my-hook\": {\"command\": …}}",
        ),
        ConfigValue::Table(_) => (
            "neither a matcher group nor a hook: it has no `hooks` and no `command`".to_owned(),
            "write {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": …}]}",
        ),
        _ => (
            format!("{} is not a hook", node.describe()),
            "expected an array of matcher groups, [{\"matcher\": \"Bash\", \"hooks\": […]}], or named hooks, {\"my-hook\": {\"command\": …}}",
        ),
    };
    reader.error(at, &*message, Some(hint.to_owned()));
    reader.add_broken(at, None, event, OnFailure::Allow, message);
}
