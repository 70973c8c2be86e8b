//! Whether the response of a tool says that the tool failed.

use serde_json::Value;

use crate::fields::shown;

/// By what an agent's responses tell a failure, and where the words for it are.
pub(crate) struct Failures {
    /// A list has failed when one of its items has.
    pub(crate) lists: bool,
    /// An exit code other than 0 is one.
    pub(crate) exit_codes: bool,
    /// The keys of the error's text, the best first.
    pub(crate) texts: &'static [&'static str],
}

impl Failures {
    /// The error of a response that says in so many words that the tool failed.
    ///
    /// `interrupted` alone does not: a command that was cut short has still run and has its output.
    pub(crate) fn reported(&self, response: &Value) -> Option<String> {
        match response {
            Value::Array(items) if self.lists => items.iter().find_map(|item| self.reported(item)),
            Value::Object(_) => self.is_one(response).then(|| self.text(response)),
            _ => None,
        }
    }

    fn is_one(&self, response: &Value) -> bool {
        let said = |key: &str| response.get(key).and_then(Value::as_bool);
        let exit = ["exitCode", "exit_code"]
            .iter()
            .find_map(|key| response.get(*key)?.as_i64());
        said("is_error") == Some(true)
            || said("isError") == Some(true)
            || said("success") == Some(false)
            || self.exit_codes && exit.is_some_and(|code| code != 0)
    }

    fn text(&self, response: &Value) -> String {
        let mut texts = self.texts.iter();
        texts
            .find_map(|key| self.words(response.get(*key)?))
            .unwrap_or_else(|| shown(response))
    }

    /// A text, or a list of texts as lines.
    fn words(&self, value: &Value) -> Option<String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) if self.lists => {
                let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                lines?.join("\n")
            }
            _ => return None,
        };
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            assert_eq!(
                crate::kit::FAILURES.reported(&response),
                expected,
                "{response}"
            );
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
            assert_eq!(
                crate::exchange::FAILURES.reported(&response).as_deref(),
                expected
            );
        }
    }
}
