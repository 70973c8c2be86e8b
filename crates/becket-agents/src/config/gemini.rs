//! Gemini CLI's `settings.json`, and the `hooks/hooks.json` of its extensions.

use becket_model::{Dialect, HookSpec, Layer};

use super::reader::{Entry, Place, Reader};
use super::tree::{Field, Node, Tree};
use super::{File, groups, read_json};

/// Reads the `hooks` of a `.gemini/settings.json`, minding `hooksConfig`; or an extension's
/// `hooks/hooks.json`, whose directory is the file's `root`.
///
/// Gemini fills in `$NAME` in all texts when it starts. Here the shell does, when the hook runs.
pub fn gemini(file: &File) -> Layer {
    let wanted = |key: &str| matches!(key, "hooks" | "hooksConfig");
    let mut layer = read_json(file, wanted, |reader, node, at| {
        let switches = switches(reader, node, at);
        if let Some(field) = node.get("hooks") {
            let skip = ["enabled", "disabled", "notifications"];
            groups::events(reader, field, at, Dialect::Gemini, switches.enabled, &skip);
        }
        for hook in &mut reader.layer.hooks {
            if switches.disabled.iter().any(|off| off == id(hook)) {
                hook.enabled = false;
            }
        }
    });
    if let Some(root) = file.root {
        // The shell knows `${extensionPath}` as a variable like any other.
        let root = root.to_string_lossy().into_owned();
        for hook in &mut layer.hooks {
            hook.env.push(("extensionPath".to_owned(), root.clone()));
        }
    }
    layer
}

struct Switches {
    enabled: bool,
    disabled: Vec<String>,
}

fn switches(reader: &mut Reader, node: &Node, at: &Place) -> Switches {
    let mut switches = Switches {
        enabled: true,
        disabled: Vec::new(),
    };
    let Some(field) = node.get("hooksConfig") else {
        return switches;
    };
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected an object, found {}", field.node.what());
        reader.error(&at, message, None);
        return switches;
    };
    let mut entry = Entry::new(reader, &at, fields);
    entry.check_keys(&["enabled", "disabled", "notifications"].into_iter());
    entry.flag("notifications");
    switches.enabled = entry.flag("enabled").unwrap_or(true);
    switches.disabled = entry.texts("disabled").unwrap_or_default();
    if !switches.enabled {
        warn_off(&mut entry, "enabled");
    }
    switches
}

/// Tells that a whole file is switched off.
pub(super) fn warn_off(entry: &mut Entry, key: &str) {
    let field: Option<&Field> = entry.field(key);
    if let Some(field) = field {
        entry.warn_at(field, "all hooks of this file are switched off", None);
    }
}

/// What `disabled` calls a hook: by its name, or by its command if it has none.
pub(super) fn id(hook: &HookSpec) -> &str {
    let named = !hook.source.key.ends_with(&hook.name);
    match &hook.action {
        becket_model::Action::Command { command, .. } if !named => command,
        _ => &hook.name,
    }
}
