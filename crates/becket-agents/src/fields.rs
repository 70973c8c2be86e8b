//! Typed access to the fields of a payload.
//!
//! Lenient for informative fields: a field that is missing or has another type is `None`. Strict for fields
//! that a decision depends on: the `required_` methods return an error with the full path of the key. `null`
//! counts as missing, because some agents write every key they know. A getter takes several keys if an agent
//! has several spellings of one field; the first that is present wins. Each agent's folder decides which
//! fields matter.

use becket_model::EventData;
use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// The maximum length of a structured value shown as text.
const SHOWN: usize = 2000;

/// An object of a payload, and the agent's name for errors.
#[derive(Clone, Copy)]
pub(crate) struct PayloadFields<'a> {
    agent: &'static str,
    /// The path of this object in the payload, for messages.
    path: &'static str,
    map: Option<&'a Map<String, Value>>,
}

/// One key, or several synonyms.
pub(crate) trait FieldKeys<'k>: Copy {
    fn all(&self) -> &[&'k str];
}

impl<'k> FieldKeys<'k> for &'k str {
    fn all(&self) -> &[&'k str] {
        std::slice::from_ref(self)
    }
}

impl<'k> FieldKeys<'k> for &[&'k str] {
    fn all(&self) -> &[&'k str] {
        self
    }
}

impl<'k, const N: usize> FieldKeys<'k> for &[&'k str; N] {
    fn all(&self) -> &[&'k str] {
        self.as_slice()
    }
}

impl<'a> PayloadFields<'a> {
    /// A whole payload.
    pub(crate) fn new(agent: &'static str, map: &'a Map<String, Value>) -> Self {
        Self {
            agent,
            path: "",
            map: Some(map),
        }
    }

    /// The object at a dotted path from the payload's root. A missing one has no fields.
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

    /// The object under a key of the payload, if present.
    pub(crate) fn within(self, key: &'static str) -> Option<Self> {
        Some(self.inside(key)).filter(|fields| fields.map.is_some())
    }

    /// The object under a key of the payload; required.
    pub(crate) fn required(self, key: &'static str) -> Result<Self, ParseError> {
        self.within(key)
            .ok_or_else(|| self.unexpected_type(key, "an object"))
    }

    /// The fields of another object of the payload.
    pub(crate) fn of(self, path: &'static str, value: &'a Value) -> Self {
        Self {
            path,
            map: value.as_object(),
            ..self
        }
    }

    /// The event's name: from the payload, else from the command line.
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
    pub(crate) fn get<'k>(self, keys: impl FieldKeys<'k>) -> Option<&'a Value> {
        let mut keys = keys.all().iter();
        keys.find_map(|key| self.raw(key).filter(|value| !value.is_null()))
    }

    /// The value, including `null`.
    pub(crate) fn raw(self, key: &str) -> Option<&'a Value> {
        self.map?.get(key)
    }

    /// Every key and its value.
    pub(crate) fn entries(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.into_iter().flatten()
    }

    pub(crate) fn str<'k>(self, keys: impl FieldKeys<'k>) -> Option<&'a str> {
        self.get(keys)?.as_str()
    }

    pub(crate) fn text<'k>(self, keys: impl FieldKeys<'k>) -> Option<String> {
        self.str(keys).map(str::to_owned)
    }

    pub(crate) fn filled<'k>(self, keys: impl FieldKeys<'k>) -> Option<String> {
        self.text(keys).filter(|text| !text.is_empty())
    }

    /// A string, or a number or boolean as text.
    pub(crate) fn scalar<'k>(self, keys: impl FieldKeys<'k>) -> Option<String> {
        as_text(self.get(keys)?)
    }

    pub(crate) fn flag<'k>(self, keys: impl FieldKeys<'k>) -> Option<bool> {
        self.get(keys)?.as_bool()
    }

    /// Whether a flag is present and true.
    pub(crate) fn is<'k>(self, keys: impl FieldKeys<'k>) -> bool {
        self.flag(keys) == Some(true)
    }

    /// A whole number; measured milliseconds may also be fractions.
    pub(crate) fn number<'k>(self, keys: impl FieldKeys<'k>) -> Option<u64> {
        let value = self.get(keys)?;
        value.as_u64().or_else(|| whole(value.as_f64()?))
    }

    /// The first string of a list.
    pub(crate) fn first_of(self, key: &str) -> Option<String> {
        let first = self.get(key)?.as_array()?.first()?.as_str()?;
        (!first.is_empty()).then(|| first.to_owned())
    }

    /// A required string; it may be empty.
    pub(crate) fn required_text<'k>(self, keys: impl FieldKeys<'k>) -> Result<String, ParseError> {
        match self.get(keys) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(self.unexpected_type(keys, "a string")),
        }
    }

    /// A required string that must not be empty.
    pub(crate) fn required_name<'k>(self, keys: impl FieldKeys<'k>) -> Result<String, ParseError> {
        let name = self.required_text(keys)?;
        if name.trim().is_empty() {
            let key = self.spot(self.present(keys));
            return Err(self.error(format!("`{key}` is empty")));
        }
        Ok(name)
    }

    /// A required object, such as the input of a pending call: a guard must see what the call will do.
    pub(crate) fn required_object<'k>(
        self,
        keys: impl FieldKeys<'k>,
    ) -> Result<&'a Map<String, Value>, ParseError> {
        match self.get(keys) {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.unexpected_type(keys, "an object")),
        }
    }

    /// The same, as a [`Value`].
    pub(crate) fn required_input(self, key: &str) -> Result<&'a Value, ParseError> {
        self.required_object(key)?;
        self.raw(key).ok_or_else(|| self.missing(key))
    }

    pub(crate) fn missing(self, key: &str) -> ParseError {
        self.error(format!("`{}` is missing", self.spot(key)))
    }

    pub(crate) fn wrong_type(self, key: &str, wanted: &str, found: &Value) -> ParseError {
        let key = self.spot(key);
        self.error(format!("`{key}` is {}, not {wanted}", article(found)))
    }

    /// The error for a key that is missing or has the wrong type.
    pub(crate) fn unexpected_type<'k>(self, keys: impl FieldKeys<'k>, wanted: &str) -> ParseError {
        let key = self.present(keys);
        match self.raw(key) {
            None => self.missing(key),
            Some(found) => self.wrong_type(key, wanted, found),
        }
    }

    /// The key that is present, else the first.
    fn present<'k>(self, keys: impl FieldKeys<'k>) -> &'k str {
        let keys = keys.all();
        let mut there = keys.iter().filter(|key| self.get(**key).is_some());
        there.next().or(keys.first()).copied().unwrap_or_default()
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

/// An event without a canonical kind.
pub(crate) fn other(name: &str, subject: Option<String>) -> EventData {
    EventData::Other {
        name: name.into(),
        subject,
    }
}

/// A string as it is, any other value as JSON, null as `None`.
pub(crate) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(shown(other)),
    }
}

/// A value as shortened JSON.
pub(crate) fn shown(value: &Value) -> String {
    clip(&value.to_string(), SHOWN).into_owned()
}

/// Decodes a value that an agent may have sent as JSON text; other text stays as it is.
pub(crate) fn decoded(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        other => other.clone(),
    }
}

/// How edits changed a file: an edit that replaces an empty text creates it.
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

fn whole(number: f64) -> Option<u64> {
    let fits = number.is_finite() && (0.0..9e15).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked, and the fraction is dropped on purpose"
    )]
    fits.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask<T>(payload: &Value, question: impl Fn(PayloadFields<'_>) -> T) -> T {
        question(PayloadFields::new("gemini", payload.as_object().unwrap()))
    }

    #[test]
    fn the_first_spelling_that_is_there_counts() {
        let payload = json!({ "session_id": "b", "cwd": null, "n": 7 });
        ask(&payload, |f| {
            assert_eq!(f.text(&["sessionId", "session_id"]).as_deref(), Some("b"));
            assert_eq!(f.filled(&["cwd"]), None);
            assert_eq!(f.scalar(&["n"]).as_deref(), Some("7"));
            assert!(!f.is(&["n"]));
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

    #[test]
    fn null_is_the_same_as_nothing() {
        let payload = json!({ "name": null, "input": null });
        let fields = PayloadFields::new("x", payload.as_object().unwrap());
        assert_eq!(fields.event_name("name", Some("stop")), Ok("stop"));
        let error = fields.required_text("name").unwrap_err();
        assert_eq!(
            error.to_string(),
            "not a valid x payload: `name` is null, not a string"
        );
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
    fn empty_old_text_means_a_new_file() {
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

    #[test]
    fn type_error_names_the_full_key_path() {
        let payload = json!({ "tool_call": { "name": 7 }, "event": [] });
        let fields = PayloadFields::new("x", payload.as_object().unwrap());
        let call = fields.within("tool_call").unwrap();
        for (error, expected) in [
            (
                call.required_name("name").unwrap_err(),
                "`tool_call.name` is a number, not a string",
            ),
            (
                call.required_object("input").unwrap_err(),
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
}
