//! Codex's `hooks.json`, and the `[hooks]` of its `config.toml`.

use std::time::Duration;

use becket_model::{Dialect, EventKind, Layer};

use super::reader::{Place, Reader};
use super::tree::{self, Field, Node, Tree};
use super::{File, groups, read_json};

/// Codex waits no longer for a hook when a session ends or is interrupted.
const LAST_MOMENT: Duration = Duration::from_secs(3);

/// Keys of `[hooks]` that are no events.
const BESIDE: [&str; 3] = ["state", "managed_dir", "windows_managed_dir"];

/// Reads Codex's `hooks.json`, a plugin's `hooks/hooks.json`, or (by its extension) a `config.toml`.
///
/// Codex refuses a whole file for one thing that it does not understand; here that costs the entry only,
/// and is told.
pub fn codex(file: &File) -> Layer {
    let is_toml = file
        .path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    if !is_toml {
        return read_json(
            file,
            |_| true,
            |reader, node, at| {
                if let Tree::Table(fields) = &node.tree {
                    unknown(reader, fields, at);
                }
                hooks(reader, node, at, true);
            },
        );
    }
    let mut reader = Reader::new(file);
    match tree::toml(file.text) {
        Err(error) => return reader.refuse(error),
        Ok(node) => {
            let at = Place::root(1);
            let enabled = !is_off(&mut reader, &node, &at);
            hooks(&mut reader, &node, &at, enabled);
        }
    }
    reader.layer
}

fn unknown(reader: &mut Reader, fields: &[Field], at: &Place) {
    for field in reader.fields(fields, at) {
        if !matches!(&*field.key, "hooks" | "description") {
            let hint = "Codex refuses the whole file for a key that it does not know".to_owned();
            reader.warn(&at.field(field), "unknown key", Some(hint));
        }
    }
}

fn is_off(reader: &mut Reader, node: &Node, at: &Place) -> bool {
    let Some(features) = node.get("features") else {
        return false;
    };
    let at = at.field(features);
    let off = ["hooks", "codex_hooks"]
        .iter()
        .filter_map(|key| features.node.get(key))
        .find(|field| matches!(field.node.tree, Tree::Bool(false)));
    if let Some(field) = off {
        let message = "all hooks of this file are switched off";
        reader.warn(&at.field(field), message, None);
    }
    off.is_some()
}

fn hooks(reader: &mut Reader, node: &Node, at: &Place, enabled: bool) {
    let Some(field) = node.get("hooks") else {
        return;
    };
    groups::events(reader, field, at, Dialect::Codex, enabled, &BESIDE);
    shorten(reader);
    let off = switched_off(reader, field);
    for hook in &mut reader.layer.hooks {
        if off.iter().any(|key| *key == state_key(&hook.source.key)) {
            hook.enabled = false;
        }
    }
}

fn shorten(reader: &mut Reader) {
    let mut told = Vec::new();
    for hook in &mut reader.layer.hooks {
        let last = match &hook.event {
            EventKind::SessionEnd => true,
            EventKind::Other(name) => &**name == "Interrupt",
            _ => false,
        };
        if last && hook.timeout > LAST_MOMENT {
            hook.timeout = LAST_MOMENT;
            told.push((hook.source.clone(), "has 3 seconds at most on this event"));
        }
        if last && hook.is_async {
            hook.is_async = false;
            told.push((hook.source.clone(), "is waited for on this event"));
        }
    }
    for (source, message) in told {
        reader.warn_about(source, message);
    }
}

/// The positions of hooks that `[hooks.state]` of the same file switches off.
fn switched_off(reader: &Reader, hooks: &Field) -> Vec<String> {
    let Some(Tree::Table(states)) = hooks.node.get("state").map(|field| &field.node.tree) else {
        return Vec::new();
    };
    let path = reader.file.path.to_string_lossy();
    states
        .iter()
        .filter(|state| {
            let enabled = state.node.get("enabled");
            enabled.is_some_and(|field| matches!(field.node.tree, Tree::Bool(false)))
        })
        .filter_map(|state| state.key.strip_prefix(&*path))
        .filter_map(|position| position.strip_prefix(':'))
        .map(str::to_owned)
        .collect()
}

/// `hooks.PreToolUse[0].hooks[1]` as Codex writes it: `pre_tool_use:0:1`.
fn state_key(key: &str) -> String {
    let inner = key.strip_prefix("hooks.").unwrap_or(key);
    let (event, rest) = inner.split_once('[').unwrap_or((inner, ""));
    let numbers: Vec<&str> = rest
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let event = EventKind::parse(event).snake();
    format!("{event}:{}", numbers.join(":"))
}
