//! Codex's `hooks.json`, and the `[hooks]` of its `config.toml`.

use std::time::Duration;

use becket_model::{Dialect, EventKind, Layer};

use super::reader::{ConfigReader, KeyPath};
use super::tree::{self, ConfigField, ConfigNode, ConfigValue};
use super::{ConfigFile, event_groups, read_json};

/// Codex waits at most this long for a hook when a session ends or is interrupted.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(3);

/// Keys of `[hooks]` that are not events.
const NON_EVENT_KEYS: [&str; 3] = ["state", "managed_dir", "windows_managed_dir"];

/// Reads Codex's `hooks.json`, a plugin's `hooks/hooks.json`, or (by its extension) a `config.toml`.
///
/// Codex rejects a whole file for one entry it does not understand. Here only that entry is lost, and
/// the problem is reported.
pub fn codex(file: &ConfigFile) -> Layer {
    let is_toml = file
        .path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    if !is_toml {
        return read_json(
            file,
            |_| true,
            |reader, node, at| {
                if let ConfigValue::Table(fields) = &node.tree {
                    unknown(reader, fields, at);
                }
                hooks(reader, node, at, true);
            },
        );
    }
    let mut reader = ConfigReader::new(file);
    match tree::toml(file.text) {
        Err(error) => return reader.syntax_error(error),
        Ok(node) => {
            let at = KeyPath::root(1);
            let enabled = !is_off(&mut reader, &node, &at);
            hooks(&mut reader, &node, &at, enabled);
        }
    }
    reader.layer
}

fn unknown(reader: &mut ConfigReader, fields: &[ConfigField], at: &KeyPath) {
    for field in reader.fields(fields, at) {
        if !matches!(&*field.key, "hooks" | "description") {
            let hint = "Codex rejects the whole file because of an unknown key".to_owned();
            reader.warn(&at.field(field), "unknown key", Some(hint));
        }
    }
}

fn is_off(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) -> bool {
    let Some(features) = node.get("features") else {
        return false;
    };
    let at = at.field(features);
    let off = ["hooks", "codex_hooks"]
        .iter()
        .filter_map(|key| features.node.get(key))
        .find(|field| matches!(field.node.tree, ConfigValue::Bool(false)));
    if let Some(field) = off {
        let message = "all hooks in this file are disabled";
        reader.warn(&at.field(field), message, None);
    }
    off.is_some()
}

fn hooks(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, enabled: bool) {
    let Some(field) = node.get("hooks") else {
        return;
    };
    event_groups::events(reader, field, at, Dialect::Codex, enabled, &NON_EVENT_KEYS);
    shorten(reader);
    let off = switched_off(reader, field);
    for hook in &mut reader.layer.hooks {
        if off.iter().any(|key| *key == state_key(&hook.source.key)) {
            hook.enabled = false;
        }
    }
}

fn shorten(reader: &mut ConfigReader) {
    let mut warnings = Vec::new();
    for hook in &mut reader.layer.hooks {
        let last = match &hook.event {
            EventKind::SessionEnd => true,
            EventKind::Other(name) => &**name == "Interrupt",
            _ => false,
        };
        if last && hook.timeout > SESSION_END_TIMEOUT {
            hook.timeout = SESSION_END_TIMEOUT;
            warnings.push((
                hook.source.clone(),
                "Codex caps the timeout at 3 seconds on this event",
            ));
        }
        if last && hook.is_async {
            hook.is_async = false;
            warnings.push((
                hook.source.clone(),
                "`async` has no effect: Codex waits for hooks on this event",
            ));
        }
    }
    for (source, message) in warnings {
        reader.warn_about(source, message);
    }
}

/// The positions of hooks that `[hooks.state]` of the same file disables.
fn switched_off(reader: &ConfigReader, hooks: &ConfigField) -> Vec<String> {
    let Some(ConfigValue::Table(states)) = hooks.node.get("state").map(|field| &field.node.tree)
    else {
        return Vec::new();
    };
    let path = reader.file.path.to_string_lossy();
    states
        .iter()
        .filter(|state| {
            let enabled = state.node.get("enabled");
            enabled.is_some_and(|field| matches!(field.node.tree, ConfigValue::Bool(false)))
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
