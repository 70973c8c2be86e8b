//! How an agent writes its hooks down in JSON, as data.

use serde_json::{Map, Value, json};

use crate::edit::command::hook_command;
use crate::edit::{Node, Shape};

use super::strict;

/// How long an agent shall wait for Becket, in seconds, where its own default is shorter than what a
/// person's hooks may ask for. Becket keeps the hooks' own deadlines, so this is only the outer limit.
pub(crate) const WAIT: u64 = 600;

/// How an agent writes its hooks down, and what we write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// The agent's id.
    pub(crate) agent: &'static str,
    /// The agent's name for people.
    pub(crate) title: &'static str,
    /// The events that an installation listens to.
    pub(crate) events: &'static [&'static str],
    /// The keys from the root to what holds the hooks; none if the root itself does.
    pub(crate) container: &'static [&'static str],
    pub(crate) form: Form,
    /// The keys from a handler to its command line.
    pub(crate) command: &'static [&'static str],
    /// A handler of ours, given event and command line.
    pub(crate) handler: fn(&str, &str) -> Value,
    /// What a group of ours has beside its handlers; an object.
    pub(crate) beside: fn() -> Value,
    /// What the root must have for the agent to read the file.
    pub(crate) header: &'static [(&'static str, Constant)],
    /// Whether the agent runs a handler that holds a command of ours.
    pub(crate) usable: fn(&Node) -> bool,
    /// Keys of a handler that keep events from it.
    pub(crate) conditions: &'static [&'static str],
    /// Matchers that let everything through.
    pub(crate) all: &'static [&'static str],
    /// Events for which the agent does not look at the matcher.
    pub(crate) unmatched: &'static [&'static str],
    /// Settings that stop all hooks, with the value that does so.
    pub(crate) switches: &'static [(&'static [&'static str], bool)],
    /// Whether the agent remembers hooks by their place, so that a removal disturbs those behind it.
    pub(crate) positional: bool,
    /// What in a program's path the agent would not pass on as it is, if anything.
    pub(crate) mangles: fn(&str) -> Option<&'static str>,
    /// Why the agent does not read a text.
    pub(crate) unread: fn(&str) -> Option<String>,
}

/// How handlers are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{event: [{matcher, hooks: [handler]}]}`
    Nested,
    /// `{event: [handler]}`
    Flat,
    /// `[handler]`, each with its event under this key.
    List(&'static str),
}

/// A value that never varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Constant {
    Int(u64),
    Text(&'static str),
    List(&'static [&'static str]),
}

impl Constant {
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Int(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(texts) => texts.to_vec().into(),
        }
    }
}

impl Dialect {
    /// Claude Code's shape, which most agents have taken over.
    pub(crate) const NESTED: Self = Self {
        agent: "",
        title: "",
        events: &[],
        container: &["hooks"],
        form: Form::Nested,
        command: &["command"],
        handler: seconds,
        beside: || Value::Null,
        header: &[],
        usable: is_command,
        conditions: &[],
        all: &["", "*"],
        unmatched: &[],
        switches: &[],
        positional: false,
        mangles: strict::passes,
        unread: strict::reads,
    };

    /// The same without groups.
    pub(crate) const FLAT: Self = Self {
        form: Form::Flat,
        handler: flat_seconds,
        usable: is_command_if_anything,
        conditions: &["matcher"],
        ..Self::NESTED
    };

    /// Our command line for an event.
    pub(crate) fn line(&self, binary: &str, event: &str) -> String {
        hook_command(binary, event, self.agent)
    }

    /// What stands in an event's list, or in the list of all hooks.
    pub(crate) fn unit(&self, binary: &str, event: &str) -> Value {
        let handler = (self.handler)(event, &self.line(binary, event));
        if self.form != Form::Nested {
            return handler;
        }
        let mut group = Map::new();
        group.insert("hooks".to_owned(), json!([handler]));
        if let Value::Object(beside) = (self.beside)() {
            group.extend(beside);
        }
        Value::Object(group)
    }

    /// What holds the hooks, with nothing but ours.
    pub(crate) fn body(&self, binary: &str, events: &[String]) -> Value {
        if let Form::List(_) = self.form {
            return events
                .iter()
                .map(|event| self.unit(binary, event))
                .collect();
        }
        let members = events
            .iter()
            .map(|event| (event.clone(), json!([self.unit(binary, event)])));
        Value::Object(members.collect())
    }

    /// Whether a matcher or a condition keeps some occurrences of an event from a handler.
    pub(crate) fn is_restricted(&self, event: &str, group: Option<&Node>, handler: &Node) -> bool {
        let matched = |node: &Node| {
            let matcher = node.get("matcher").and_then(Node::as_str);
            matcher.is_some_and(|matcher| !self.all.contains(&matcher))
        };
        let ours = (self.handler)(event, "");
        let as_written = ours.get("matcher").and_then(Value::as_str);
        let own = handler.get("matcher").and_then(Node::as_str);
        let condition = |key: &&str| match *key {
            "matcher" if own.is_some() && own == as_written => false,
            "matcher" => matched(handler),
            key => handler.get(key).is_some(),
        };
        let grouped = group.is_some_and(matched) && !self.unmatched.contains(&event);
        grouped || self.conditions.iter().any(condition)
    }
}

/// A command handler with a limit in seconds.
pub(crate) fn seconds(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command, "timeout": WAIT })
}

/// A command handler with a limit in milliseconds.
pub(crate) fn milliseconds(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command, "timeout": WAIT * 1000 })
}

/// A handler that needs no type, with a limit in seconds.
pub(crate) fn flat_seconds(_event: &str, command: &str) -> Value {
    json!({ "command": command, "timeout": WAIT })
}

/// A command handler without a limit of its own.
pub(crate) fn unlimited(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

pub(crate) fn is_command(handler: &Node) -> bool {
    handler.get("type").and_then(Node::as_str) == Some("command")
}

/// With `args` the command is a program's name and no longer a line.
pub(crate) fn is_command_line(handler: &Node) -> bool {
    is_command(handler) && handler.get("args").is_none()
}

pub(crate) fn is_command_if_anything(handler: &Node) -> bool {
    handler.get("type").is_none() || is_command(handler)
}

pub(crate) fn is_enabled(handler: &Node) -> bool {
    let enabled = handler.get("enabled");
    enabled.is_none_or(|switch| switch.shape != Shape::Bool(false))
}
