//! Becket's entries in Claude Code's `settings.json`: planning them, finding them, taking them out.
//!
//! Plans are text in and text out; the caller reads, shows and writes. Only entries that run
//! `becket hook … --agent claude` are ever touched. Everything else in the file keeps its bytes, and
//! an uninstall right after an install gives back the original file. Start at [`plan_install`].

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::edit::command::{OwnCommand, hook_command, is_becket, quote};
use crate::edit::{Document, Edit, EditError, Member, Node, Shape};

const AGENT: &str = "claude";

/// The events that Becket listens to: all of Claude Code 2.1.325 but four.
///
/// - `WorktreeCreate` and `WorktreeRemove`: a hook there replaces Claude's own work, so one that only
///   observes would break worktrees.
/// - `FileChanged`: its matcher is the list of files to watch, so there is none that means "all".
/// - `MessageDisplay`: fires for every flush of streamed text, which would start a process each time.
pub const EVENTS: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "Setup",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Notification",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "InstructionsLoaded",
    "CwdChanged",
    "DirectoryAdded",
];

/// Events for which Claude Code does not look at the matcher.
const UNMATCHED: &[&str] = &[
    "UserPromptSubmit",
    "Stop",
    "PostToolBatch",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "WorktreeCreate",
    "WorktreeRemove",
    "CwdChanged",
    "MessageDisplay",
];

/// What to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Install<'a> {
    /// The path of the `becket` binary; it may contain spaces and quotes.
    pub command: &'a str,
    /// The events to listen to, usually [`EVENTS`].
    pub events: &'a [&'a str],
}

/// An entry of ours in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledEntry {
    /// The key it stands under.
    pub event: String,
    /// The whole shell line.
    pub command: String,
    /// The line of the file where the command stands.
    pub line: usize,
    /// The program it runs; `None` if only a shell could tell (`$HOME/bin/becket`).
    pub binary: Option<String>,
    /// How it differs from what an install writes, apart from the program's path.
    pub stale: Option<Stale>,
}

/// How an entry differs from what an install writes; of several differences, the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stale {
    /// Its `hooks` or event key occurs again further down, and readers take the last.
    Overridden,
    /// It is not a handler of type `command`, or has `args`; Claude Code does not run it as written.
    Unusable,
    /// The command names another event than the key it stands under.
    WrongEvent,
    /// Another entry of ours does the same for this event.
    Duplicate,
    /// A matcher or an `if` keeps some occurrences of the event from it.
    Restricted,
    /// The command or the handler was edited by hand.
    Edited,
}

/// The settings file with Becket in it. `None` is a file that does not exist yet.
pub fn plan_install(existing: Option<&str>, binary: &str) -> Result<Edit, EditError> {
    let install = Install {
        command: binary,
        events: EVENTS,
    };
    install.plan(existing)
}

/// The settings file without Becket. If nothing but what an install created is left, the plan is to
/// delete the file.
pub fn plan_uninstall(existing: &str) -> Result<Edit, EditError> {
    let mut document = Document::parse(existing)?;
    let entries = find(&document);
    let removed = distinct(entries.iter().map(|entry| entry.event.as_str()));
    take_out(&mut document, &entries.iter().collect::<Vec<_>>())?;
    let text = document.into_text();
    Ok(Edit {
        changed: text != existing,
        delete: text.is_empty() && !existing.is_empty(),
        text,
        removed,
        ..Edit::default()
    })
}

/// Why Claude Code will not read a file that is there, if it will not. The headless client (2.1.325)
/// passes over a whole settings file with a comment or a trailing comma, without a word.
pub fn unread(existing: &str) -> Option<String> {
    let text = existing.strip_prefix('\u{feff}').unwrap_or(existing);
    if text.trim().is_empty() {
        return None;
    }
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    Some(format!(
        "not plain JSON (line {}), so Claude Code passes over the whole file when it runs headless",
        error.line()
    ))
}

/// Which of our entries a settings file has, in file order. A file that cannot be read has none.
pub fn installed(existing: &str) -> Vec<InstalledEntry> {
    let Ok(document) = Document::parse(existing) else {
        return Vec::new();
    };
    let entries = find(&document);
    let report = |(index, entry): (usize, &Entry)| InstalledEntry {
        event: entry.event.clone(),
        command: entry.command.clone(),
        line: document.position(entry.offset).line,
        binary: entry.binary().map(str::to_owned),
        stale: entry.stale(keeper(&entries, &entry.event) == Some(index)),
    };
    entries.iter().enumerate().map(report).collect()
}

impl Install<'_> {
    /// The settings file with these entries in it. Entries that are there already are corrected in
    /// place if they run another binary, and reduced to one for each event.
    pub fn plan(&self, existing: Option<&str>) -> Result<Edit, EditError> {
        if !is_becket(self.command) {
            return Err(EditError::Binary {
                binary: self.command.to_owned(),
            });
        }
        let before = existing.unwrap_or_default();
        let mut document = Document::parse(before)?;
        self.check(&document)?;
        let mut warnings = warnings(&document);
        warnings.extend(unread(before));
        let updated = self.reconcile(&mut document)?;
        let mut added = self.add_missing(&mut document)?;
        added.retain(|event| !updated.contains(event));
        let text = document.into_text();
        Ok(Edit {
            changed: text != before,
            text,
            added,
            updated,
            warnings,
            ..Edit::default()
        })
    }

    /// Refuses a file in which one of our keys holds something that Claude Code would not read.
    fn check(&self, document: &Document) -> Result<(), EditError> {
        let Some(root) = document.root() else {
            return Ok(());
        };
        if root.members().is_none() {
            return Err(unexpected(document, "settings", "an object", root));
        }
        let Some(hooks) = root.get("hooks") else {
            return Ok(());
        };
        if hooks.members().is_none() {
            return Err(unexpected(document, "hooks", "an object", hooks));
        }
        for event in self.events {
            match hooks.get(event) {
                Some(groups) if groups.elements().is_none() => {
                    let key = format!("hooks.{event}");
                    return Err(unexpected(document, &key, "an array", groups));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Corrects what is there, and says for which events something had to be corrected.
    fn reconcile(&self, document: &mut Document) -> Result<Vec<String>, EditError> {
        let entries = find(document);
        let mut touched = Vec::new();
        let mut surplus = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match keeper(&entries, &entry.event) {
                Some(kept) if kept == index => {
                    if let Some(command) = entry.corrected(self.command) {
                        document.replace_string(&entry.command_path, &command)?;
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

    fn add_missing(&self, document: &mut Document) -> Result<Vec<String>, EditError> {
        let entries = find(document);
        let missing = distinct(self.events.iter().copied())
            .into_iter()
            .filter(|event| keeper(&entries, event).is_none());
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return Ok(missing);
        }
        let hooks = document.root().map(|root| root.member("hooks"));
        match hooks {
            None => document.create_root(&json!({ "hooks": self.groups(&missing) }), 2)?,
            Some(None) => document.append_member(&[], "hooks", &self.groups(&missing), 1)?,
            Some(Some((index, _))) => {
                for event in &missing {
                    self.add(document, index, event)?;
                }
            }
        }
        Ok(missing)
    }

    fn add(&self, document: &mut Document, hooks: usize, event: &str) -> Result<(), EditError> {
        let there = document
            .node(&[hooks])
            .and_then(|hooks| hooks.member(event))
            .map(|(index, _)| index);
        match there {
            Some(index) => document.append_element(&[hooks, index], &self.group(event), 0),
            None => document.append_member(&[hooks], event, &json!([self.group(event)]), 0),
        }
    }

    fn groups(&self, events: &[String]) -> Value {
        let members = events
            .iter()
            .map(|event| (event.clone(), json!([self.group(event)])));
        Value::Object(members.collect::<Map<_, _>>())
    }

    fn group(&self, event: &str) -> Value {
        let command = hook_command(self.command, event, AGENT);
        json!({ "hooks": [{ "type": "command", "command": command }] })
    }
}

/// An entry of ours and where it stands.
struct Entry {
    event: String,
    command: String,
    own: OwnCommand,
    offset: usize,
    group_path: Vec<usize>,
    handler_path: Vec<usize>,
    command_path: Vec<usize>,
    /// All that sets it apart, except being one of several.
    flaws: BTreeSet<Stale>,
}

impl Entry {
    fn binary(&self) -> Option<&str> {
        let program = &self.own.program;
        program.literal.then_some(program.value.as_str())
    }

    /// The command as it should be, if it is not. Words that a person added stay.
    fn corrected(&self, binary: &str) -> Option<String> {
        if !self.own.is_for(&self.event) {
            return Some(hook_command(binary, &self.event, AGENT));
        }
        if self.binary() == Some(binary) {
            return None;
        }
        let mut command = self.command.clone();
        command.replace_range(self.own.program.range.clone(), &quote(binary));
        Some(command)
    }

    /// Whether Claude Code runs it at all.
    fn runs(&self) -> bool {
        !self.flaws.contains(&Stale::Overridden) && !self.flaws.contains(&Stale::Unusable)
    }

    fn is_restricted(&self) -> bool {
        self.flaws.contains(&Stale::Restricted)
    }

    fn stale(&self, counts: bool) -> Option<Stale> {
        let duplicate = (!counts).then_some(Stale::Duplicate);
        self.flaws.iter().copied().chain(duplicate).min()
    }
}

/// The entry that counts for an event: one that Claude Code runs, rather as we would write it.
fn keeper(entries: &[Entry], event: &str) -> Option<usize> {
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
fn find(document: &Document) -> Vec<Entry> {
    let mut found = Vec::new();
    let Some(root) = document.root() else {
        return found;
    };
    for (h, hooks) in members_called(root, Some("hooks")) {
        for (e, event) in members_called(&hooks.value, None) {
            let overridden = !is_last(root, h) || !is_last(&hooks.value, e);
            let groups = event.value.elements().unwrap_or_default();
            for (g, group) in groups.iter().enumerate() {
                let path = [h, e, g];
                for mut entry in find_in_group(&event.key, &path, group) {
                    if overridden {
                        entry.flaws.insert(Stale::Overridden);
                    }
                    found.push(entry);
                }
            }
        }
    }
    found
}

fn find_in_group<'n>(
    event: &'n str,
    group_path: &'n [usize],
    group: &'n Node,
) -> impl Iterator<Item = Entry> + 'n {
    let handlers = group.member("hooks").into_iter().flat_map(|(l, list)| {
        let elements = list.value.elements().unwrap_or_default();
        elements
            .iter()
            .enumerate()
            .map(move |(i, node)| (l, i, node))
    });
    handlers.filter_map(move |(l, i, handler)| {
        let (c, command) = handler.member("command")?;
        let text = command.value.as_str()?;
        let own = OwnCommand::parse(text, AGENT)?;
        let handler_path = [group_path, &[l, i]].concat();
        Some(Entry {
            event: event.to_owned(),
            command: text.to_owned(),
            flaws: flaws(event, &own, text, group, handler),
            own,
            offset: command.value.range.start,
            group_path: group_path.to_vec(),
            command_path: [handler_path.as_slice(), &[c]].concat(),
            handler_path,
        })
    })
}

fn flaws(
    event: &str,
    own: &OwnCommand,
    command: &str,
    group: &Node,
    handler: &Node,
) -> BTreeSet<Stale> {
    let is_command = handler.get("type").and_then(Node::as_str) == Some("command");
    let unusable = !is_command || handler.get("args").is_some();
    let restricted = handler.get("if").is_some() || is_matched(event, group);
    let plain = handler.members().is_some_and(|members| members.len() == 2);
    let edited = !plain || command != hook_command(&own.program.value, event, AGENT);
    let findings = [
        (unusable, Stale::Unusable),
        (!own.is_for(event), Stale::WrongEvent),
        (restricted, Stale::Restricted),
        (edited, Stale::Edited),
    ];
    let holding = findings.into_iter().filter(|(holds, _)| *holds);
    holding.map(|(_, flaw)| flaw).collect()
}

fn is_matched(event: &str, group: &Node) -> bool {
    let matcher = group.get("matcher").and_then(Node::as_str);
    !UNMATCHED.contains(&event) && !matches!(matcher, None | Some("" | "*"))
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

/// Removes entries, each with its group if no other handler is left in it. Going backwards keeps the
/// places of the earlier ones valid.
fn take_out(document: &mut Document, entries: &[&Entry]) -> Result<(), EditError> {
    let mut places = BTreeSet::new();
    for entry in entries {
        let leaving = entries
            .iter()
            .filter(|other| other.group_path == entry.group_path)
            .count();
        let list = &entry.handler_path[..entry.handler_path.len() - 1];
        let handlers = document.node(list).and_then(Node::elements);
        let alone = handlers.is_none_or(|handlers| handlers.len() == leaving);
        places.insert(if alone {
            entry.group_path.clone()
        } else {
            entry.handler_path.clone()
        });
    }
    for place in places.iter().rev() {
        document.remove(place)?;
    }
    Ok(())
}

fn warnings(document: &Document) -> Vec<String> {
    let mut warnings = Vec::new();
    let disabled = document.root().and_then(|root| root.get("disableAllHooks"));
    if let Some(switch) = disabled
        && switch.shape == Shape::Bool(true)
    {
        let line = document.position(switch.range.start).line;
        warnings.push(format!(
            "`disableAllHooks` is true on line {line}, so Claude Code runs no hook until that is changed"
        ));
    }
    let entries = find(document);
    for (index, entry) in entries.iter().enumerate() {
        if entry.is_restricted() && keeper(&entries, &entry.event) == Some(index) {
            let line = document.position(entry.offset).line;
            warnings.push(format!(
                "the entry for `{}` on line {line} has a matcher or an `if`, so Becket does not see every such event",
                entry.event
            ));
        }
    }
    warnings
}

fn unexpected(document: &Document, key: &str, expected: &'static str, found: &Node) -> EditError {
    EditError::Unexpected {
        at: document.position(found.range.start),
        key: key.to_owned(),
        expected,
        found: found.describe(),
    }
}

/// The names in order, each once.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names
        .filter(|name| seen.insert(*name))
        .map(str::to_owned)
        .collect()
}
