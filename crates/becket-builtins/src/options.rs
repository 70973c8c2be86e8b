//! Typed access to the options of a hook. Every error names the key.

use becket_model::HookSpec;
use serde_json::{Map, Value};

use crate::registry::OptionDoc;

/// The options of one hook.
pub(crate) struct Options<'o> {
    hook: &'o str,
    given: &'o Map<String, Value>,
}

/// The error is the message for the user.
pub(crate) type OptionResult<T> = Result<T, String>;

impl<'o> Options<'o> {
    /// Rejects keys that are not in `known`.
    pub(crate) fn new(hook: &'o str, given: &'o Value, known: &[OptionDoc]) -> OptionResult<Self> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        let given = match given {
            Value::Object(map) => map,
            Value::Null => &NONE,
            other => {
                let found = describe_value(other);
                return Err(format!(
                    "options of `{hook}`: expected a table, found {found}"
                ));
            }
        };
        let names: Vec<&str> = known.iter().map(|doc| doc.name).collect();
        if let Some(key) = given.keys().find(|key| !names.contains(&key.as_str())) {
            let known = names.join(", ");
            return Err(format!(
                "unknown option `{key}` of `{hook}`; the options are {known}"
            ));
        }
        Ok(Self { hook, given })
    }

    /// The value of a key, if it is set.
    pub(crate) fn get(&self, key: &str) -> Option<&'o Value> {
        self.given.get(key).filter(|value| !value.is_null())
    }

    /// Formats an error about a key.
    pub(crate) fn error(&self, key: &str, problem: &str) -> String {
        format!("option `{key}` of `{}`: {problem}", self.hook)
    }

    fn expected(&self, key: &str, wanted: &str, found: &Value) -> String {
        self.error(
            key,
            &format!("expected {wanted}, found {}", describe_value(found)),
        )
    }

    pub(crate) fn text(&self, key: &str) -> OptionResult<Option<&'o str>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Err(self.error(key, "is empty")),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.expected(key, "text", other)),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> OptionResult<Option<bool>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.expected(key, "true or false", other)),
        }
    }

    /// An integer within bounds.
    pub(crate) fn number(&self, key: &str, from: u64, to: u64) -> OptionResult<Option<u64>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.as_u64().filter(|number| (from..=to).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.expected(key, &format!("a whole number from {from} to {to}"), value)),
        }
    }

    /// One of a fixed list of words.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
    ) -> OptionResult<Option<T>> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.error(key, &format!("`{text}` is not one of {}", known.join(", ")))
        })
    }

    /// A list of strings. A single string counts as a list of one.
    pub(crate) fn texts(&self, key: &str) -> OptionResult<Option<Vec<String>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        texts(value)
            .map(Some)
            .ok_or_else(|| self.expected(key, "a list of texts", value))
    }

    /// The name of an environment variable.
    pub(crate) fn variable(&self, key: &str) -> OptionResult<Option<&'o str>> {
        let Some(name) = self.text(key)? else {
            return Ok(None);
        };
        let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
        if name.bytes().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Some(name));
        }
        // The text may be the URL itself, so the error does not repeat it.
        Err(self.error(
            key,
            "expected the name of an environment variable, such as SLACK_WEBHOOK_URL; put the URL into that variable",
        ))
    }
}

/// Whether code of the project may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectTools {
    Always,
    Never,
    /// Only if the user trusts the project.
    Trusted,
}

impl ProjectTools {
    pub(crate) const KEY: &'static str = "project_tools";

    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        match options.get(Self::KEY) {
            Some(Value::Bool(true)) => Ok(Self::Always),
            Some(Value::Bool(false)) => Ok(Self::Never),
            Some(Value::String(word)) if word == "trusted" => Ok(Self::Trusted),
            None => Ok(Self::Trusted),
            Some(_) => Err(options.error(Self::KEY, "expected true, false or \"trusted\"")),
        }
    }
}

/// The strings of a list, or a single string.
pub(crate) fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

/// The name and options of a built-in hook.
pub(crate) fn builtin_options(spec: &HookSpec) -> Option<(&str, &Value)> {
    match &spec.action {
        becket_model::Action::Builtin { name, options } => Some((name, options)),
        _ => None,
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(_) => "text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}
