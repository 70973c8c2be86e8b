//! Finding Becket's entries in a settings file, and telling what is wrong with them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::edit::command::{OwnCommand, quote};
use crate::edit::{Document, Member, Node, Shape};

use super::dialect::{Dialect, Form};
use super::{InstalledEntry, Stale};

/// An entry of ours and where it stands.
pub(super) struct Entry {
    pub(super) event: String,
    pub(super) command: String,
    pub(super) own: OwnCommand,
    pub(super) offset: usize,
    /// The group it is in, where there are groups.
    pub(super) group_path: Option<Vec<usize>>,
    pub(super) handler_path: Vec<usize>,
    pub(super) command_path: Vec<usize>,
    /// All that sets it apart, except being one of several.
    flaws: BTreeSet<Stale>,
}

impl Entry {
    pub(super) fn binary(&self) -> Option<&str> {
        let program = &self.own.program;
        program.literal.then_some(program.value.as_str())
    }

    /// The command as it should be, if it is not. Words that a person added stay.
    pub(super) fn corrected(&self, dialect: &Dialect, binary: &str) -> Option<String> {
        if !self.own.is_for(&self.event) {
            return Some(dialect.line(binary, &self.event));
        }
        if self.binary() == Some(binary) {
            return None;
        }
        let mut command = self.command.clone();
        command.replace_range(self.own.program.range.clone(), &quote(binary));
        Some(command)
    }

    /// Whether the agent runs it at all.
    fn runs(&self) -> bool {
        !self.flaws.contains(&Stale::Overridden) && !self.flaws.contains(&Stale::Unusable)
    }

    pub(super) fn is_restricted(&self) -> bool {
        self.flaws.contains(&Stale::Restricted)
    }

    fn stale(&self, counts: bool) -> Option<Stale> {
        let duplicate = (!counts).then_some(Stale::Duplicate);
        self.flaws.iter().copied().chain(duplicate).min()
    }
}

/// Which of our entries a file has, in file order. A file that cannot be read has none.
pub(super) fn installed(dialect: &Dialect, existing: &str) -> Vec<InstalledEntry> {
    let Ok(document) = Document::parse(existing) else {
        return Vec::new();
    };
    let entries = find(dialect, &document);
    let report = |(index, entry): (usize, &Entry)| InstalledEntry {
        event: entry.event.clone(),
        command: entry.command.clone(),
        line: document.position(entry.offset).line,
        binary: entry.binary().map(str::to_owned),
        stale: entry.stale(keeper(&entries, &entry.event) == Some(index)),
    };
    entries.iter().enumerate().map(report).collect()
}

/// The entry that counts for an event: one that the agent runs, rather as we would write it.
pub(super) fn keeper(entries: &[Entry], event: &str) -> Option<usize> {
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
pub(super) fn find(dialect: &Dialect, document: &Document) -> Vec<Entry> {
    let mut finder = Finder {
        dialect,
        text: document.text(),
        found: Vec::new(),
    };
    if let Some(root) = document.root() {
        finder.walk(root, dialect.container, &mut Vec::new(), false);
    }
    finder.found
}

struct Finder<'d> {
    dialect: &'d Dialect,
    text: &'d str,
    found: Vec<Entry>,
}

/// A handler, and what is known about its surroundings.
struct Place<'n> {
    event: &'n str,
    group: Option<(&'n Node, &'n [usize])>,
    overridden: bool,
}

impl Finder<'_> {
    /// Follows the keys to what holds the hooks. A key may occur twice, and both are looked into.
    fn walk(&mut self, node: &Node, keys: &[&str], path: &mut Vec<usize>, overridden: bool) {
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

    fn container(&mut self, node: &Node, path: &[usize], overridden: bool) {
        if let Form::List(key) = self.dialect.form {
            for (index, handler) in children(node) {
                let Some(event) = handler.get(key).and_then(Node::as_str) else {
                    continue;
                };
                let place = Place {
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

    fn event(&mut self, member: &Member, path: &[usize], overridden: bool) {
        for (index, unit) in children(&member.value) {
            let path = [path, &[index]].concat();
            let mut place = Place {
                event: &member.key,
                group: None,
                overridden,
            };
            if self.dialect.form == Form::Flat {
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

    fn handler(&mut self, handler: &Node, path: Vec<usize>, place: &Place<'_>) {
        let mut command_path = path.clone();
        let mut node = handler;
        for key in self.dialect.command {
            let Some((index, member)) = node.member(key) else {
                return;
            };
            command_path.push(index);
            node = &member.value;
        }
        let own = node
            .as_str()
            .and_then(|line| Some((line, OwnCommand::parse(line, self.dialect.agent)?)));
        let Some((command, own)) = own else {
            return;
        };
        self.found.push(Entry {
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

    fn flaws(&self, handler: &Node, place: &Place<'_>, own: &OwnCommand) -> BTreeSet<Stale> {
        let Place { event, .. } = *place;
        let line = self.dialect.line(&own.program.value, event);
        let ours = (self.dialect.handler)(event, &line);
        let group = place.group.map(|(group, _)| group);
        let findings = [
            (place.overridden, Stale::Overridden),
            (!(self.dialect.usable)(handler), Stale::Unusable),
            (!own.is_for(event), Stale::WrongEvent),
            (
                self.dialect.is_restricted(event, group, handler),
                Stale::Restricted,
            ),
            (!is_same(self.text, handler, &ours), Stale::Edited),
        ];
        let holding = findings.into_iter().filter(|(holds, _)| *holds);
        holding.map(|(_, flaw)| flaw).collect()
    }
}

fn children(node: &Node) -> impl Iterator<Item = (usize, &Node)> {
    node.elements().unwrap_or_default().iter().enumerate()
}

fn members_called<'n>(
    node: &'n Node,
    key: Option<&'n str>,
) -> impl Iterator<Item = (usize, &'n Member)> {
    let members = node.members().unwrap_or_default().iter().enumerate();
    members.filter(move |(_, member)| key.is_none_or(|key| member.key == key))
}

fn is_last(object: &Node, index: usize) -> bool {
    let key = object.members().and_then(|members| members.get(index));
    let last = key.and_then(|member| object.member(&member.key));
    last.is_some_and(|(last, _)| last == index)
}

/// Whether a node of `text` means this value; the order of keys does not matter.
fn is_same(text: &str, node: &Node, value: &Value) -> bool {
    match (&node.shape, value) {
        (Shape::Null, Value::Null) => true,
        (Shape::Bool(found), Value::Bool(value)) => found == value,
        (Shape::String(found), Value::String(value)) => found == value,
        (Shape::Number, Value::Number(value)) => text
            .get(node.range.clone())
            .and_then(|digits| digits.parse::<serde_json::Number>().ok())
            .is_some_and(|found| found == *value),
        (Shape::Array(found), Value::Array(values)) => {
            found.len() == values.len()
                && found
                    .iter()
                    .zip(values)
                    .all(|(node, value)| is_same(text, node, value))
        }
        (Shape::Object(found), Value::Object(values)) => {
            found.len() == values.len()
                && values.iter().all(|(key, value)| {
                    node.get(key).is_some_and(|node| is_same(text, node, value))
                })
        }
        _ => false,
    }
}
