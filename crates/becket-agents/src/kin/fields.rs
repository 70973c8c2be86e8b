//! A payload, asked for one key at a time.
//!
//! Lenient where leniency costs nothing: a field that only informs may be missing or of another type.
//! Strict where a decision hangs on it. Errors name the key.

use becket_model::{Subagent, ToolCall};
use serde_json::{Map, Value};

use super::Tools;
use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// How much of a structured error is repeated as text.
const ERROR_SHOWN: usize = 2000;

/// A payload of one agent.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    agent: &'static str,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(agent: &'static str, map: &'a Map<String, Value>) -> Self {
        Self { agent, map }
    }

    /// The payload's own event name, or the one from the command line.
    pub(crate) fn event_name(self, hint: Option<&'a str>) -> Result<&'a str, ParseError> {
        let own = match self.map.get("hook_event_name") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(other) => return Err(self.wrong_type("hook_event_name", "a string", other)),
        };
        own.into_iter()
            .chain(hint)
            .find(|name| !name.trim().is_empty())
            .ok_or_else(|| self.missing("hook_event_name"))
    }

    /// A call that is about to happen: a guard has to see what it will do.
    pub(crate) fn announced_call(self, tools: &Tools) -> Result<ToolCall, ParseError> {
        match self.map.get("tool_input") {
            Some(Value::Object(_)) => self.reported_call(tools),
            Some(other) => Err(self.wrong_type("tool_input", "an object", other)),
            None => Err(self.missing("tool_input")),
        }
    }

    /// A call that is over.
    pub(crate) fn reported_call(self, tools: &Tools) -> Result<ToolCall, ParseError> {
        let name = self.required_text("tool_name")?;
        if name.is_empty() {
            return Err(self.error("`tool_name` is empty".into()));
        }
        let input = self.map.get("tool_input").cloned();
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        Ok(tools.call(name, input).with_id(self.scalar("tool_use_id")))
    }

    /// A session may have an `agent_type` of its own (`--agent`); only an id means a subagent.
    pub(crate) fn subagent(self) -> Option<Subagent> {
        let id = self.scalar("agent_id").filter(|id| !id.is_empty())?;
        Some(Subagent {
            id,
            kind: self.filled("agent_type"),
        })
    }

    pub(crate) fn value(self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    pub(crate) fn required_text(self, key: &'static str) -> Result<String, ParseError> {
        match self.map.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(self.wrong_type(key, "a string", other)),
            None => Err(self.missing(key)),
        }
    }

    pub(crate) fn text(self, key: &str) -> Option<String> {
        self.map.get(key)?.as_str().map(str::to_owned)
    }

    pub(crate) fn filled(self, key: &str) -> Option<String> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Text, or a value that has an obvious text.
    pub(crate) fn scalar(self, key: &str) -> Option<String> {
        match self.map.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(clip(&other.to_string(), ERROR_SHOWN).into_owned()),
        }
    }

    pub(crate) fn flag(self, key: &str) -> bool {
        self.map.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn number(self, key: &str) -> Option<u64> {
        let value = self.map.get(key)?;
        value.as_u64().or_else(|| whole(value.as_f64()?))
    }

    pub(crate) fn missing(self, key: &str) -> ParseError {
        self.error(format!("`{key}` is missing"))
    }

    fn wrong_type(self, key: &str, wanted: &str, found: &Value) -> ParseError {
        self.error(format!("`{key}` is {}, not {wanted}", article(found)))
    }

    fn error(self, message: String) -> ParseError {
        ParseError {
            agent: self.agent,
            message,
        }
    }
}

/// The error of a response that says in so many words that the tool failed.
///
/// `interrupted` alone does not: a command that was cut short has still run and has its output.
pub(crate) fn reported_failure(response: &Value) -> Option<String> {
    let fields = Fields::new("", response.as_object()?);
    let said = |key| response.get(key).and_then(Value::as_bool);
    let failed = said("is_error") == Some(true)
        || said("isError") == Some(true)
        || said("success") == Some(false);
    let text = || {
        ["error", "message", "stderr", "content"]
            .into_iter()
            .find_map(|key| fields.filled(key))
            .unwrap_or_else(|| clip(&response.to_string(), ERROR_SHOWN).into_owned())
    };
    failed.then(text)
}

/// Milliseconds come as fractions too when the client measured them.
fn whole(number: f64) -> Option<u64> {
    let fits = number.is_finite() && (0.0..9e15).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked, and the fraction is not wanted"
    )]
    fits.then_some(number as u64)
}
