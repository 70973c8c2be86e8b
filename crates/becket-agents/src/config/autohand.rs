//! Autohand's configuration: one flat list of hooks, in JSON, TOML or YAML.

use becket_model::{Dialect, EventKind, HookSpec, Layer, OnFailure};

use super::ConfigFile;
use super::becket;
use super::cursor::{base, matcher};
use super::flat::is_own;
use super::gemini::warn_off;
use super::hook::{self, BoundEvent};
use super::keys::AUTOHAND_HOOK;
use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::tree::{self, ConfigField, ConfigNode, ConfigValue, SyntaxError};

const SHAPE: &str = "write {\"hooks\": {\"enabled\": true, \"hooks\": [{\"event\": \"pre-tool\", \"command\": …}]}}";

/// Reads the `hooks` of `~/.autohand/config.json`, `config.toml` or `config.yaml`. The file extension
/// selects the parser.
pub fn autohand(file: &ConfigFile) -> Layer {
    let mut reader = ConfigReader::new(file);
    let node = match parse(file) {
        Ok(Some(node)) => node,
        Ok(None) => return reader.layer,
        Err(error) => return reader.syntax_error(error),
    };
    let at = KeyPath::root(node.line);
    match &node.tree {
        // An empty YAML file.
        ConfigValue::Null => {}
        ConfigValue::Table(fields) => {
            reader.duplicates(fields, &at);
            if let Some(field) = node.get("hooks") {
                hooks(&mut reader, field, &at.field(field));
            }
        }
        _ => {
            let message = format!("expected an object, found {}", node.describe());
            reader.error(&at, message, None);
        }
    }
    reader.layer
}

fn parse<'f>(file: &ConfigFile<'f>) -> Result<Option<ConfigNode<'f>>, SyntaxError> {
    let extension = file.path.extension().and_then(|e| e.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("toml") => tree::toml(file.text).map(Some),
        Some("yaml" | "yml") => {
            let text = file.text.strip_prefix('\u{feff}').unwrap_or(file.text);
            tree::yaml(text, 1).map(Some)
        }
        _ => tree::json(file.text, |key| key == "hooks"),
    }
}

fn hooks(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) {
    let fields = match &field.node.tree {
        ConfigValue::Table(fields) => fields,
        ConfigValue::List(nodes) => {
            let hint = format!("Autohand itself does not read this; {SHAPE}");
            reader.warn(at, "expected an object, found a list", Some(hint));
            return list(reader, nodes, at, None, true);
        }
        _ => {
            let message = format!("expected an object, found {}", field.node.describe());
            return reader.error(at, message, Some(SHAPE.to_owned()));
        }
    };
    let mut entry = EntryReader::new(reader, at, fields);
    let enabled = entry.flag("enabled").unwrap_or(true);
    if !enabled {
        warn_off(&mut entry, "enabled");
    }
    for field in fields.iter().filter(|field| !field.shadowed) {
        let at = at.field(field);
        match (&*field.key, &field.node.tree) {
            ("enabled", _) | ("hooks", ConfigValue::Null) => {}
            ("hooks", ConfigValue::List(nodes)) => list(reader, nodes, &at, None, enabled),
            ("hooks", _) => {
                let message = format!(
                    "expected an array of hooks, found {}",
                    field.node.describe()
                );
                reader.error(&at, message, Some(SHAPE.to_owned()));
            }
            (_, tree) => by_event(reader, field, tree, &at, enabled),
        }
    }
}

/// `{"rate-limit": [{"command": …}]}`: Autohand's newer documentation shows this shape, but the program does not read it.
fn by_event(
    reader: &mut ConfigReader,
    field: &ConfigField,
    tree: &ConfigValue,
    at: &KeyPath,
    enabled: bool,
) {
    let known = EventKind::parse(&field.key).is_known()
        || crate::names::is_foreign(Dialect::Autohand, &field.key);
    match tree {
        ConfigValue::List(nodes) if known => {
            let hint = format!("Autohand itself does not read this; {SHAPE}");
            reader.warn(at, "hooks are grouped by event name", Some(hint));
            list(reader, nodes, at, Some(&field.key), enabled);
        }
        _ => reader.warn(at, "unknown key", Some(SHAPE.to_owned())),
    }
}

fn list(
    reader: &mut ConfigReader,
    nodes: &[ConfigNode],
    at: &KeyPath,
    event: Option<&str>,
    enabled: bool,
) {
    for (index, node) in nodes.iter().enumerate() {
        read_hook(reader, node, &at.index(index, node.line), event, enabled);
    }
}

fn read_hook(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
    event: Option<&str>,
    enabled: bool,
) {
    let ConfigValue::Table(fields) = &node.tree else {
        let message = format!("expected a hook, found {}", node.describe());
        return reader.error(at, message, Some(SHAPE.to_owned()));
    };
    if is_own(fields) {
        return;
    }
    let mut entry = EntryReader::new(reader, at, fields);
    entry.check_keys(&AUTOHAND_HOOK.iter().copied());
    let bound = events(&mut entry, event);
    let Some((first, others)) = bound.split_first() else {
        return;
    };
    let others: Vec<EventKind> = others.iter().map(|bound| bound.event.clone()).collect();
    let mark = entry.reader.mark();
    match read(&mut entry, first) {
        Some(mut spec) if entry.fault.is_none() => {
            spec.enabled &= enabled;
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => {
            let message = entry.fault.take().unwrap_or_default();
            let (event, name) = (&first.event, None);
            entry
                .reader
                .add_broken(at, name, event, OnFailure::Allow, message);
        }
    }
    reader.bind_also(mark, &others);
}

/// The events of a hook. Empty if none could be read; the problem is already reported.
fn events(entry: &mut EntryReader, event: Option<&str>) -> Vec<BoundEvent> {
    if let Some(field) = entry.field("event")
        && let Some(name) = entry.text("event")
    {
        let at = entry.place.field(field);
        return hook::bind(entry.reader, &at, Dialect::Autohand, name);
    }
    match event {
        Some(name) if !entry.has("event") => {
            hook::bind(entry.reader, entry.place, Dialect::Autohand, name)
        }
        _ => {
            entry.required("event");
            Vec::new()
        }
    }
}

fn read(entry: &mut EntryReader, bound: &BoundEvent) -> Option<HookSpec> {
    let action = hook::action(entry, "command", &["command"], "");
    let matcher = matcher(entry, Dialect::Autohand, bound);
    let filter = becket::filter(entry);
    let timeout = entry.duration("timeout", hook::unit(Dialect::Autohand));
    let is_async = entry.flag("async").unwrap_or(false);
    let enabled = entry.flag("enabled").unwrap_or(true);
    let description = entry.owned("description");
    let action = action?;
    let default = hook::default_timeout(Dialect::Autohand, &bound.event, &action, is_async);
    Some(HookSpec {
        description,
        matcher,
        filter,
        action,
        timeout: timeout.unwrap_or(default),
        is_async,
        enabled,
        ..base(entry, Dialect::Autohand, bound)
    })
}
