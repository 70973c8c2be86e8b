//! Becket's entries in a YAML file with a list of hooks, each on one line.
//!
//! YAML has too many notations for a general editor. This module adds and removes lines and then parses the
//! result: unless it equals the old contents plus our entries, nothing is changed, and the error shows the
//! user what to paste.

use serde_json::{Map, Value, json};

use crate::config::tree::{ConfigNode, ConfigValue, yaml};
use crate::edit::command::OwnCommand;
use crate::edit::{EditError, FileEdit, TextPosition};

use super::format::SettingsFormat;
use super::plan::{check_binary, distinct};
use super::{InstalledEntry, StaleReason};

/// Marks a key that an install created, so that an uninstall removes it.
const OURS: &str = "hooks: # by becket";

pub(super) fn install(
    format: &SettingsFormat,
    existing: Option<&str>,
    binary: &str,
) -> Result<FileEdit, EditError> {
    check_binary(binary, format.path_problem)?;
    let before = existing.unwrap_or_default();
    let bare = without_us(format, before);
    let root = read(&bare)?;
    // Entries of ours in another notation count as well and stay as they are.
    let theirs: Vec<String> = own(format, &root).map(|entry| entry.event).collect();
    let events = format.events.iter().copied();
    let events: Vec<&str> = events
        .filter(|event| !theirs.iter().any(|it| it == event))
        .collect();
    let handlers: Vec<Value> = events
        .iter()
        .map(|event| (format.handler)(event, &format.line(binary, event)))
        .collect();
    let lines: Vec<String> = handlers
        .iter()
        .map(|it| format!("- {}", flow(it)))
        .collect();
    let text = inserted(&bare, &root, &lines);
    let expected = with_hooks(root.to_json(), &handlers);
    let text = text
        .filter(|text| yaml(text, 1).is_ok_and(|it| expected.as_ref() == Some(&it.to_json())))
        .ok_or_else(|| refusal(&lines))?;
    let known = installed(format, before);
    let line_of = |event: &str| {
        let line = format.line(binary, event);
        known
            .iter()
            .any(|it| it.event == event && it.command == line && it.stale.is_none())
    };
    let is_known = |event: &str| known.iter().any(|it| it.event == event);
    let changed = text != before;
    let (updated, added) = events
        .into_iter()
        .filter(|event| changed && !line_of(event))
        .map(str::to_owned)
        .partition(|event| is_known(event));
    Ok(FileEdit {
        changed,
        text,
        added,
        updated,
        warnings: warnings(format, &root),
        ..FileEdit::default()
    })
}

pub(super) fn uninstall(format: &SettingsFormat, existing: &str) -> Result<FileEdit, EditError> {
    let removed = distinct(
        installed(format, existing)
            .iter()
            .map(|entry| entry.event.as_str()),
    );
    let text = without_us(format, existing);
    read(&text)?;
    Ok(FileEdit {
        changed: text != existing,
        delete: text.is_empty() && !existing.is_empty(),
        removed,
        text,
        ..FileEdit::default()
    })
}

pub(super) fn installed(format: &SettingsFormat, existing: &str) -> Vec<InstalledEntry> {
    let Ok(root) = yaml(existing, 1) else {
        return Vec::new();
    };
    let mut seen: Vec<String> = Vec::new();
    let report = |entry: YamlEntry| {
        let duplicate = seen
            .contains(&entry.event)
            .then_some(StaleReason::Duplicate);
        seen.push(entry.event.clone());
        let program = &entry.command.program;
        InstalledEntry {
            binary: program.literal.then(|| program.value.clone()),
            command: entry.line,
            line: entry.at,
            stale: entry.flaw.or(duplicate),
            event: entry.event,
        }
    };
    own(format, &root).map(report).collect()
}

/// An entry of ours.
struct YamlEntry {
    event: String,
    line: String,
    command: OwnCommand,
    at: usize,
    flaw: Option<StaleReason>,
}

fn own<'n>(
    format: &'n SettingsFormat,
    root: &'n ConfigNode<'_>,
) -> impl Iterator<Item = YamlEntry> + use<'n> {
    let list = root.get("hooks").and_then(|hooks| hooks.node.get("hooks"));
    let items = list.into_iter().flat_map(|list| match &list.node.tree {
        ConfigValue::List(items) => items.as_slice(),
        _ => &[],
    });
    items.filter_map(|item| {
        let text = |key: &str| Some(item.get(key)?.node.text()?.to_owned());
        let (event, line) = (text("event")?, text("command")?);
        let command = OwnCommand::parse(&line, format.agent)?;
        let flaw = flaw(format, item, &event, &command);
        Some(YamlEntry {
            event,
            line,
            command,
            at: item.line,
            flaw,
        })
    })
}

fn flaw(
    format: &SettingsFormat,
    item: &ConfigNode<'_>,
    event: &str,
    command: &OwnCommand,
) -> Option<StaleReason> {
    let is_off = item
        .get("enabled")
        .is_some_and(|it| matches!(it.node.tree, ConfigValue::Bool(false)));
    let restricted = format.conditions.iter().any(|key| item.get(key).is_some());
    let ours = (format.handler)(event, &format.line(&command.program.value, event));
    let findings = [
        (is_off, StaleReason::Unusable),
        (!command.is_for(event), StaleReason::WrongEvent),
        (restricted, StaleReason::Restricted),
        (item.to_json() != ours, StaleReason::Edited),
    ];
    let found = findings.into_iter().find(|(holds, _)| *holds);
    found.map(|(_, flaw)| flaw)
}

fn read(text: &str) -> Result<ConfigNode<'_>, EditError> {
    yaml(text, 1).map_err(|error| EditError::Syntax {
        at: TextPosition {
            line: error.line,
            column: 1,
        },
        message: error.message,
    })
}

/// The text as it was before the install.
fn without_us(format: &SettingsFormat, text: &str) -> String {
    let mut bare = without_entries(format, text);
    if bare == text {
        return bare;
    }
    bare = without_our_keys(&bare);
    // A text without a final line break got one in front of our lines.
    if !text.ends_with('\n') {
        let shorter = bare.strip_suffix('\n').unwrap_or(&bare);
        bare = shorter.strip_suffix('\r').unwrap_or(shorter).to_owned();
    }
    bare
}

/// The text without the lines that an install added.
fn without_entries(format: &SettingsFormat, text: &str) -> String {
    let is_ours = |line: &&str| {
        let entry = line.trim().strip_prefix("- ");
        let entry = entry.and_then(|entry| serde_json::from_str::<Map<String, Value>>(entry).ok());
        let command = entry.as_ref().and_then(|it| it.get("command")?.as_str());
        command.is_some_and(|line| OwnCommand::parse(line, format.agent).is_some())
    };
    text.split_inclusive('\n')
        .filter(|line| !is_ours(line))
        .collect()
}

/// The text without the keys that an install created, if they are now empty.
fn without_our_keys(text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    for index in (0..lines.len()).rev() {
        let below = lines[index + 1..]
            .iter()
            .find(|line| !line.trim().is_empty());
        let depth = |line: &str| line.len() - line.trim_start().len();
        let is_empty = below.is_none_or(|below| depth(below) <= depth(lines[index]));
        if lines[index].trim() == OURS && is_empty {
            lines.remove(index);
        }
    }
    lines.concat()
}

/// The text with these lines appended to the list; `None` if there is no place for a line.
fn inserted(text: &str, root: &ConfigNode<'_>, entries: &[String]) -> Option<String> {
    if entries.is_empty() {
        return Some(text.to_owned());
    }
    // A key without a value still exists, and agents reject a duplicate.
    let is_twice = |node: &ConfigNode<'_>| match &node.tree {
        ConfigValue::Table(fields) => {
            let named = fields.iter().any(|field| field.key == "hooks");
            named && node.get("hooks").is_none()
        }
        _ => false,
    };
    if is_twice(root) || root.get("hooks").is_some_and(|hooks| is_twice(&hooks.node)) {
        return None;
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let hooks = root.get("hooks");
    let list = hooks.and_then(|hooks| hooks.node.get("hooks"));
    let (at, depth, keys): (usize, usize, Vec<String>) = match (hooks, list) {
        (None, _) => (lines.len(), 4, vec![OURS.to_owned(), format!("  {OURS}")]),
        (Some(hooks), None) => {
            let ConfigValue::Table(fields) = &hooks.node.tree else {
                return None;
            };
            let first = fields.first()?;
            let depth = indent(lines.get(first.line - 1)?);
            (
                hooks.line,
                depth + 2,
                vec![format!("{}{OURS}", " ".repeat(depth))],
            )
        }
        (Some(_), Some(list)) => {
            let ConfigValue::List(items) = &list.node.tree else {
                return None;
            };
            let first = lines.get(items.first()?.line - 1)?;
            let depth = first.find('-').filter(|at| *at == indent(first))?;
            let end = items.last()?.line;
            let rest = lines[end..].iter().take_while(|line| {
                let blank = line.trim().is_empty() || line.trim_start().starts_with('#');
                blank || indent(line) > depth
            });
            let inside: Vec<&String> = rest.collect();
            let used = inside
                .iter()
                .rposition(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
            (end + used.map_or(0, |used| used + 1), depth, Vec::new())
        }
    };
    let entries = entries
        .iter()
        .map(|entry| format!("{}{entry}", " ".repeat(depth)));
    let new: Vec<String> = keys.into_iter().chain(entries).collect();
    lines.splice(at..at, new);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = lines.join(newline);
    if text.is_empty() || text.ends_with('\n') {
        out += newline;
    }
    Some(out)
}

/// The value of a file with these hooks appended to its list.
fn with_hooks(mut root: Value, handlers: &[Value]) -> Option<Value> {
    if handlers.is_empty() {
        return Some(root);
    }
    if root.is_null() {
        root = json!({});
    }
    let object = |value: &mut Value| {
        if value.is_null() {
            *value = json!({});
        }
        value.is_object()
    };
    let hooks = root.as_object_mut()?.entry("hooks").or_insert(Value::Null);
    if !object(hooks) {
        return None;
    }
    let list = hooks.as_object_mut()?.entry("hooks").or_insert(Value::Null);
    if list.is_null() {
        *list = json!([]);
    }
    list.as_array_mut()?.extend(handlers.iter().cloned());
    Some(root)
}

/// An entry as JSON on one line, which is valid YAML, with spaces for readability.
fn flow(handler: &Value) -> String {
    let fields = handler.as_object().into_iter().flatten();
    let fields = fields.map(|(key, value)| format!("{}: {value}", Value::from(key.as_str())));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

fn refusal(lines: &[String]) -> EditError {
    let lines: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
    EditError::Format {
        format: "this YAML",
        hint: format!("\nhooks:\n  hooks:\n{}", lines.join("\n")),
    }
}

fn warnings(format: &SettingsFormat, root: &ConfigNode<'_>) -> Vec<String> {
    let title = format.title;
    let mut warnings = Vec::new();
    for (keys, off) in format.switches {
        let mut field = None;
        let mut node = root;
        for key in *keys {
            field = node.get(key);
            let Some(next) = field else { break };
            node = &next.node;
        }
        if let Some(field) = field
            && matches!(field.node.tree, ConfigValue::Bool(value) if value == *off)
        {
            let (key, line) = (keys.join("."), field.line);
            warnings.push(format!(
                "`{key}` is {off} on line {line}, so {title} runs no hooks"
            ));
        }
    }
    warnings
}
