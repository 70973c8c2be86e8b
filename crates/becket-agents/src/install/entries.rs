//! Finds Becket's entries in a settings file and what is wrong with them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::edit::command::{OwnCommand, quote};
use crate::edit::{JsonDocument, JsonMember, JsonNode, JsonShape};

use super::format::{HandlerLayout, SettingsFormat};
use super::{InstalledEntry, StaleReason};

/// An entry of ours and its position.
pub(super) struct FoundEntry {
    pub(super) event: String,
    pub(super) command: String,
    pub(super) own: OwnCommand,
    pub(super) offset: usize,
    /// The group that contains it, if the layout has groups.
    pub(super) group_path: Option<Vec<usize>>,
    pub(super) handler_path: Vec<usize>,
    pub(super) command_path: Vec<usize>,
    /// All differences from a freshly written entry, except being a duplicate.
    flaws: BTreeSet<StaleReason>,
}

impl FoundEntry {
    pub(super) fn binary(&self) -> Option<&str> {
        let program = &self.own.program;
        program.literal.then_some(program.value.as_str())
    }

    /// The corrected command, if it needs a correction. Words that the user added stay.
    pub(super) fn corrected(&self, format: &SettingsFormat, binary: &str) -> Option<String> {
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

    /// Whether the agent runs the entry.
    fn runs(&self) -> bool {
        !self.flaws.contains(&StaleReason::Overridden)
            && !self.flaws.contains(&StaleReason::Unusable)
    }

    pub(super) fn is_restricted(&self) -> bool {
        self.flaws.contains(&StaleReason::Restricted)
    }

    fn stale(&self, counts: bool) -> Option<StaleReason> {
        let duplicate = (!counts).then_some(StaleReason::Duplicate);
        self.flaws.iter().copied().chain(duplicate).min()
    }
}

/// Our entries in a file, in file order. An unreadable file has none.
pub(super) fn installed(format: &SettingsFormat, existing: &str) -> Vec<InstalledEntry> {
    let Ok(document) = JsonDocument::parse(existing) else {
        return Vec::new();
    };
    let entries = find(format, &document);
    let report = |(index, entry): (usize, &FoundEntry)| InstalledEntry {
        event: entry.event.clone(),
        command: entry.command.clone(),
        line: document.position(entry.offset).line,
        binary: entry.binary().map(str::to_owned),
        stale: entry.stale(entry_to_keep(&entries, &entry.event) == Some(index)),
    };
    entries.iter().enumerate().map(report).collect()
}

/// The entry to keep for an event: preferably one that the agent runs and that is as we would write it.
pub(super) fn entry_to_keep(entries: &[FoundEntry], event: &str) -> Option<usize> {
    let candidates = || {
        entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.event == event && entry.runs())
    };
    candidates()
        .find(|(_, entry)| !entry.is_restricted() && entry.own.is_for(event))
        .or_else(|| candidates().next())
        .map(|(index, _)| index)
}

/// All entries of ours, in file order.
pub(super) fn find(format: &SettingsFormat, document: &JsonDocument) -> Vec<FoundEntry> {
    let mut finder = EntryFinder {
        format,
        text: document.text(),
        found: Vec::new(),
    };
    if let Some(root) = document.root() {
        finder.walk(root, format.container, &mut Vec::new(), false);
    }
    finder.found
}

struct EntryFinder<'d> {
    format: &'d SettingsFormat,
    text: &'d str,
    found: Vec<FoundEntry>,
}

/// A handler and its surroundings.
struct HandlerSite<'n> {
    event: &'n str,
    group: Option<(&'n JsonNode, &'n [usize])>,
    overridden: bool,
}

impl EntryFinder<'_> {
    /// Follows the keys to the object that holds the hooks. If a key occurs twice, both are searched.
    fn walk(&mut self, node: &JsonNode, keys: &[&str], path: &mut Vec<usize>, overridden: bool) {
        let Some((key, rest)) = keys.split_first() else {
            self.container(node, path, overridden);
            return;
        };
        for (index, member) in members_called(node, Some(key)) {
            path.push(index);
            self.walk(
                &member.value,
                rest,
                path,
                overridden || !is_last(node, index),
            );
            path.pop();
        }
    }

    fn container(&mut self, node: &JsonNode, path: &[usize], overridden: bool) {
        if let HandlerLayout::List(key) = self.format.form {
            for (index, handler) in children(node) {
                let Some(event) = handler.get(key).and_then(JsonNode::as_str) else {
                    continue;
                };
                let place = HandlerSite {
                    event,
                    group: None,
                    overridden,
                };
                self.handler(handler, [path, &[index]].concat(), &place);
            }
            return;
        }
        for (index, member) in members_called(node, None) {
            let overridden = overridden || !is_last(node, index);
            let path = [path, &[index]].concat();
            self.event(member, &path, overridden);
        }
    }

    fn event(&mut self, member: &JsonMember, path: &[usize], overridden: bool) {
        for (index, unit) in children(&member.value) {
            let path = [path, &[index]].concat();
            let mut place = HandlerSite {
                event: &member.key,
                group: None,
                overridden,
            };
            if self.format.form == HandlerLayout::Flat {
                self.handler(unit, path, &place);
                continue;
            }
            place.group = Some((unit, &path));
            let Some((list, handlers)) = unit.member("hooks") else {
                continue;
            };
            for (index, handler) in children(&handlers.value) {
                self.handler(handler, [path.as_slice(), &[list, index]].concat(), &place);
            }
        }
    }

    fn handler(&mut self, handler: &JsonNode, path: Vec<usize>, place: &HandlerSite<'_>) {
        let mut command_path = path.clone();
        let mut node = handler;
        for key in self.format.command {
            let Some((index, member)) = node.member(key) else {
                return;
            };
            command_path.push(index);
            node = &member.value;
        }
        let own = node
            .as_str()
            .and_then(|line| Some((line, OwnCommand::parse(line, self.format.agent)?)));
        let Some((command, own)) = own else {
            return;
        };
        self.found.push(FoundEntry {
            event: place.event.to_owned(),
            command: command.to_owned(),
            flaws: self.flaws(handler, place, &own),
            own,
            offset: node.range.start,
            group_path: place.group.map(|(_, path)| path.to_vec()),
            handler_path: path,
            command_path,
        });
    }

    fn flaws(
        &self,
        handler: &JsonNode,
        place: &HandlerSite<'_>,
        own: &OwnCommand,
    ) -> BTreeSet<StaleReason> {
        let HandlerSite { event, .. } = *place;
        let line = self.format.line(&own.program.value, event);
        let ours = (self.format.handler)(event, &line);
        let group = place.group.map(|(group, _)| group);
        let findings = [
            (place.overridden, StaleReason::Overridden),
            (!(self.format.is_usable)(handler), StaleReason::Unusable),
            (!own.is_for(event), StaleReason::WrongEvent),
            (
                self.format.is_restricted(event, group, handler),
                StaleReason::Restricted,
            ),
            (!is_same(self.text, handler, &ours), StaleReason::Edited),
        ];
        let holding = findings.into_iter().filter(|(holds, _)| *holds);
        holding.map(|(_, flaw)| flaw).collect()
    }
}

fn children(node: &JsonNode) -> impl Iterator<Item = (usize, &JsonNode)> {
    node.elements().unwrap_or_default().iter().enumerate()
}

fn members_called<'n>(
    node: &'n JsonNode,
    key: Option<&'n str>,
) -> impl Iterator<Item = (usize, &'n JsonMember)> {
    let members = node.members().unwrap_or_default().iter().enumerate();
    members.filter(move |(_, member)| key.is_none_or(|key| member.key == key))
}

fn is_last(object: &JsonNode, index: usize) -> bool {
    let key = object.members().and_then(|members| members.get(index));
    let last = key.and_then(|member| object.member(&member.key));
    last.is_some_and(|(last, _)| last == index)
}

/// Whether a node of `text` equals this value, ignoring the order of keys.
fn is_same(text: &str, node: &JsonNode, value: &Value) -> bool {
    match (&node.shape, value) {
        (JsonShape::Null, Value::Null) => true,
        (JsonShape::Bool(found), Value::Bool(value)) => found == value,
        (JsonShape::String(found), Value::String(value)) => found == value,
        (JsonShape::Number, Value::Number(value)) => text
            .get(node.range.clone())
            .and_then(|digits| digits.parse::<serde_json::Number>().ok())
            .is_some_and(|found| found == *value),
        (JsonShape::Array(found), Value::Array(values)) => {
            found.len() == values.len()
                && found
                    .iter()
                    .zip(values)
                    .all(|(node, value)| is_same(text, node, value))
        }
        (JsonShape::Object(found), Value::Object(values)) => {
            found.len() == values.len()
                && values.iter().all(|(key, value)| {
                    node.get(key).is_some_and(|node| is_same(text, node, value))
                })
        }
        _ => false,
    }
}
