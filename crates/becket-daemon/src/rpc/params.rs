//! Parameters of a call, taken one by one; whatever is left over is an error that names it.

use serde_json::{Map, Value};

use super::message::Fault;

/// The named parameters of a call.
pub(crate) struct Params {
    left: Map<String, Value>,
}

impl Params {
    pub(crate) fn of(params: Option<&Value>) -> Result<Self, Fault> {
        let left = match params {
            None => Map::new(),
            Some(Value::Object(fields)) => fields.clone(),
            Some(Value::Array(items)) if items.is_empty() => Map::new(),
            Some(_) => return Err(Fault::params("parameters are given by name, as an object")),
        };
        Ok(Self { left })
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.left.remove(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, Fault> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Fault::params(format!("`{key}` is no string"))),
        }
    }

    pub(crate) fn needed_text(&mut self, key: &str) -> Result<String, Fault> {
        let text = self.text(key)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| Fault::params(format!("`{key}` is missing")))
    }

    /// The `next` of a page; anything else would quietly begin again.
    pub(crate) fn place(&mut self, key: &str) -> Result<Option<String>, Fault> {
        match self.text(key)? {
            Some(text) if !becket_store::is_place(&text) => Err(Fault::params(format!(
                "`{key}` is not the `next` of a page"
            ))),
            text => Ok(text),
        }
    }

    /// One of these words.
    pub(crate) fn word(&mut self, key: &str, words: &[&str]) -> Result<Option<String>, Fault> {
        match self.text(key)? {
            Some(text) if !words.contains(&text.as_str()) => Err(Fault::params(format!(
                "`{key}` is {}, not `{text}`",
                words.join(" or ")
            ))),
            text => Ok(text),
        }
    }

    /// One text or several.
    pub(crate) fn texts(&mut self, key: &str) -> Result<Vec<String>, Fault> {
        let wrong = || Fault::params(format!("`{key}` is no list of strings"));
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(items)) => items
                .into_iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text),
                    _ => Err(wrong()),
                })
                .collect(),
            Some(_) => Err(wrong()),
        }
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, Fault> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(Fault::params(format!("`{key}` is neither true nor false"))),
        }
    }

    /// A number that is not negative.
    pub(crate) fn number(&mut self, key: &str) -> Result<Option<u64>, Fault> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_u64();
                number
                    .map(Some)
                    .ok_or_else(|| Fault::params(format!("`{key}` is no whole number from 0 on")))
            }
        }
    }

    /// How many rows; the store keeps it within its bounds.
    pub(crate) fn limit(&mut self) -> Result<Option<usize>, Fault> {
        let limit = self.number("limit")?;
        Ok(limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    pub(crate) fn object(&mut self, key: &str) -> Result<Option<Value>, Fault> {
        match self.take(key) {
            None => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(_) => Err(Fault::params(format!("`{key}` is no object"))),
        }
    }

    /// Whatever else was given is unknown.
    pub(crate) fn end(self) -> Result<(), Fault> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => Err(Fault::params(format!("there is no parameter `{key}`"))),
        }
    }
}
