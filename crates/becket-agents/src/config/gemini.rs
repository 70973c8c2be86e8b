//! Gemini CLI's `settings.json`, and the `hooks/hooks.json` of its extensions.

use becket_model::{Dialect, HookSpec, Layer};

use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::tree::{ConfigField, ConfigNode, ConfigValue};
use super::{ConfigFile, event_groups, read_json};

/// Reads the `hooks` of a `.gemini/settings.json` and applies `hooksConfig`; or reads an extension's
/// `hooks/hooks.json`, whose directory is the file's `root`.
///
/// Gemini expands `$NAME` in all strings when it starts. Here the shell expands it when the hook runs.
pub fn gemini(file: &ConfigFile) -> Layer {
    let wanted = |key: &str| matches!(key, "hooks" | "hooksConfig");
    let mut layer = read_json(file, wanted, |reader, node, at| {
        let switches = switches(reader, node, at);
        if let Some(field) = node.get("hooks") {
            let skip = ["enabled", "disabled", "notifications"];
            event_groups::events(reader, field, at, Dialect::Gemini, switches.enabled, &skip);
        }
        for hook in &mut reader.layer.hooks {
            if switches.disabled.iter().any(|off| off == id(hook)) {
                hook.enabled = false;
            }
        }
    });
    if let Some(root) = file.root {
        // The shell expands `${extensionPath}` as an ordinary variable.
        let root = root.to_string_lossy().into_owned();
        for hook in &mut layer.hooks {
            hook.env.push(("extensionPath".to_owned(), root.clone()));
        }
    }
    layer
}

struct GeminiSwitches {
    enabled: bool,
    disabled: Vec<String>,
}

fn switches(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) -> GeminiSwitches {
    let mut switches = GeminiSwitches {
        enabled: true,
        disabled: Vec::new(),
    };
    let Some(field) = node.get("hooksConfig") else {
        return switches;
    };
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected an object, found {}", field.node.describe());
        reader.error(&at, message, None);
        return switches;
    };
    let mut entry = EntryReader::new(reader, &at, fields);
    entry.check_keys(&["enabled", "disabled", "notifications"].into_iter());
    entry.flag("notifications");
    switches.enabled = entry.flag("enabled").unwrap_or(true);
    switches.disabled = entry.texts("disabled").unwrap_or_default();
    if !switches.enabled {
        warn_off(&mut entry, "enabled");
    }
    switches
}

/// Warns that a whole file is disabled.
pub(super) fn warn_off(entry: &mut EntryReader, key: &str) {
    let field: Option<&ConfigField> = entry.field(key);
    if let Some(field) = field {
        entry.warn_at(field, "all hooks in this file are disabled", None);
    }
}

/// The id of a hook in Gemini's `disabled` list: its name, or its command if it has none.
pub(super) fn id(hook: &HookSpec) -> &str {
    let named = !hook.source.key.ends_with(&hook.name);
    match &hook.action {
        becket_model::Action::Command { command, .. } if !named => command,
        _ => &hook.name,
    }
}
