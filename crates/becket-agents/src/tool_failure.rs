//! Detects from a tool's response that the tool failed.

use becket_model::{EventData, ToolCall};
use serde_json::Value;

use crate::fields::shown;

/// How an agent's responses signal a failure, and which keys hold the error text.
pub(crate) struct FailureSignals {
    /// A list is a failure if one of its items is.
    pub(crate) lists: bool,
    /// A non-zero exit code is a failure.
    pub(crate) exit_codes: bool,
    /// The keys of the error text, best first.
    pub(crate) texts: &'static [&'static str],
}

impl FailureSignals {
    /// Flags of one object or of one in a list.
    pub(crate) const LISTS: Self = Self {
        lists: true,
        exit_codes: false,
        texts: &["error", "message", "stderr", "content", "result"],
    };

    /// Flags and exit codes of one object.
    pub(crate) const EXIT_CODES: Self = Self {
        lists: false,
        exit_codes: true,
        texts: &["error", "message", "stderr", "output", "stdout", "content"],
    };

    /// The error text of a response that explicitly reports a failure.
    ///
    /// `interrupted` alone is not a failure: an interrupted command has run and has its output.
    pub(crate) fn error(&self, response: &Value) -> Option<String> {
        match response {
            Value::Array(items) if self.lists => items.iter().find_map(|item| self.error(item)),
            Value::Object(_) => self.is_failure(response).then(|| self.text(response)),
            _ => None,
        }
    }

    fn is_failure(&self, response: &Value) -> bool {
        let flag = |key: &str| response.get(key).and_then(Value::as_bool);
        let exit = ["exitCode", "exit_code"]
            .iter()
            .find_map(|key| response.get(*key)?.as_i64());
        flag("is_error") == Some(true)
            || flag("isError") == Some(true)
            || flag("success") == Some(false)
            || self.exit_codes && exit.is_some_and(|code| code != 0)
    }

    fn text(&self, response: &Value) -> String {
        let mut texts = self.texts.iter();
        texts
            .find_map(|key| self.error_text(response.get(*key)?))
            .unwrap_or_else(|| shown(response))
    }

    /// A string, or a list of strings as lines.
    fn error_text(&self, value: &Value) -> Option<String> {
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

/// The end of a call: a failure if there is an error.
pub(crate) fn finished(
    call: ToolCall,
    response: Value,
    error: Option<String>,
    duration_ms: Option<u64>,
) -> EventData {
    match error {
        Some(error) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: false,
            duration_ms,
        },
        None => EventData::PostToolUse {
            call,
            response,
            duration_ms,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn failure_signals_are_detected() {
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
                FailureSignals::EXIT_CODES.error(&response),
                expected,
                "{response}"
            );
        }
    }

    #[test]
    fn responses_without_failure_signals_are_not_failures() {
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
            assert_eq!(FailureSignals::LISTS.error(&response).as_deref(), expected);
        }
    }
}
