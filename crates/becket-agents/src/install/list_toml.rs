//! Becket's entries in a TOML file with a list of hooks, one `[[hooks.hooks]]` per hook.
//!
//! The same guarantees as for JSON, for the one agent that also accepts TOML.

use std::ops::Range;

use toml_edit::{Item, Table};

use crate::edit::command::{OwnCommand, quote};
use crate::edit::{EditError, FileEdit, TomlDocument, toml_string};

use super::format::SettingsFormat;
use super::plan::{check_binary, distinct};
use super::{InstalledEntry, StaleReason};

const LIST: &[&str] = &["hooks", "hooks"];

pub(super) fn install(
    format: &SettingsFormat,
    existing: Option<&str>,
    binary: &str,
) -> Result<FileEdit, EditError> {
    check_binary(binary, format.path_problem)?;
    let before = existing.unwrap_or_default();
    let mut document = TomlDocument::parse(before)?;
    check(&document)?;
    let warnings = warnings(format, &document);
    let updated = reconcile(format, &mut document, binary)?;
    let entries = find(format, &document);
    let missing = format.events.iter().copied();
    let missing = missing.filter(|event| entry_to_keep(&entries, event).is_none());
    let mut added: Vec<String> = missing.map(str::to_owned).collect();
    let blocks = added.iter().map(|event| block(format, binary, event));
    document.append_tables(&blocks.collect::<Vec<_>>())?;
    added.retain(|event| !updated.contains(event));
    let text = document.into_text();
    Ok(FileEdit {
        changed: text != before,
        text,
        added,
        updated,
        warnings,
        ..FileEdit::default()
    })
}

pub(super) fn uninstall(format: &SettingsFormat, existing: &str) -> Result<FileEdit, EditError> {
    let mut document = TomlDocument::parse(existing)?;
    let entries = find(format, &document);
    let removed = distinct(entries.iter().map(|entry| entry.event.as_str()));
    let blocks = entries.iter().map(|entry| entry.block.clone());
    document.remove_tables(&blocks.collect::<Vec<_>>())?;
    let text = document.into_text();
    Ok(FileEdit {
        changed: text != existing,
        delete: text.is_empty() && !existing.is_empty(),
        text,
        removed,
        ..FileEdit::default()
    })
}

pub(super) fn installed(format: &SettingsFormat, existing: &str) -> Vec<InstalledEntry> {
    let Ok(document) = TomlDocument::parse(existing) else {
        return Vec::new();
    };
    let entries = find(format, &document);
    let report = |(index, entry): (usize, &TomlEntry)| {
        let counts = entry_to_keep(&entries, &entry.event) == Some(index);
        InstalledEntry {
            event: entry.event.clone(),
            command: entry.command.clone(),
            line: document.position(entry.value.start).line,
            binary: entry.binary().map(str::to_owned),
            stale: entry.flaw.or((!counts).then_some(StaleReason::Duplicate)),
        }
    };
    entries.iter().enumerate().map(report).collect()
}

struct TomlEntry {
    event: String,
    command: String,
    own: OwnCommand,
    /// The whole table.
    block: Range<usize>,
    /// The command, including its quotes.
    value: Range<usize>,
    flaw: Option<StaleReason>,
}

impl TomlEntry {
    fn binary(&self) -> Option<&str> {
        let program = &self.own.program;
        program.literal.then_some(program.value.as_str())
    }

    fn corrected(&self, format: &SettingsFormat, binary: &str) -> Option<String> {
        if !self.own.is_for(&self.event) {
            return Some(format.line(binary, &self.event));
        }
        if self.binary() == Some(binary) {
            return None;
        }
        let mut command = self.command.clone();
        command.replace_range(self.own.program.range.clone(), &quote(binary));
        Some(command)
    }
}

fn entry_to_keep(entries: &[TomlEntry], event: &str) -> Option<usize> {
    let runs =
        |entry: &TomlEntry| entry.event == event && entry.flaw != Some(StaleReason::Unusable);
    let whole = |entry: &TomlEntry| {
        runs(entry)
            && !matches!(
                entry.flaw,
                Some(StaleReason::WrongEvent | StaleReason::Restricted)
            )
    };
    let first = |suits: &dyn Fn(&TomlEntry) -> bool| entries.iter().position(suits);
    first(&whole).or_else(|| first(&runs))
}

/// Corrects the entry to keep for each event and removes the others. Works backwards, so that earlier
/// positions stay valid.
fn reconcile(
    format: &SettingsFormat,
    document: &mut TomlDocument,
    binary: &str,
) -> Result<Vec<String>, EditError> {
    let entries = find(format, document);
    let mut touched = Vec::new();
    for (index, entry) in entries.iter().enumerate().rev() {
        match entry_to_keep(&entries, &entry.event) {
            Some(kept) if kept == index => {
                if let Some(command) = entry.corrected(format, binary) {
                    document.replace(entry.value.clone(), &toml_string(&command))?;
                    touched.push(entry.event.as_str());
                }
            }
            None if !format.events.contains(&entry.event.as_str()) => {}
            _ => {
                document.remove_tables(std::slice::from_ref(&entry.block))?;
                touched.push(entry.event.as_str());
            }
        }
    }
    Ok(distinct(touched.into_iter().rev()))
}

fn find(format: &SettingsFormat, document: &TomlDocument) -> Vec<TomlEntry> {
    let list = document.item(LIST).and_then(Item::as_array_of_tables);
    let tables = list.into_iter().flat_map(|list| list.iter());
    tables
        .filter_map(|table| {
            let event = table.get("event")?.as_str()?;
            let item = table.get("command")?;
            let command = item.as_str()?;
            let own = OwnCommand::parse(command, format.agent)?;
            Some(TomlEntry {
                event: event.to_owned(),
                command: command.to_owned(),
                flaw: flaw(format, table, event, &own),
                own,
                block: document.block(table)?,
                value: item.span()?,
            })
        })
        .collect()
}

fn flaw(
    format: &SettingsFormat,
    table: &Table,
    event: &str,
    own: &OwnCommand,
) -> Option<StaleReason> {
    let off = table.get("enabled").and_then(Item::as_bool) == Some(false);
    let restricted = format.conditions.iter().any(|key| table.contains_key(key));
    let line = format.line(&own.program.value, event);
    let ours = (format.handler)(event, &line);
    let is_same = |(key, value): (&String, &serde_json::Value)| {
        let item = table.get(key);
        match value {
            serde_json::Value::String(text) => item.and_then(Item::as_str) == Some(text),
            serde_json::Value::Number(number) => item.and_then(Item::as_integer) == number.as_i64(),
            _ => false,
        }
    };
    let plain = ours
        .as_object()
        .is_some_and(|ours| ours.len() == table.len() && ours.iter().all(is_same));
    let findings = [
        (off, StaleReason::Unusable),
        (!own.is_for(event), StaleReason::WrongEvent),
        (restricted, StaleReason::Restricted),
        (!plain, StaleReason::Edited),
    ];
    let found = findings.into_iter().find(|(holds, _)| *holds);
    found.map(|(_, flaw)| flaw)
}

/// One key per line: the agent parses TOML line by line.
fn block(format: &SettingsFormat, binary: &str, event: &str) -> String {
    let handler = (format.handler)(event, &format.line(binary, event));
    let mut lines = vec![format!("[[{}]]", LIST.join("."))];
    for (key, value) in handler.as_object().into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), toml_string);
        lines.push(format!("{key} = {value}"));
    }
    lines.join("\n")
}

fn check(document: &TomlDocument) -> Result<(), EditError> {
    let refused = |item: &Item, key: &str, expected: &'static str| {
        Err(EditError::Unexpected {
            at: document.position(item.span().map_or(0, |span| span.start)),
            key: key.to_owned(),
            expected,
            found: item.type_name(),
        })
    };
    match document.item(&LIST[..1]) {
        Some(hooks) if hooks.as_table().is_none() => {
            return refused(hooks, "hooks", "a table with its own header");
        }
        _ => {}
    }
    match document.item(LIST) {
        Some(list) if list.as_array_of_tables().is_none() => {
            refused(list, "hooks.hooks", "tables headed `[[hooks.hooks]]`")
        }
        _ => Ok(()),
    }
}

fn warnings(format: &SettingsFormat, document: &TomlDocument) -> Vec<String> {
    let title = format.title;
    let mut warnings = Vec::new();
    for (keys, off) in format.switches {
        let switch = document.item(keys);
        if let Some(item) = switch
            && item.as_bool() == Some(*off)
        {
            let start = item.span().map_or(0, |span| span.start);
            let line = document.position(start).line;
            let key = keys.join(".");
            warnings.push(format!(
                "`{key}` is {off} on line {line}, so {title} runs no hooks"
            ));
        }
    }
    warnings
}
