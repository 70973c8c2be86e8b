//! Cursor's `hooks.json`.

use becket_model::{Dialect, EventKind, HookSpec, Layer, Matcher, OnFailure};
use serde_json::Value;

use super::flat::is_own;
use super::hook::{self, Bound};
use super::keys::CURSOR_HOOK;
use super::reader::{Entry, Place, Reader, name_from};
use super::tree::{Field, Node, Tree};
use super::{File, read_json};

/// Why it matters that a small thing is wrong.
const REFUSES: &str = "Cursor itself refuses the whole file";

/// Reads `.cursor/hooks.json`, the person's own, or a plugin's `hooks/hooks.json`.
pub fn cursor(file: &File) -> Layer {
    read_json(
        file,
        |_| true,
        |reader, node, at| {
            if let Tree::Table(fields) = &node.tree {
                let known = ["version", "hooks", "$schema", "stop_hook_loop_limit"];
                reader.duplicates(fields, at);
                reader.unknown_keys(fields, at, &known.into_iter());
            }
            version(reader, node, at);
            if let Some(field) = node.get("stop_hook_loop_limit") {
                let hint = "Cursor wants `loop_limit` in each hook".to_owned();
                reader.warn(&at.field(field), "means nothing any more", Some(hint));
            }
            let Some(field) = node.get("hooks") else {
                return;
            };
            let at = at.field(field);
            let Tree::Table(fields) = &field.node.tree else {
                let message = format!("expected an object of events, found {}", field.node.what());
                let hint = "write {\"preToolUse\": [{\"command\": …}]}";
                return reader.error(&at, message, Some(hint.to_owned()));
            };
            for field in reader.fields(fields, &at) {
                event(reader, field, &at.field(field));
            }
        },
    )
}

fn version(reader: &mut Reader, node: &Node, at: &Place) {
    let Some(field) = node.get("version") else {
        let hint = format!("write \"version\": 1; {REFUSES} without it");
        return reader.warn(at, "missing `version`", Some(hint));
    };
    let whole = match &field.node.tree {
        Tree::Number(number) => number.as_u64().is_some_and(|version| version > 0),
        _ => false,
    };
    if !whole {
        let hint = format!("write 1; {REFUSES} otherwise");
        reader.warn(&at.field(field), "is not a version", Some(hint));
    }
}

fn event(reader: &mut Reader, field: &Field, at: &Place) {
    let bound = hook::bind(reader, at, Dialect::Cursor, &field.key);
    let nodes = match &field.node.tree {
        Tree::Null => return,
        Tree::List(nodes) => nodes,
        _ => {
            let message = format!("expected an array of hooks, found {}", field.node.what());
            let hint = format!("write [{{\"command\": …}}]; {REFUSES} otherwise");
            reader.error(at, &*message, Some(hint));
            for bound in &bound {
                reader.broken(at, None, &bound.event, OnFailure::Allow, message.as_str());
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
        one(reader, node, &at.index(index, node.line), first);
        reader.also_for(mark, &others);
    }
}

fn one(reader: &mut Reader, node: &Node, at: &Place, bound: &Bound) {
    let Tree::Table(fields) = &node.tree else {
        let message = format!("expected a hook, found {}", node.what());
        let hint = format!("write {{\"command\": …}}; {REFUSES} otherwise");
        reader.error(at, &*message, Some(hint));
        return reader.broken(at, None, &bound.event, OnFailure::Allow, message);
    };
    if is_own(fields) {
        return;
    }
    let mut entry = Entry::new(reader, at, fields);
    match read(&mut entry, bound) {
        Some(spec) if entry.fault.is_none() => {
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => {
            let closed = entry
                .field("failClosed")
                .is_some_and(|field| matches!(field.node.tree, Tree::Bool(true)));
            let on_failure = if closed {
                OnFailure::Deny
            } else {
                OnFailure::Allow
            };
            let message = entry.fault.take().unwrap_or_default();
            let event = &bound.event;
            entry.reader.broken(at, None, event, on_failure, message);
        }
    }
}

fn read(entry: &mut Entry, bound: &Bound) -> Option<HookSpec> {
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

/// A matcher in the hook itself.
pub(super) fn matcher(entry: &mut Entry, dialect: Dialect, bound: &Bound) -> Matcher {
    let Some(field) = entry.field("matcher") else {
        return Matcher::all();
    };
    hook::matcher(entry.reader, entry.place, field, dialect, bound).unwrap_or_else(|message| {
        entry.fault.get_or_insert(message);
        Matcher::all()
    })
}

/// A hook of this place, with nothing read yet.
pub(super) fn base(entry: &Entry, dialect: Dialect, bound: &Bound) -> HookSpec {
    let source = entry.reader.source(entry.place);
    let name = name_from(&source.key).to_owned();
    HookSpec {
        native_event: bound.native.clone(),
        root: entry.reader.file.root.map(ToOwned::to_owned),
        ..HookSpec::command(name, dialect, bound.event.clone(), "", source)
    }
}

fn loop_limit(entry: &mut Entry) {
    if let Some(field) = entry.field("loop_limit")
        && entry.natural("loop_limit").is_some()
    {
        let hint =
            "`stop_retries` in Becket's settings says how often hooks may keep an agent going";
        entry.warn_at(field, "is not kept", Some(hint));
    }
}

/// Cursor removes comments without looking at quotes.
fn slashes(entry: &mut Entry) {
    let field = entry.field("command").or_else(|| entry.field("prompt"));
    let Some((field, text)) = field.and_then(|field| Some((field, field.node.text()?))) else {
        return;
    };
    let written = Value::from(text).to_string();
    if (text.contains("//") || text.contains("/*")) && entry.reader.file.text.contains(&written) {
        let hint = "write `\\/\\/`, or put the command into a script";
        let message = "Cursor takes `//` for a comment, even here";
        entry.warn_at(field, message, Some(hint));
    }
}
