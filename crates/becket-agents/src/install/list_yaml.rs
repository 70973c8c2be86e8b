//! Becket's entries in a YAML file that lists its hooks, each on one line.
//!
//! YAML has too many ways to say a thing for a general editor. Here lines are added and taken out,
//! and the result is read again: unless it says exactly what it said before and our entries, nothing
//! is changed and the person is told what to paste.

use serde_json::{Map, Value, json};

use crate::config::tree::{Node, Tree, yaml};
use crate::edit::command::OwnCommand;
use crate::edit::{Edit, EditError, Position};

use super::dialect::Dialect;
use super::plan::{check_binary, distinct};
use super::{InstalledEntry, Stale};

/// Stands behind a key that an install made, so that an uninstall takes it out again.
const OURS: &str = "hooks: # by becket";

pub(super) fn install(
    dialect: &Dialect,
    existing: Option<&str>,
    binary: &str,
) -> Result<Edit, EditError> {
    check_binary(binary, dialect.mangles)?;
    let before = existing.unwrap_or_default();
    let bare = without_us(dialect, before);
    let root = read(&bare)?;
    // Entries that a person wrote in another form count as well, and stay as they are.
    let theirs: Vec<String> = own(dialect, &root).map(|entry| entry.event).collect();
    let events = dialect.events.iter().copied();
    let events: Vec<&str> = events
        .filter(|event| !theirs.iter().any(|it| it == event))
        .collect();
    let handlers: Vec<Value> = events
        .iter()
        .map(|event| (dialect.handler)(event, &dialect.line(binary, event)))
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
    let known = installed(dialect, before);
    let line_of = |event: &str| {
        let line = dialect.line(binary, event);
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
    Ok(Edit {
        changed,
        text,
        added,
        updated,
        warnings: warnings(dialect, &root),
        ..Edit::default()
    })
}

pub(super) fn uninstall(dialect: &Dialect, existing: &str) -> Result<Edit, EditError> {
    let removed = distinct(
        installed(dialect, existing)
            .iter()
            .map(|entry| entry.event.as_str()),
    );
    let text = without_us(dialect, existing);
    read(&text)?;
    Ok(Edit {
        changed: text != existing,
        delete: text.is_empty() && !existing.is_empty(),
        removed,
        text,
        ..Edit::default()
    })
}

pub(super) fn installed(dialect: &Dialect, existing: &str) -> Vec<InstalledEntry> {
    let Ok(root) = yaml(existing, 1) else {
        return Vec::new();
    };
    let mut seen: Vec<String> = Vec::new();
    let report = |entry: Own| {
        let duplicate = seen.contains(&entry.event).then_some(Stale::Duplicate);
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
    own(dialect, &root).map(report).collect()
}

/// An entry of ours.
struct Own {
    event: String,
    line: String,
    command: OwnCommand,
    at: usize,
    flaw: Option<Stale>,
}

fn own<'n>(dialect: &'n Dialect, root: &'n Node<'_>) -> impl Iterator<Item = Own> + use<'n> {
    let list = root.get("hooks").and_then(|hooks| hooks.node.get("hooks"));
    let items = list.into_iter().flat_map(|list| match &list.node.tree {
        Tree::List(items) => items.as_slice(),
        _ => &[],
    });
    items.filter_map(|item| {
        let text = |key: &str| Some(item.get(key)?.node.text()?.to_owned());
        let (event, line) = (text("event")?, text("command")?);
        let command = OwnCommand::parse(&line, dialect.agent)?;
        let flaw = flaw(dialect, item, &event, &command);
        Some(Own {
            event,
            line,
            command,
            at: item.line,
            flaw,
        })
    })
}

fn flaw(dialect: &Dialect, item: &Node<'_>, event: &str, command: &OwnCommand) -> Option<Stale> {
    let is_off = item
        .get("enabled")
        .is_some_and(|it| matches!(it.node.tree, Tree::Bool(false)));
    let restricted = dialect.conditions.iter().any(|key| item.get(key).is_some());
    let ours = (dialect.handler)(event, &dialect.line(&command.program.value, event));
    let findings = [
        (is_off, Stale::Unusable),
        (!command.is_for(event), Stale::WrongEvent),
        (restricted, Stale::Restricted),
        (item.to_json() != ours, Stale::Edited),
    ];
    let found = findings.into_iter().find(|(holds, _)| *holds);
    found.map(|(_, flaw)| flaw)
}

fn read(text: &str) -> Result<Node<'_>, EditError> {
    yaml(text, 1).map_err(|error| EditError::Syntax {
        at: Position {
            line: error.line,
            column: 1,
        },
        message: error.message,
    })
}

/// The text as it was before an install.
fn without_us(dialect: &Dialect, text: &str) -> String {
    let mut bare = without_entries(dialect, text);
    if bare == text {
        return bare;
    }
    bare = without_our_keys(&bare);
    // A text that did not end in a line break got one in front of our lines.
    if !text.ends_with('\n') {
        let shorter = bare.strip_suffix('\n').unwrap_or(&bare);
        bare = shorter.strip_suffix('\r').unwrap_or(shorter).to_owned();
    }
    bare
}

/// The text without the lines that an install wrote.
fn without_entries(dialect: &Dialect, text: &str) -> String {
    let is_ours = |line: &&str| {
        let entry = line.trim().strip_prefix("- ");
        let entry = entry.and_then(|entry| serde_json::from_str::<Map<String, Value>>(entry).ok());
        let command = entry.as_ref().and_then(|it| it.get("command")?.as_str());
        command.is_some_and(|line| OwnCommand::parse(line, dialect.agent).is_some())
    };
    text.split_inclusive('\n')
        .filter(|line| !is_ours(line))
        .collect()
}

/// The text without the keys that an install made, where nothing is left below them.
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

/// The text with these lines as the last elements of the list; `None` where there is no place that a
/// line could be put in.
fn inserted(text: &str, root: &Node<'_>, entries: &[String]) -> Option<String> {
    if entries.is_empty() {
        return Some(text.to_owned());
    }
    // A key without a value is there all the same, and agents refuse a second one.
    let is_twice = |node: &Node<'_>| match &node.tree {
        Tree::Table(fields) => {
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
            let Tree::Table(fields) = &hooks.node.tree else {
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
            let Tree::List(items) = &list.node.tree else {
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

/// The value of a file with these hooks at the end of its list.
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

/// An entry as JSON, which is YAML on one line, with room to breathe.
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

fn warnings(dialect: &Dialect, root: &Node<'_>) -> Vec<String> {
    let title = dialect.title;
    let mut warnings = Vec::new();
    for (keys, off) in dialect.switches {
        let mut field = None;
        let mut node = root;
        for key in *keys {
            field = node.get(key);
            let Some(next) = field else { break };
            node = &next.node;
        }
        if let Some(field) = field
            && matches!(field.node.tree, Tree::Bool(value) if value == *off)
        {
            let (key, line) = (keys.join("."), field.line);
            warnings.push(format!(
                "`{key}` is {off} on line {line}, so {title} runs no hook until that is changed"
            ));
        }
    }
    warnings
}
