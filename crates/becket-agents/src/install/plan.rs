//! Plans Becket's entries in a JSON file that belongs to the user: install, correct, uninstall.
//!
//! Only entries that run `becket hook … --agent <id>` are ever touched. Everything else keeps its bytes, and
//! an uninstall right after an install restores the original file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::edit::command::is_becket;
use crate::edit::{EditError, FileEdit, JsonDocument, JsonNode, JsonShape};

use super::entries::{FoundEntry, entry_to_keep, find};
use super::format::{HandlerLayout, HeaderValue, SettingsFormat};

/// The file with Becket's entries for these events. Existing entries are corrected in place if they run
/// another binary, and reduced to one per event.
pub(super) fn install(
    format: &SettingsFormat,
    existing: Option<&str>,
    binary: &str,
    events: &[&str],
) -> Result<FileEdit, EditError> {
    check_binary(binary, format.path_problem)?;
    let before = existing.unwrap_or_default();
    let mut document = JsonDocument::parse(before)?;
    let plan = JsonPlan {
        format,
        binary,
        events,
    };
    plan.check(&document)?;
    let mut warnings = warnings(format, &document);
    let updated = plan.reconcile(&mut document)?;
    let mut added = plan.add_missing(&mut document)?;
    added.retain(|event| !updated.contains(event));
    let text = document.into_text();
    warnings.extend((format.rejection_reason)(&text));
    Ok(FileEdit {
        changed: text != before,
        text,
        added,
        updated,
        warnings,
        ..FileEdit::default()
    })
}

/// The file without Becket. If only what an install created is left, the plan is to delete the file.
pub(super) fn uninstall(format: &SettingsFormat, existing: &str) -> Result<FileEdit, EditError> {
    let mut document = JsonDocument::parse(existing)?;
    let entries = find(format, &document);
    let removed = distinct(entries.iter().map(|entry| entry.event.as_str()));
    let header = is_our_header(format, &document);
    let warnings = if format.positional {
        shifted_hooks(format, &document, &entries)
    } else {
        Vec::new()
    };
    take_out(&mut document, &entries.iter().collect::<Vec<_>>())?;
    if !entries.is_empty() {
        take_out_header(format, &mut document, header)?;
    }
    let text = document.into_text();
    Ok(FileEdit {
        changed: text != existing,
        delete: text.is_empty() && !existing.is_empty(),
        text,
        removed,
        warnings,
        ..FileEdit::default()
    })
}

/// Refuses a program that could not be recognised later, or that the agent would not find.
pub(super) fn check_binary(
    binary: &str,
    path_problem: impl Fn(&str) -> Option<&'static str>,
) -> Result<(), EditError> {
    if !is_becket(binary) {
        return Err(EditError::Binary {
            binary: binary.to_owned(),
        });
    }
    match path_problem(binary) {
        Some(reason) => Err(EditError::Path {
            binary: binary.to_owned(),
            reason,
        }),
        None => Ok(()),
    }
}

struct JsonPlan<'p> {
    format: &'p SettingsFormat,
    binary: &'p str,
    events: &'p [&'p str],
}

impl JsonPlan<'_> {
    /// Refuses a file in which one of our keys has a type that the agent would not read.
    fn check(&self, document: &JsonDocument) -> Result<(), EditError> {
        let Some(mut node) = document.root() else {
            return Ok(());
        };
        if node.members().is_none() {
            return Err(unexpected(document, "settings", "an object", node));
        }
        let mut name = String::new();
        for (index, key) in self.format.container.iter().enumerate() {
            let Some(next) = node.get(key) else {
                return Ok(());
            };
            node = next;
            name = join(&name, key);
            let is_list = matches!(self.format.form, HandlerLayout::List(_))
                && index + 1 == self.format.container.len();
            if is_list && node.elements().is_none() {
                return Err(unexpected(document, &name, "an array", node));
            }
            if !is_list && node.members().is_none() {
                return Err(unexpected(document, &name, "an object", node));
            }
        }
        for event in self.events {
            if let Some(list) = node.get(event)
                && list.elements().is_none()
            {
                let key = join(&name, event);
                return Err(unexpected(document, &key, "an array", list));
            }
        }
        Ok(())
    }

    /// Corrects existing entries, and returns the events with a correction.
    fn reconcile(&self, document: &mut JsonDocument) -> Result<Vec<String>, EditError> {
        let entries = find(self.format, document);
        let mut touched = Vec::new();
        let mut surplus = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match entry_to_keep(&entries, &entry.event) {
                Some(kept) if kept == index => {
                    if let Some(command) = entry.corrected(self.format, self.binary) {
                        document.replace_string(&entry.command_path, &command)?;
                        touched.push(entry.event.as_str());
                    }
                    if self.add_matcher(document, entry)? {
                        touched.push(entry.event.as_str());
                    }
                }
                None if !self.events.contains(&entry.event.as_str()) => {}
                _ => {
                    surplus.push(entry);
                    touched.push(entry.event.as_str());
                }
            }
        }
        take_out(document, &surplus)?;
        Ok(distinct(touched.into_iter()))
    }

    /// Adds the matcher that current versions write to an older entry.
    fn add_matcher(
        &self,
        document: &mut JsonDocument,
        entry: &FoundEntry,
    ) -> Result<bool, EditError> {
        let ours = (self.format.handler)(&entry.event, "");
        let handler = document.node(&entry.handler_path);
        let (Some(matcher), Some(handler)) = (ours.get("matcher"), handler) else {
            return Ok(false);
        };
        if handler.get("matcher").is_some() {
            return Ok(false);
        }
        document.append_member(&entry.handler_path, "matcher", matcher, 0)?;
        Ok(true)
    }

    fn add_missing(&self, document: &mut JsonDocument) -> Result<Vec<String>, EditError> {
        let entries = find(self.format, document);
        let missing = distinct(self.events.iter().copied())
            .into_iter()
            .filter(|event| entry_to_keep(&entries, event).is_none());
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return Ok(missing);
        }
        if document.root().is_none() {
            self.create(document, &missing)?;
            return Ok(missing);
        }
        let keys = self.format.container;
        let path = follow(document, keys);
        if path.len() == keys.len() {
            for event in &missing {
                self.add(document, &path, event)?;
            }
        } else {
            // The remaining keys do not exist yet.
            let key = keys[path.len()];
            let rest = &keys[path.len() + 1..];
            let value = wrapped(rest, self.format.body(self.binary, &missing));
            document.append_member(&path, key, &value, rest.len() + 1)?;
            if path.is_empty() {
                self.add_header(document)?;
            }
        }
        Ok(missing)
    }

    /// Creates a whole file. The header comes last, which is how an uninstall recognises the file as ours.
    fn create(&self, document: &mut JsonDocument, events: &[String]) -> Result<(), EditError> {
        let keys = self.format.container;
        let mut root = wrapped(keys, self.format.body(self.binary, events));
        if let Value::Object(members) = &mut root {
            for (key, constant) in self.format.header {
                members.insert((*key).to_owned(), constant.value());
            }
        }
        document.create_root(&root, keys.len() + 1)
    }

    fn add(
        &self,
        document: &mut JsonDocument,
        path: &[usize],
        event: &str,
    ) -> Result<(), EditError> {
        let unit = self.format.unit(self.binary, event);
        if let HandlerLayout::List(_) = self.format.form {
            return document.append_element(path, &unit, 0);
        }
        let there = document
            .node(path)
            .and_then(|container| container.member(event))
            .map(|(index, _)| index);
        match there {
            Some(index) => document.append_element(&[path, &[index]].concat(), &unit, 0),
            None => document.append_member(path, event, &Value::from(vec![unit]), 0),
        }
    }

    /// Adds the required header, but only together with the first hook: hooks of the user that did not run
    /// because the header was missing must not start to run because of us.
    fn add_header(&self, document: &mut JsonDocument) -> Result<(), EditError> {
        for (key, constant) in self.format.header {
            let there = document.root().is_some_and(|root| root.get(key).is_some());
            if !there {
                document.append_member(&[], key, &constant.value(), 0)?;
            }
        }
        Ok(())
    }
}

/// The child indices of the object that holds the hooks, as far as it exists.
fn follow(document: &JsonDocument, keys: &[&str]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut node = document.root();
    for key in keys {
        let Some((index, member)) = node.and_then(|node| node.member(key)) else {
            break;
        };
        path.push(index);
        node = Some(&member.value);
    }
    path
}

fn wrapped(keys: &[&str], body: Value) -> Value {
    keys.iter().rev().fold(body, |value, key| {
        Value::Object(Map::from_iter([((*key).to_owned(), value)]))
    })
}

/// Removes entries, each with its group if no other handler is left in it. Works backwards, so that earlier
/// positions stay valid.
fn take_out(document: &mut JsonDocument, entries: &[&FoundEntry]) -> Result<(), EditError> {
    let mut places = BTreeSet::new();
    for entry in entries {
        let place = match &entry.group_path {
            Some(group) if is_all_of(document, group, entry, entries) => group,
            _ => &entry.handler_path,
        };
        places.insert(place.clone());
    }
    for place in places.iter().rev() {
        document.remove(place)?;
    }
    Ok(())
}

fn is_all_of(
    document: &JsonDocument,
    group: &[usize],
    entry: &FoundEntry,
    entries: &[&FoundEntry],
) -> bool {
    let in_group = |other: &&&FoundEntry| other.group_path.as_deref() == Some(group);
    let leaving = entries.iter().filter(in_group).count();
    let list = &entry.handler_path[..entry.handler_path.len() - 1];
    let handlers = document.node(list).and_then(JsonNode::elements);
    handlers.is_none_or(|handlers| handlers.len() == leaving)
}

/// Whether we wrote the root's header: it comes after the hooks, where a user would not put it.
fn is_our_header(format: &SettingsFormat, document: &JsonDocument) -> bool {
    let Some((root, first)) = document.root().zip(format.container.first()) else {
        return false;
    };
    let hooks = root.member(first).map(|(index, _)| index);
    let is_ours = |(key, constant): &(&str, HeaderValue)| {
        root.member(key).is_some_and(|(index, member)| {
            let text = document.text().get(member.value.range.clone());
            let value = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
            hooks < Some(index) && value == Some(constant.value())
        })
    };
    hooks.is_some() && format.header.iter().all(is_ours)
}

/// Removes the header together with the last hook.
fn take_out_header(
    format: &SettingsFormat,
    document: &mut JsonDocument,
    ours: bool,
) -> Result<(), EditError> {
    let Some(first) = format.container.first() else {
        return Ok(());
    };
    let hooks_left = document.root().is_none_or(|root| root.get(first).is_some());
    if !ours || hooks_left {
        return Ok(());
    }
    for (key, _) in format.header.iter().rev() {
        let member = document.root().and_then(|root| root.member(key));
        if let Some((index, _)) = member {
            document.remove(&[index])?;
        }
    }
    Ok(())
}

fn warnings(format: &SettingsFormat, document: &JsonDocument) -> Vec<String> {
    let title = format.title;
    let mut warnings = Vec::new();
    for (keys, off) in format.switches {
        let path = follow(document, keys);
        let switch = document.node(&path).filter(|_| path.len() == keys.len());
        if let Some(switch) = switch
            && switch.shape == JsonShape::Bool(*off)
        {
            let line = document.position(switch.range.start).line;
            let key = keys.join(".");
            warnings.push(format!(
                "`{key}` is {off} on line {line}, so {title} runs no hooks"
            ));
        }
    }
    let entries = find(format, document);
    for (index, entry) in entries.iter().enumerate() {
        if entry.is_restricted() && entry_to_keep(&entries, &entry.event) == Some(index) {
            let line = document.position(entry.offset).line;
            warnings.push(format!(
                "the entry for `{}` on line {line} has a matcher or a condition, so Becket does not get every such event",
                entry.event
            ));
        }
    }
    warnings
}

/// Hooks of others behind ours move up when ours are removed.
fn shifted_hooks(
    format: &SettingsFormat,
    document: &JsonDocument,
    entries: &[FoundEntry],
) -> Vec<String> {
    let ours: BTreeSet<&[usize]> = entries
        .iter()
        .map(|entry| entry.handler_path.as_slice())
        .collect();
    let followed = entries.iter().filter(|entry| {
        let mut path = entry.group_path.clone().unwrap_or_default();
        let Some(group) = path.pop() else {
            return false;
        };
        let groups = document.node(&path).and_then(JsonNode::elements);
        let last = groups.map_or(0, <[_]>::len);
        (group..last).any(|index| {
            let behind = |place: &&[usize]| {
                place.starts_with(&[path.as_slice(), &[index]].concat())
                    && *place > entry.handler_path.as_slice()
            };
            let handlers = handlers(document, &[path.as_slice(), &[index]].concat());
            let mut later = handlers.iter().map(Vec::as_slice).filter(behind);
            later.any(|place| !ours.contains(place))
        })
    });
    let title = format.title;
    distinct(followed.map(|entry| entry.event.as_str()))
        .into_iter()
        .map(|event| {
            format!("hooks after Becket's under `{event}` move up, so {title} will ask again whether to trust them")
        })
        .collect()
}

/// The positions of a group's handlers.
fn handlers(document: &JsonDocument, group: &[usize]) -> Vec<Vec<usize>> {
    let list = document.node(group).and_then(|node| node.member("hooks"));
    let Some((list, member)) = list else {
        return Vec::new();
    };
    let count = member.value.elements().map_or(0, <[_]>::len);
    (0..count)
        .map(|index| [group, &[list, index]].concat())
        .collect()
}

pub(super) fn unexpected(
    document: &JsonDocument,
    key: &str,
    expected: &'static str,
    found: &JsonNode,
) -> EditError {
    EditError::Unexpected {
        at: document.position(found.range.start),
        key: key.to_owned(),
        expected,
        found: found.describe(),
    }
}

fn join(above: &str, key: &str) -> String {
    if above.is_empty() {
        key.to_owned()
    } else {
        format!("{above}.{key}")
    }
}

/// The names in order, without duplicates.
pub(super) fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names
        .filter(|name| seen.insert(*name))
        .map(str::to_owned)
        .collect()
}
