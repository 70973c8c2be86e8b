//! A payload, asked for one key at a time.
//!
//! Lenient about what only informs: a field that is missing or of another type is simply not there.
//! Strict about what a decision hangs on: the `required_` questions name the key that is wrong. A
//! question takes several keys where an agent spells one field in several ways; the first that is
//! there counts. Which fields matter is the business of each agent's folder.

use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// How much of a structured value is repeated as text.
const SHOWN: usize = 2000;

/// An object of a payload.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    agent: &'static str,
    /// Where in the payload this object stands, for messages.
    path: &'static str,
    map: Option<&'a Map<String, Value>>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(agent: &'static str, map: &'a Map<String, Value>) -> Self {
        Self {
            agent,
            path: "",
            map: Some(map),
        }
    }

    /// The object at a dotted path from the payload's top. One that is not there has no fields.
    pub(crate) fn inside(self, path: &'static str) -> Self {
        let step = |map: &'a Map<String, Value>, key: &str| map.get(key)?.as_object();
        let map = path
            .split('.')
            .try_fold(self.map, |map, key| Some(map.and_then(|m| step(m, key))));
        Self {
            path,
            map: map.flatten(),
            ..self
        }
    }

    /// The same questions to another object of the payload.
    pub(crate) fn of(self, path: &'static str, value: &'a Value) -> Self {
        Self {
            path,
            map: value.as_object(),
            ..self
        }
    }

    /// The event's name: the payload's own, else the one from the command line.
    pub(crate) fn event_name(
        self,
        key: &'static str,
        hint: Option<&'a str>,
    ) -> Result<&'a str, ParseError> {
        let own = match self.get(&[key]) {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(other) => return Err(self.wrong_type(key, "a string", other)),
        };
        own.into_iter()
            .chain(hint)
            .find(|name| !name.trim().is_empty())
            .ok_or_else(|| self.missing(key))
    }

    pub(crate) fn get(self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().find_map(|key| self.map?.get(*key))
    }

    pub(crate) fn required_text(self, keys: &[&'static str]) -> Result<String, ParseError> {
        match self.required(keys)? {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.wrong_type(self.present(keys), "a string", other)),
        }
    }

    /// Text that is not empty, such as a tool's name.
    pub(crate) fn required_name(self, keys: &[&'static str]) -> Result<String, ParseError> {
        let name = self.required_text(keys)?;
        if name.is_empty() {
            let key = self.spot(self.present(keys));
            return Err(self.error(format!("`{key}` is empty")));
        }
        Ok(name)
    }

    pub(crate) fn required_object(
        self,
        keys: &[&'static str],
    ) -> Result<Map<String, Value>, ParseError> {
        match self.required(keys)? {
            Value::Object(map) => Ok(map.clone()),
            other => Err(self.wrong_type(self.present(keys), "an object", other)),
        }
    }

    pub(crate) fn text(self, keys: &[&str]) -> Option<String> {
        self.get(keys)?.as_str().map(str::to_owned)
    }

    pub(crate) fn filled(self, keys: &[&str]) -> Option<String> {
        self.text(keys).filter(|text| !text.is_empty())
    }

    /// Text, or a value that has an obvious text.
    pub(crate) fn scalar(self, keys: &[&str]) -> Option<String> {
        as_text(self.get(keys)?)
    }

    pub(crate) fn flag(self, keys: &[&str]) -> bool {
        self.get(keys).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn missing(self, key: &str) -> ParseError {
        self.error(format!("`{}` is missing", self.spot(key)))
    }

    pub(crate) fn wrong_type(self, key: &str, wanted: &str, found: &Value) -> ParseError {
        let key = self.spot(key);
        self.error(format!("`{key}` is {}, not {wanted}", article(found)))
    }

    fn required(self, keys: &[&'static str]) -> Result<&'a Value, ParseError> {
        self.get(keys)
            .ok_or_else(|| self.missing(keys.first().copied().unwrap_or_default()))
    }

    fn present(self, keys: &[&'static str]) -> &'static str {
        let there = |key: &&&'static str| self.get(&[**key]).is_some();
        keys.iter()
            .find(there)
            .or(keys.first())
            .copied()
            .unwrap_or_default()
    }

    fn spot(self, key: &str) -> String {
        match self.path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    fn error(self, message: String) -> ParseError {
        ParseError {
            agent: self.agent,
            message,
        }
    }
}

/// The text of a value: itself if it is text, its JSON otherwise. Null has none.
pub(crate) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(clip(&other.to_string(), SHOWN).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask<T>(payload: &Value, question: impl Fn(Fields<'_>) -> T) -> T {
        question(Fields::new("gemini", payload.as_object().unwrap()))
    }

    #[test]
    fn the_first_spelling_that_is_there_counts() {
        let payload = json!({ "session_id": "b", "cwd": null, "n": 7 });
        ask(&payload, |f| {
            assert_eq!(f.text(&["sessionId", "session_id"]).as_deref(), Some("b"));
            assert_eq!(f.filled(&["cwd"]), None);
            assert_eq!(f.scalar(&["n"]).as_deref(), Some("7"));
            assert!(!f.flag(&["n"]));
        });
    }

    #[test]
    fn an_error_names_the_key_and_where_it_stands() {
        let payload = json!({ "input": { "tool": 7 }, "name": "" });
        let message = |result: Result<String, ParseError>| result.unwrap_err().message;
        ask(&payload, |f| {
            assert_eq!(
                message(f.inside("input").required_text(&["tool"])),
                "`input.tool` is a number, not a string"
            );
            assert_eq!(
                message(f.inside("event.properties").required_text(&["id", "ID"])),
                "`event.properties.id` is missing"
            );
            assert_eq!(message(f.required_name(&["name"])), "`name` is empty");
            let object = f.required_object(&["toolArgs", "name"]).unwrap_err();
            assert_eq!(object.message, "`name` is a string, not an object");
        });
    }
}
