//! Cursor's `hooks.json`.

use becket_model::{Dialect, EventKind, HookSpec, Layer, Matcher, OnFailure};
use serde_json::Value;

use super::flat::is_own;
use super::hook::{self, BoundEvent};
use super::keys::CURSOR_HOOK;
use super::reader::{ConfigReader, EntryReader, KeyPath, name_from};
use super::tree::{ConfigField, ConfigNode, ConfigValue};
use super::{ConfigFile, read_json};

/// Explains why a small mistake matters.
const REJECTS_FILE: &str = "Cursor rejects the whole file";

/// Reads `.cursor/hooks.json`, the user's own, or a plugin's `hooks/hooks.json`.
pub fn cursor(file: &ConfigFile) -> Layer {
    read_json(
        file,
        |_| true,
        |reader, node, at| {
            if let ConfigValue::Table(fields) = &node.tree {
                let known = ["version", "hooks", "$schema", "stop_hook_loop_limit"];
                reader.duplicates(fields, at);
                reader.unknown_keys(fields, at, &known.into_iter());
            }
            version(reader, node, at);
            if let Some(field) = node.get("stop_hook_loop_limit") {
                let hint = "set `loop_limit` in each hook".to_owned();
                reader.warn(&at.field(field), "is obsolete", Some(hint));
            }
            let Some(field) = node.get("hooks") else {
                return;
            };
            let at = at.field(field);
            let ConfigValue::Table(fields) = &field.node.tree else {
                let message = format!(
                    "expected an object of events, found {}",
                    field.node.describe()
                );
                let hint = "write {\"preToolUse\": [{\"command\": …}]}";
                return reader.error(&at, message, Some(hint.to_owned()));
            };
            for field in reader.fields(fields, &at) {
                event(reader, field, &at.field(field));
            }
        },
    )
}

fn version(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) {
    let Some(field) = node.get("version") else {
        let hint = format!("write \"version\": 1; {REJECTS_FILE} without it");
        return reader.warn(at, "missing `version`", Some(hint));
    };
    let whole = match &field.node.tree {
        ConfigValue::Number(number) => number.as_u64().is_some_and(|version| version > 0),
        _ => false,
    };
    if !whole {
        let hint = format!("write 1; {REJECTS_FILE} otherwise");
        reader.warn(&at.field(field), "is not a valid version", Some(hint));
    }
}

fn event(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) {
    let bound = hook::bind(reader, at, Dialect::Cursor, &field.key);
    let nodes = match &field.node.tree {
        ConfigValue::Null => return,
        ConfigValue::List(nodes) => nodes,
        _ => {
            let message = format!(
                "expected an array of hooks, found {}",
                field.node.describe()
            );
            let hint = format!("write [{{\"command\": …}}]; {REJECTS_FILE} otherwise");
            reader.error(at, &*message, Some(hint));
            for bound in &bound {
                reader.add_broken(at, None, &bound.event, OnFailure::Allow, message.as_str());
            }
            return;
        }
    };
    let Some((first, others)) = bound.split_first() else {
        return;
    };
    let others: Vec<EventKind> = others.iter().map(|bound| bound.event.clone()).collect();
    for (index, node) in nodes.iter().enumerate() {
        let mark = reader.mark();
        read_hook(reader, node, &at.index(index, node.line), first);
        reader.bind_also(mark, &others);
    }
}

fn read_hook(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, bound: &BoundEvent) {
    let ConfigValue::Table(fields) = &node.tree else {
        let message = format!("expected a hook, found {}", node.describe());
        let hint = format!("write {{\"command\": …}}; {REJECTS_FILE} otherwise");
        reader.error(at, &*message, Some(hint));
        return reader.add_broken(at, None, &bound.event, OnFailure::Allow, message);
    };
    if is_own(fields) {
        return;
    }
    let mut entry = EntryReader::new(reader, at, fields);
    match read(&mut entry, bound) {
        Some(spec) if entry.fault.is_none() => {
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => {
            let closed = entry
                .field("failClosed")
                .is_some_and(|field| matches!(field.node.tree, ConfigValue::Bool(true)));
            let on_failure = if closed {
                OnFailure::Deny
            } else {
                OnFailure::Allow
            };
            let message = entry.fault.take().unwrap_or_default();
            let event = &bound.event;
            entry
                .reader
                .add_broken(at, None, event, on_failure, message);
        }
    }
}

fn read(entry: &mut EntryReader, bound: &BoundEvent) -> Option<HookSpec> {
    entry.check_keys(&CURSOR_HOOK.iter().copied());
    let kind = match entry.text("type") {
        Some(kind) => kind,
        None if entry.has("prompt") && !entry.has("command") => "prompt",
        None => "command",
    };
    let action = hook::action(entry, kind, &["command", "prompt"], "");
    let matcher = matcher(entry, Dialect::Cursor, bound);
    let timeout = entry.duration("timeout", hook::unit(Dialect::Cursor));
    let closed = entry.flag("failClosed").unwrap_or(false);
    loop_limit(entry);
    slashes(entry);
    let action = action?;
    let default = hook::default_timeout(Dialect::Cursor, &bound.event, &action, false);
    Some(HookSpec {
        matcher,
        action,
        timeout: timeout.unwrap_or(default),
        on_failure: closed.then_some(OnFailure::Deny),
        ..base(entry, Dialect::Cursor, bound)
    })
}

/// Reads a matcher that is a key of the hook itself.
pub(super) fn matcher(entry: &mut EntryReader, dialect: Dialect, bound: &BoundEvent) -> Matcher {
    let Some(field) = entry.field("matcher") else {
        return Matcher::all();
    };
    hook::matcher(entry.reader, entry.place, field, dialect, bound).unwrap_or_else(|message| {
        entry.fault.get_or_insert(message);
        Matcher::all()
    })
}

/// A hook spec for this position, with defaults only.
pub(super) fn base(entry: &EntryReader, dialect: Dialect, bound: &BoundEvent) -> HookSpec {
    let source = entry.reader.source(entry.place);
    let name = name_from(&source.key).to_owned();
    HookSpec {
        native_event: bound.native.clone(),
        root: entry.reader.file.root.map(ToOwned::to_owned),
        ..HookSpec::command(name, dialect, bound.event.clone(), "", source)
    }
}

fn loop_limit(entry: &mut EntryReader) {
    if let Some(field) = entry.field("loop_limit")
        && entry.natural("loop_limit").is_some()
    {
        let hint = "use `stop_retries` in Becket's `[settings]` to limit how often hooks keep an agent working";
        entry.warn_at(field, "is ignored", Some(hint));
    }
}

/// Warns about `//` and `/*` in a command or prompt, because Cursor strips comments without respecting quotes.
fn slashes(entry: &mut EntryReader) {
    let field = entry.field("command").or_else(|| entry.field("prompt"));
    let Some((field, text)) = field.and_then(|field| Some((field, field.node.text()?))) else {
        return;
    };
    let written = Value::from(text).to_string();
    if (text.contains("//") || text.contains("/*")) && entry.reader.file.text.contains(&written) {
        let hint = "write `\\/\\/`, or put the command into a script";
        let message = "Cursor treats `//` as a comment, even inside a string";
        entry.warn_at(field, message, Some(hint));
    }
}
