//! Hooks without a matcher group around them, as the claude-agent library writes them: a command as
//! text, or an object with `command`, `timeout_secs` and `matcher`.

use std::time::Duration;

use becket_model::{Dialect, EventKind, HookSpec, Matcher};

use super::hook::{self, Bound};
use super::keys::{FLAT_HOOK, ON_FAILURE};
use super::lint::{is_own_entry, is_own_program};
use super::reader::{Entry, Place, Reader, name_from};
use super::shapes::Scope;
use super::tree::{Field, Node, Tree, find};

/// Reads one hook, called `name` where a map names it.
pub(super) fn read(
    reader: &mut Reader,
    node: &Node,
    at: &Place,
    name: Option<&str>,
    event: &EventKind,
    scope: Scope,
) {
    match &node.tree {
        Tree::Text(command) => text(reader, command, at, name, event, scope),
        Tree::Table(fields) if !is_own(fields) => table(reader, fields, at, name, event, scope),
        _ => {}
    }
}

fn text(
    reader: &mut Reader,
    command: &str,
    at: &Place,
    name: Option<&str>,
    event: &EventKind,
    scope: Scope,
) {
    if is_own_entry(command) {
        return;
    }
    let mut entry = Entry::new(reader, at, &[]);
    if command.trim().is_empty() {
        entry.fail("the command is empty", None);
    }
    let dialect = scope.choice.or(Dialect::ClaudeAgent);
    let (Some(dialect), None) = (dialect, &entry.fault) else {
        return give_up(entry, name, event);
    };
    let spec = spec(&entry, dialect, name, event, command, scope);
    hook::check(&mut entry, &spec);
    entry.reader.layer.hooks.push(spec);
}

fn table(
    reader: &mut Reader,
    fields: &[Field],
    at: &Place,
    name: Option<&str>,
    event: &EventKind,
    mut scope: Scope,
) {
    let mut entry = Entry::new(reader, at, fields);
    if let Some(field) = entry.field("dialect") {
        scope.choice = entry.reader.dialect(field, at);
    }
    let name = name.or(entry.text("name"));
    let Some(dialect) = scope.choice.or(Dialect::ClaudeAgent) else {
        return give_up(entry, name, event);
    };
    let spec = fields_of(&mut entry, dialect, name, event, scope);
    match spec {
        Some(spec) if entry.fault.is_none() => {
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => give_up(entry, name, event),
    }
}

fn fields_of(
    entry: &mut Entry,
    dialect: Dialect,
    name: Option<&str>,
    event: &EventKind,
    scope: Scope,
) -> Option<HookSpec> {
    entry.check_keys(&FLAT_HOOK.iter().copied());
    let kind = entry.text("type").unwrap_or("command");
    let action = hook::action(entry, kind, &["command"], "allowedEnvVars");
    let timeout = timeout(entry, dialect);
    let condition = entry.condition();
    let matcher = matcher(entry, dialect, event);
    let is_async = entry.flag("async").unwrap_or(false);
    let once = entry.flag("once").unwrap_or(false);
    let priority = entry.integer("priority").unwrap_or(0);
    let on_failure = entry.on_failure(ON_FAILURE);
    let enabled = entry.flag("enabled").unwrap_or(true);
    let description = entry.owned("description");
    let action = action?;
    let base = spec(entry, dialect, name, event, "", scope);
    Some(HookSpec {
        description,
        matcher,
        condition,
        timeout: timeout
            .unwrap_or_else(|| hook::default_timeout(dialect, event, &action, is_async)),
        action,
        is_async,
        once,
        priority,
        on_failure,
        enabled: enabled && scope.enabled,
        ..base
    })
}

/// `timeout_secs` says its unit; the unit of `timeout` is the dialect's.
fn timeout(entry: &mut Entry, dialect: Dialect) -> Option<Duration> {
    match ["timeout_secs", "timeoutSecs"]
        .into_iter()
        .find(|key| entry.has(key))
    {
        Some(key) => entry.duration(key, Duration::from_secs(1)),
        None => entry.duration("timeout", hook::unit(dialect)),
    }
}

fn matcher(entry: &mut Entry, dialect: Dialect, event: &EventKind) -> Matcher {
    let Some(field) = entry.field("matcher") else {
        return Matcher::all();
    };
    let bound = Bound::to(event.clone());
    hook::matcher(entry.reader, entry.place, field, dialect, &bound).unwrap_or_else(|message| {
        entry.fault.get_or_insert(message);
        Matcher::all()
    })
}

fn spec(
    entry: &Entry,
    dialect: Dialect,
    name: Option<&str>,
    event: &EventKind,
    command: &str,
    scope: Scope,
) -> HookSpec {
    let source = entry.reader.source(entry.place);
    let name = name.unwrap_or(name_from(&source.key)).to_owned();
    let mut spec = HookSpec::command(name, dialect, event.clone(), command, source);
    spec.timeout = hook::default_timeout(dialect, event, &spec.action, false);
    spec.enabled = scope.enabled;
    spec.root = entry.reader.file.root.map(ToOwned::to_owned);
    spec
}

fn give_up(mut entry: Entry, name: Option<&str>, event: &EventKind) {
    let on_failure = entry.on_failure_quietly(ON_FAILURE);
    let message = entry
        .fault
        .take()
        .unwrap_or_else(|| "unknown dialect".to_owned());
    entry
        .reader
        .broken(entry.place, name, event, on_failure, message);
}

/// Whether the fields of a hook are Becket's own entry.
pub(super) fn is_own(fields: &[Field]) -> bool {
    let Some(command) = find(fields, "command").and_then(|field| field.node.text()) else {
        return false;
    };
    match find(fields, "args").map(|field| &field.node.tree) {
        Some(Tree::List(args)) => {
            let args: Vec<String> = args
                .iter()
                .filter_map(|arg| arg.text().map(str::to_owned))
                .collect();
            is_own_program(command, &args)
        }
        _ => is_own_entry(command),
    }
}
