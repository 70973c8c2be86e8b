//! A payload, asked for one key at a time.
//!
//! A key that only informs may be missing or of another type; a key on which a decision hangs is
//! asked for by name, and the error repeats that name with the way to it.

use becket_model::EventData;
use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// How much of a structured value is repeated as text.
const SHOWN: usize = 2000;

/// An object of a payload.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    agent: &'static str,
    /// The key that holds the object, if it is not the payload itself.
    under: Option<&'static str>,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// A whole payload.
    pub(crate) fn new(agent: &'static str, map: &'a Map<String, Value>) -> Self {
        Self {
            agent,
            under: None,
            map,
        }
    }

    /// The object under a key of the payload.
    pub(crate) fn within(self, key: &'static str) -> Option<Self> {
        let map = self.map.get(key)?.as_object()?;
        let under = Some(key);
        Some(Self { under, map, ..self })
    }

    /// The object under a key, which has to be there.
    pub(crate) fn required(self, key: &'static str) -> Result<Self, ParseError> {
        self.within(key)
            .ok_or_else(|| self.complaint(key, "an object"))
    }

    /// The event's name: the payload's own, else the one from the command line.
    pub(crate) fn event_name(
        self,
        key: &'static str,
        hint: Option<&'a str>,
    ) -> Result<&'a str, ParseError> {
        let own = match self.map.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(_) => return Err(self.complaint(key, "a string")),
        };
        own.into_iter()
            .chain(hint)
            .find(|name| !name.trim().is_empty())
            .ok_or_else(|| self.complaint(key, "a string"))
    }

    /// The name of a tool, which has to be there.
    pub(crate) fn tool_name(self, key: &'static str) -> Result<&'a str, ParseError> {
        let name = self
            .str(key)
            .ok_or_else(|| self.complaint(key, "a string"))?;
        if name.is_empty() {
            return Err(self.error(format!("`{}` is empty", self.path(key))));
        }
        Ok(name)
    }

    /// The input of a call that is about to happen: a guard has to see what it will do.
    pub(crate) fn input(self, key: &'static str) -> Result<&'a Value, ParseError> {
        match self.map.get(key) {
            Some(input @ Value::Object(_)) => Ok(input),
            _ => Err(self.complaint(key, "an object")),
        }
    }

    /// A text that has to be there.
    pub(crate) fn required_text(self, key: &'static str) -> Result<String, ParseError> {
        self.text(key)
            .ok_or_else(|| self.complaint(key, "a string"))
    }

    /// Whatever stands there.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    /// Every key and what stands there.
    pub(crate) fn entries(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter()
    }

    pub(crate) fn str(self, key: &str) -> Option<&'a str> {
        self.map.get(key)?.as_str()
    }

    pub(crate) fn text(self, key: &str) -> Option<String> {
        self.str(key).map(str::to_owned)
    }

    pub(crate) fn filled(self, key: &str) -> Option<String> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Text, or a value that has an obvious text.
    pub(crate) fn scalar(self, key: &str) -> Option<String> {
        match self.map.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(shown(other)),
        }
    }

    pub(crate) fn flag(self, key: &str) -> Option<bool> {
        self.map.get(key)?.as_bool()
    }

    pub(crate) fn number(self, key: &str) -> Option<u64> {
        let value = self.map.get(key)?;
        value.as_u64().or_else(|| whole(value.as_f64()?))
    }

    /// The first text of a list.
    pub(crate) fn first(self, key: &str) -> Option<String> {
        let first = self.map.get(key)?.as_array()?.first()?.as_str()?;
        Some(first.to_owned()).filter(|text| !text.is_empty())
    }

    /// An error about this payload.
    pub(crate) fn error(self, message: String) -> ParseError {
        let agent = self.agent;
        ParseError { agent, message }
    }

    /// Says that a key is missing or holds something else than it should.
    pub(crate) fn complaint(self, key: &'static str, wanted: &str) -> ParseError {
        let path = self.path(key);
        self.error(match self.map.get(key) {
            None => format!("`{path}` is missing"),
            Some(found) => format!("`{path}` is {}, not {wanted}", article(found)),
        })
    }

    fn path(self, key: &str) -> String {
        match self.under {
            Some(under) => format!("{under}.{key}"),
            None => key.to_owned(),
        }
    }
}

/// An event without a canonical kind.
pub(crate) fn other(name: &str, subject: Option<String>) -> EventData {
    EventData::Other {
        name: name.into(),
        subject,
    }
}

/// A value as short text.
pub(crate) fn shown(value: &Value) -> String {
    clip(&value.to_string(), SHOWN).into_owned()
}

/// The error of a response that says in so many words that the tool failed; a list has failed when
/// one of its items has.
pub(crate) fn reported_failure(response: &Value) -> Option<String> {
    if let Value::Array(items) = response {
        return items.iter().find_map(reported_failure);
    }
    let said = |key| response.get(key).and_then(Value::as_bool);
    let failed = said("is_error") == Some(true)
        || said("isError") == Some(true)
        || said("success") == Some(false);
    let text = || {
        ["error", "message", "stderr", "content", "result"]
            .into_iter()
            .find_map(|key| words(response.get(key)?))
            .unwrap_or_else(|| shown(response))
    };
    failed.then(text)
}

/// A text, or a list of texts as lines.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            lines?.join("\n")
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_complaint_names_the_key_with_the_way_to_it() {
        let payload = json!({ "tool_call": { "name": 7 }, "event": [] });
        let fields = Fields::new("x", payload.as_object().unwrap());
        let call = fields.within("tool_call").unwrap();
        for (error, expected) in [
            (
                call.tool_name("name").unwrap_err(),
                "`tool_call.name` is a number, not a string",
            ),
            (
                call.input("input").unwrap_err(),
                "`tool_call.input` is missing",
            ),
            (
                fields.event_name("event", Some("Stop")).unwrap_err(),
                "`event` is an array, not a string",
            ),
            (
                fields.event_name("hookName", Some(" ")).unwrap_err(),
                "`hookName` is missing",
            ),
        ] {
            assert_eq!(error.message, expected);
        }
    }

    #[test]
    fn only_a_response_that_says_so_has_failed() {
        for (response, expected) in [
            (json!({ "success": true, "result": ["ok"] }), None),
            (json!({ "success": "false" }), None),
            (json!("success: false"), None),
            (
                json!({ "success": false, "result": ["a", "b"] }),
                Some("a\nb"),
            ),
            (json!({ "isError": true, "error": "boom" }), Some("boom")),
            (
                json!([{ "success": true }, { "success": false, "error": "exit 1" }]),
                Some("exit 1"),
            ),
            (json!({ "success": false }), Some(r#"{"success":false}"#)),
        ] {
            assert_eq!(reported_failure(&response).as_deref(), expected);
        }
    }
}
