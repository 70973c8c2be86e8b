//! Hooks without a matcher group, as the claude-agent library writes them: a command as a string, or an
//! object with `command`, `timeout_secs` and `matcher`.

use std::time::Duration;

use becket_model::{Dialect, EventKind, HookSpec, Matcher};

use super::hook::{self, BoundEvent};
use super::keys::{FLAT_HOOK, ON_FAILURE};
use super::lint::{is_own_entry, is_own_program};
use super::reader::{ConfigReader, EntryReader, KeyPath, name_from};
use super::shapes::FileScope;
use super::tree::{ConfigField, ConfigNode, ConfigValue, find};

/// Reads one hook. `name` is its key if it stands in a map of named hooks.
pub(super) fn read(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
    name: Option<&str>,
    event: &EventKind,
    scope: FileScope,
) {
    match &node.tree {
        ConfigValue::Text(command) => text(reader, command, at, name, event, scope),
        ConfigValue::Table(fields) if !is_own(fields) => {
            table(reader, fields, at, name, event, scope);
        }
        _ => {}
    }
}

fn text(
    reader: &mut ConfigReader,
    command: &str,
    at: &KeyPath,
    name: Option<&str>,
    event: &EventKind,
    scope: FileScope,
) {
    if is_own_entry(command) {
        return;
    }
    let mut entry = EntryReader::new(reader, at, &[]);
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
    reader: &mut ConfigReader,
    fields: &[ConfigField],
    at: &KeyPath,
    name: Option<&str>,
    event: &EventKind,
    mut scope: FileScope,
) {
    let mut entry = EntryReader::new(reader, at, fields);
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
    entry: &mut EntryReader,
    dialect: Dialect,
    name: Option<&str>,
    event: &EventKind,
    scope: FileScope,
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

/// `timeout_secs` states its unit; the unit of `timeout` depends on the dialect.
fn timeout(entry: &mut EntryReader, dialect: Dialect) -> Option<Duration> {
    match ["timeout_secs", "timeoutSecs"]
        .into_iter()
        .find(|key| entry.has(key))
    {
        Some(key) => entry.duration(key, Duration::from_secs(1)),
        None => entry.duration("timeout", hook::unit(dialect)),
    }
}

fn matcher(entry: &mut EntryReader, dialect: Dialect, event: &EventKind) -> Matcher {
    let Some(field) = entry.field("matcher") else {
        return Matcher::all();
    };
    let bound = BoundEvent::to(event.clone());
    hook::matcher(entry.reader, entry.place, field, dialect, &bound).unwrap_or_else(|message| {
        entry.fault.get_or_insert(message);
        Matcher::all()
    })
}

fn spec(
    entry: &EntryReader,
    dialect: Dialect,
    name: Option<&str>,
    event: &EventKind,
    command: &str,
    scope: FileScope,
) -> HookSpec {
    let source = entry.reader.source(entry.place);
    let name = name.unwrap_or(name_from(&source.key)).to_owned();
    let mut spec = HookSpec::command(name, dialect, event.clone(), command, source);
    spec.timeout = hook::default_timeout(dialect, event, &spec.action, false);
    spec.enabled = scope.enabled;
    spec.root = entry.reader.file.root.map(ToOwned::to_owned);
    spec
}

fn give_up(mut entry: EntryReader, name: Option<&str>, event: &EventKind) {
    let on_failure = entry.on_failure_unchecked(ON_FAILURE);
    let message = entry
        .fault
        .take()
        .unwrap_or_else(|| "unknown dialect".to_owned());
    entry
        .reader
        .add_broken(entry.place, name, event, on_failure, message);
}

/// Whether the fields of a hook are Becket's own entry.
pub(super) fn is_own(fields: &[ConfigField]) -> bool {
    let Some(command) = find(fields, "command").and_then(|field| field.node.text()) else {
        return false;
    };
    match find(fields, "args").map(|field| &field.node.tree) {
        Some(ConfigValue::List(args)) => {
            let args: Vec<String> = args
                .iter()
                .filter_map(|arg| arg.text().map(str::to_owned))
                .collect();
            is_own_program(command, &args)
        }
        _ => is_own_entry(command),
    }
}
