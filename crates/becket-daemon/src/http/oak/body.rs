//! A request body, whose fields have different names depending on the agent.

use becket_guard::redact::redact_text;
use serde_json::{Map, Value};

/// A longer id is invalid.
const MAX_ID_BYTES: usize = 256;

/// A JSON object.
#[derive(Debug, Default)]
pub(super) struct OakBody(Map<String, Value>);

impl OakBody {
    /// Wraps a body. Windsurf nests the fields of a tool call.
    pub(super) fn new(mut fields: Map<String, Value>) -> Self {
        if let Some(Value::Object(inner)) = fields.remove("tool_info") {
            for (key, value) in inner {
                fields.entry(key).or_insert(value);
            }
        }
        Self(fields)
    }

    /// The first field of these names that is not null.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        let mut found = names.iter().filter_map(|name| self.0.get(*name));
        found.find(|value| !value.is_null())
    }

    /// The first field of these names that is not empty, as text.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let mut texts = names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .map(value_text)
            .filter(|text| !text.is_empty());
        texts.next()
    }

    /// The first field of these names that can be an id: a string or a number of limited length. Secrets are redacted, as
    /// in the stored ids that it is compared with.
    pub(super) fn id(&self, names: &[&str]) -> Option<String> {
        let mut ids = names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .filter(|value| value.is_string() || value.is_number())
            .map(value_text)
            .filter(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES);
        ids.next().map(|id| redact_text(&id).into_owned())
    }
}

/// A value as text: a string as it is, the message of an error, anything else as JSON.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => match fields.get("message") {
            Some(Value::String(message)) => message.clone(),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: Value) -> OakBody {
        match value {
            Value::Object(fields) => OakBody::new(fields),
            _ => OakBody::default(),
        }
    }

    #[test]
    fn first_non_empty_field_wins() {
        let body = body(json!({ "a": "", "b": null, "c": 7, "d": "x" }));
        assert_eq!(body.text(&["a", "b", "c", "d"]).as_deref(), Some("7"));
        assert_eq!(body.value(&["b", "d"]), Some(&json!("x")));
        assert_eq!(body.text(&["a", "b"]), None);
    }

    #[test]
    fn top_level_fields_win_over_nested_ones() {
        let body =
            body(json!({ "cwd": "/top", "tool_info": { "cwd": "/down", "user_prompt": "hi" } }));
        assert_eq!(body.text(&["cwd"]).as_deref(), Some("/top"));
        assert_eq!(body.text(&["user_prompt"]).as_deref(), Some("hi"));
    }

    #[test]
    fn error_objects_are_rendered_as_their_message() {
        assert_eq!(value_text(&json!({ "message": "no", "code": 1 })), "no");
        assert_eq!(value_text(&json!({ "code": 1 })), r#"{"code":1}"#);
        assert_eq!(value_text(&json!(["a"])), r#"["a"]"#);
    }
}
