//! A payload, asked for one key at a time.
//!
//! Lenient and strict are chosen by the name of the question: [`Fields::text`] and its like take what
//! fits and ignore the rest, the `required_` ones complain and name the key. `null` is the same as
//! nothing, because some agents write every key they know. Nothing here knows an agent.

use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// How much of a value that is not text is repeated as text.
const SHOWN: usize = 2000;

/// A payload, or an object in it, and the agent that is named in complaints.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    agent: &'static str,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(agent: &'static str, map: &'a Map<String, Value>) -> Self {
        Self { agent, map }
    }

    /// The event's name: the payload's own under `key`, else the one from the command line.
    pub(crate) fn event_name(
        self,
        key: &str,
        hint: Option<&'a str>,
    ) -> Result<&'a str, ParseError> {
        let own = match self.get(key) {
            None => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(other) => return Err(self.wrong_type(key, "a string", other)),
        };
        own.into_iter()
            .chain(hint)
            .find(|name| !name.trim().is_empty())
            .ok_or_else(|| self.missing(key))
    }

    /// The value, unless it is `null`.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(str::to_owned)
    }

    pub(crate) fn filled(self, key: &str) -> Option<String> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Text, or a value that has an obvious text.
    pub(crate) fn scalar(self, key: &str) -> Option<String> {
        Some(match self.get(key)? {
            Value::String(text) => text.clone(),
            other => clip(&other.to_string(), SHOWN).into_owned(),
        })
    }

    pub(crate) fn flag(self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    /// A whole number; milliseconds come as fractions too when the agent measured them.
    pub(crate) fn number(self, key: &str) -> Option<u64> {
        let value = self.get(key)?;
        value.as_u64().or_else(|| whole(value.as_f64()?))
    }

    /// The first text of a list.
    pub(crate) fn first_of(self, key: &str) -> Option<String> {
        let first = self.get(key)?.as_array()?.first()?.as_str()?;
        (!first.is_empty()).then(|| first.to_owned())
    }

    /// Text without which the event means nothing; it may be empty.
    pub(crate) fn required_text(self, key: &str) -> Result<String, ParseError> {
        match self.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(self.wrong_type(key, "a string", other)),
            None => Err(self.missing(key)),
        }
    }

    /// A name without which the event means nothing.
    pub(crate) fn required_name(self, key: &str) -> Result<String, ParseError> {
        let name = self.required_text(key)?;
        if name.trim().is_empty() {
            return Err(self.error(format!("`{key}` is empty")));
        }
        Ok(name)
    }

    pub(crate) fn required_object(self, key: &str) -> Result<&'a Map<String, Value>, ParseError> {
        match self.get(key) {
            Some(Value::Object(map)) => Ok(map),
            Some(other) => Err(self.wrong_type(key, "an object", other)),
            None => Err(self.missing(key)),
        }
    }

    pub(crate) fn missing(self, key: &str) -> ParseError {
        self.error(format!("`{key}` is missing"))
    }

    pub(crate) fn wrong_type(self, key: &str, wanted: &str, found: &Value) -> ParseError {
        self.error(format!("`{key}` is {}, not {wanted}", article(found)))
    }

    fn error(self, message: String) -> ParseError {
        ParseError {
            agent: self.agent,
            message,
        }
    }
}

/// A value that an agent may have sent as the text of a JSON value; other text stays text.
pub(crate) fn decoded(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        other => other.clone(),
    }
}

fn whole(number: f64) -> Option<u64> {
    let fits = number.is_finite() && (0.0..9e15).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked, and the fraction is not wanted"
    )]
    fits.then_some(number as u64)
}

/// The error of a tool's response that says in so many words that the tool failed.
pub(crate) fn reported_failure(response: &Value) -> Option<String> {
    let map = response.as_object()?;
    let said = |key: &str| map.get(key).and_then(Value::as_bool);
    let exit = ["exitCode", "exit_code"]
        .iter()
        .find_map(|key| map.get(*key)?.as_i64());
    let failed = said("is_error") == Some(true)
        || said("isError") == Some(true)
        || said("success") == Some(false)
        || exit.is_some_and(|code| code != 0);
    let text = || {
        let fields = Fields::new("", map);
        ["error", "message", "stderr", "output", "stdout", "content"]
            .into_iter()
            .find_map(|key| fields.filled(key))
            .unwrap_or_else(|| clip(&response.to_string(), SHOWN).into_owned())
    };
    failed.then(text)
}

/// What became of a file, as far as its edits tell: text that replaces nothing starts a file.
pub(crate) fn change_of(edits: Option<&Value>) -> Option<String> {
    let edits = edits?.as_array().filter(|edits| !edits.is_empty())?;
    let replaces = |edit: &Value| edit.get("old_string").and_then(Value::as_str) != Some("");
    let change = if edits.iter().any(replaces) {
        "modify"
    } else {
        "create"
    };
    Some(change.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_the_same_as_nothing() {
        let payload = json!({ "name": null, "input": null });
        let fields = Fields::new("x", payload.as_object().unwrap());
        assert_eq!(fields.event_name("name", Some("stop")), Ok("stop"));
        let error = fields.required_text("name").unwrap_err();
        assert_eq!(error.to_string(), "not a payload of x: `name` is missing");
        assert!(fields.required_object("input").is_err());
        assert_eq!(fields.scalar("name"), None);
    }

    #[test]
    fn text_that_is_json_is_decoded_and_other_text_is_kept() {
        assert_eq!(decoded(&json!("{\"a\":1}")), json!({ "a": 1 }));
        assert_eq!(decoded(&json!("not json")), json!("not json"));
        assert_eq!(decoded(&json!(7)), json!(7));
    }

    #[test]
    fn a_response_that_says_so_is_a_failure() {
        for (response, expected) in [
            (
                json!({ "output": "boom", "exitCode": 1 }),
                Some("boom".to_owned()),
            ),
            (json!({ "exitCode": 0, "output": "ok" }), None),
            (
                json!({ "success": false, "error": "gone" }),
                Some("gone".into()),
            ),
            (
                json!({ "isError": true }),
                Some("{\"isError\":true}".into()),
            ),
            (json!("exitCode: 1"), None),
            (Value::Null, None),
        ] {
            assert_eq!(reported_failure(&response), expected, "{response}");
        }
    }

    #[test]
    fn edits_tell_whether_a_file_is_new() {
        for (edits, expected) in [
            (
                json!([{ "old_string": "", "new_string": "x" }]),
                Some("create"),
            ),
            (
                json!([{ "old_string": "" }, { "old_string": "a" }]),
                Some("modify"),
            ),
            (json!([]), None),
            (json!("x"), None),
        ] {
            assert_eq!(change_of(Some(&edits)).as_deref(), expected, "{edits}");
        }
    }
}
