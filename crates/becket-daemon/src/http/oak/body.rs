//! A request's body, under any of the names that agents have for its fields.

use becket_guard::redact::redact_text;
use serde_json::{Map, Value};

/// A longer id is none.
const LONGEST_ID: usize = 256;

/// One JSON object.
#[derive(Debug, Default)]
pub(super) struct Body(Map<String, Value>);

impl Body {
    /// Windsurf puts what a tool did one level down.
    pub(super) fn new(mut fields: Map<String, Value>) -> Self {
        if let Some(Value::Object(inner)) = fields.remove("tool_info") {
            for (key, value) in inner {
                fields.entry(key).or_insert(value);
            }
        }
        Self(fields)
    }

    /// The value under the first name that has one.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        let mut found = names.iter().filter_map(|name| self.0.get(*name));
        found.find(|value| !value.is_null())
    }

    /// The first that is text, or can be said as such, and is not empty.
    pub(super) fn filled(&self, names: &[&str]) -> Option<String> {
        let mut texts = names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .map(said)
            .filter(|text| !text.is_empty());
        texts.next()
    }

    /// The first that can be an id: text or a number, not empty and not longer than ids are. What is a secret
    /// is none here either: whatever is looked up by it was stored without.
    pub(super) fn id(&self, names: &[&str]) -> Option<String> {
        let mut ids = names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .filter(|value| value.is_string() || value.is_number())
            .map(said)
            .filter(|id| !id.is_empty() && id.len() <= LONGEST_ID);
        ids.next().map(|id| redact_text(&id).into_owned())
    }
}

/// A value in words: text as it is, an error's message, anything else as JSON.
pub(super) fn said(value: &Value) -> String {
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

    fn body(value: Value) -> Body {
        match value {
            Value::Object(fields) => Body::new(fields),
            _ => Body::default(),
        }
    }

    #[test]
    fn the_first_name_with_something_under_it_counts() {
        let body = body(json!({ "a": "", "b": null, "c": 7, "d": "x" }));
        assert_eq!(body.filled(&["a", "b", "c", "d"]).as_deref(), Some("7"));
        assert_eq!(body.value(&["b", "d"]), Some(&json!("x")));
        assert_eq!(body.filled(&["a", "b"]), None);
    }

    #[test]
    fn what_is_one_level_down_never_hides_what_is_on_top() {
        let body =
            body(json!({ "cwd": "/top", "tool_info": { "cwd": "/down", "user_prompt": "hi" } }));
        assert_eq!(body.filled(&["cwd"]).as_deref(), Some("/top"));
        assert_eq!(body.filled(&["user_prompt"]).as_deref(), Some("hi"));
    }

    #[test]
    fn an_error_is_said_by_its_message() {
        assert_eq!(said(&json!({ "message": "no", "code": 1 })), "no");
        assert_eq!(said(&json!({ "code": 1 })), r#"{"code":1}"#);
        assert_eq!(said(&json!(["a"])), r#"["a"]"#);
    }
}
