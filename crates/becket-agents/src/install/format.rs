//! The format in which an agent stores hooks in JSON, as data.

use serde_json::{Map, Value, json};

use crate::edit::command::hook_command;
use crate::edit::{JsonNode, JsonShape};

use super::strict;

/// The timeout in seconds that Becket sets for its own entries where the agent's default is shorter than
/// what the user's hooks may need. Becket enforces the hooks' own timeouts, so this is only the outer limit.
pub(crate) const AGENT_TIMEOUT_SECS: u64 = 600;

/// The format in which an agent stores hooks, and the entries that Becket writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SettingsFormat {
    /// The agent's id.
    pub(crate) agent: &'static str,
    /// The agent's display name.
    pub(crate) title: &'static str,
    /// The events that an installation registers.
    pub(crate) events: &'static [&'static str],
    /// The keys from the root to the object that holds the hooks; empty if the root itself does.
    pub(crate) container: &'static [&'static str],
    pub(crate) form: HandlerLayout,
    /// The keys from a handler to its command line.
    pub(crate) command: &'static [&'static str],
    /// Builds a handler of ours from event and command line.
    pub(crate) handler: fn(&str, &str) -> Value,
    /// The fields of a group of ours other than its handlers; an object.
    pub(crate) group_fields: fn() -> Value,
    /// Fields that the root must have so that the agent reads the file.
    pub(crate) header: &'static [(&'static str, HeaderValue)],
    /// Whether the agent runs a handler that contains our command.
    pub(crate) is_usable: fn(&JsonNode) -> bool,
    /// Keys of a handler that restrict when it runs.
    pub(crate) conditions: &'static [&'static str],
    /// Matchers that match everything.
    pub(crate) all: &'static [&'static str],
    /// Events at which the agent ignores the matcher.
    pub(crate) matcher_ignored: &'static [&'static str],
    /// Settings that disable all hooks, with the value that does so.
    pub(crate) switches: &'static [(&'static [&'static str], bool)],
    /// Whether the agent identifies hooks by position, so that a removal affects the hooks after it.
    pub(crate) positional: bool,
    /// Which part of a program's path the agent would alter, if any.
    pub(crate) path_problem: fn(&str) -> Option<&'static str>,
    /// Why the agent would reject a text.
    pub(crate) rejection_reason: fn(&str) -> Option<String>,
}

/// How handlers are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandlerLayout {
    /// `{event: [{matcher, hooks: [handler]}]}`
    Nested,
    /// `{event: [handler]}`
    Flat,
    /// `[handler]`, each with its event under this key.
    List(&'static str),
}

/// A constant value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderValue {
    Int(u64),
    Text(&'static str),
    List(&'static [&'static str]),
}

impl HeaderValue {
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Int(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(texts) => texts.to_vec().into(),
        }
    }
}

impl SettingsFormat {
    /// Claude Code's layout, which most agents have adopted.
    pub(crate) const NESTED: Self = Self {
        agent: "",
        title: "",
        events: &[],
        container: &["hooks"],
        form: HandlerLayout::Nested,
        command: &["command"],
        handler: seconds,
        group_fields: || Value::Null,
        header: &[],
        is_usable: is_command,
        conditions: &[],
        all: &["", "*"],
        matcher_ignored: &[],
        switches: &[],
        positional: false,
        path_problem: strict::passes_verbatim,
        rejection_reason: strict::accepts_any_json,
    };

    /// The same without groups.
    pub(crate) const FLAT: Self = Self {
        form: HandlerLayout::Flat,
        handler: flat_seconds,
        is_usable: is_command_if_anything,
        conditions: &["matcher"],
        ..Self::NESTED
    };

    /// Our command line for an event.
    pub(crate) fn line(&self, binary: &str, event: &str) -> String {
        hook_command(binary, event, self.agent)
    }

    /// The element of an event's list, or of the list of all hooks.
    pub(crate) fn unit(&self, binary: &str, event: &str) -> Value {
        let handler = (self.handler)(event, &self.line(binary, event));
        if self.form != HandlerLayout::Nested {
            return handler;
        }
        let mut group = Map::new();
        group.insert("hooks".to_owned(), json!([handler]));
        if let Value::Object(group_fields) = (self.group_fields)() {
            group.extend(group_fields);
        }
        Value::Object(group)
    }

    /// The object that holds the hooks, with only ours in it.
    pub(crate) fn body(&self, binary: &str, events: &[String]) -> Value {
        if let HandlerLayout::List(_) = self.form {
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

    /// Whether a matcher or a condition hides some occurrences of an event from a handler.
    pub(crate) fn is_restricted(
        &self,
        event: &str,
        group: Option<&JsonNode>,
        handler: &JsonNode,
    ) -> bool {
        let matched = |node: &JsonNode| {
            let matcher = node.get("matcher").and_then(JsonNode::as_str);
            matcher.is_some_and(|matcher| !self.all.contains(&matcher))
        };
        let ours = (self.handler)(event, "");
        let as_written = ours.get("matcher").and_then(Value::as_str);
        let own = handler.get("matcher").and_then(JsonNode::as_str);
        let condition = |key: &&str| match *key {
            "matcher" if own.is_some() && own == as_written => false,
            "matcher" => matched(handler),
            key => handler.get(key).is_some(),
        };
        let grouped = group.is_some_and(matched) && !self.matcher_ignored.contains(&event);
        grouped || self.conditions.iter().any(condition)
    }
}

/// A command handler with a timeout in seconds.
pub(crate) fn seconds(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command, "timeout": AGENT_TIMEOUT_SECS })
}

/// A command handler with a timeout in milliseconds.
pub(crate) fn milliseconds(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command, "timeout": AGENT_TIMEOUT_SECS * 1000 })
}

/// A handler without a type, with a timeout in seconds.
pub(crate) fn flat_seconds(_event: &str, command: &str) -> Value {
    json!({ "command": command, "timeout": AGENT_TIMEOUT_SECS })
}

/// A command handler without a timeout.
pub(crate) fn unlimited(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

pub(crate) fn is_command(handler: &JsonNode) -> bool {
    handler.get("type").and_then(JsonNode::as_str) == Some("command")
}

/// With `args` the command is a program's name and not a command line.
pub(crate) fn is_command_line(handler: &JsonNode) -> bool {
    is_command(handler) && handler.get("args").is_none()
}

pub(crate) fn is_command_if_anything(handler: &JsonNode) -> bool {
    handler.get("type").is_none() || is_command(handler)
}

pub(crate) fn is_enabled(handler: &JsonNode) -> bool {
    let enabled = handler.get("enabled");
    enabled.is_none_or(|switch| switch.shape != JsonShape::Bool(false))
}
