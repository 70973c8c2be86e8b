//! Parses the parameters of a call one by one; the first unknown one is an error.

use serde_json::{Map, Value};

use super::message::RpcError;

/// The named parameters of a call.
pub(crate) struct CallParams {
    remaining: Map<String, Value>,
}

impl CallParams {
    pub(crate) fn new(params: Option<&Value>) -> Result<Self, RpcError> {
        let remaining = match params {
            None => Map::new(),
            Some(Value::Object(fields)) => fields.clone(),
            Some(Value::Array(items)) if items.is_empty() => Map::new(),
            Some(_) => {
                return Err(RpcError::invalid_params("parameters must be an object"));
            }
        };
        Ok(Self { remaining })
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.remaining.remove(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, RpcError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(RpcError::invalid_params(format!(
                "`{key}` must be a string"
            ))),
        }
    }

    pub(crate) fn required_text(&mut self, key: &str) -> Result<String, RpcError> {
        let text = self.text(key)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| RpcError::invalid_params(format!("`{key}` is missing")))
    }

    /// The `next` cursor of a page; an invalid cursor would silently restart at the beginning.
    pub(crate) fn cursor(&mut self, key: &str) -> Result<Option<String>, RpcError> {
        match self.text(key)? {
            Some(text) if !becket_store::is_cursor(&text) => Err(RpcError::invalid_params(
                format!("`{key}` is not the `next` of a page"),
            )),
            text => Ok(text),
        }
    }

    /// One of these words.
    pub(crate) fn one_of(&mut self, key: &str, words: &[&str]) -> Result<Option<String>, RpcError> {
        match self.text(key)? {
            Some(text) if !words.contains(&text.as_str()) => Err(RpcError::invalid_params(
                format!("`{key}` must be {}, not `{text}`", words.join(" or ")),
            )),
            text => Ok(text),
        }
    }

    /// A string or a list of strings.
    pub(crate) fn texts(&mut self, key: &str) -> Result<Vec<String>, RpcError> {
        let invalid =
            || RpcError::invalid_params(format!("`{key}` must be a string or a list of strings"));
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(items)) => items
                .into_iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text),
                    _ => Err(invalid()),
                })
                .collect(),
            Some(_) => Err(invalid()),
        }
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, RpcError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(RpcError::invalid_params(format!(
                "`{key}` must be true or false"
            ))),
        }
    }

    /// A non-negative integer.
    pub(crate) fn number(&mut self, key: &str) -> Result<Option<u64>, RpcError> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_u64();
                number.map(Some).ok_or_else(|| {
                    RpcError::invalid_params(format!("`{key}` must be a non-negative integer"))
                })
            }
        }
    }

    /// The number of rows; the store enforces its own limit.
    pub(crate) fn limit(&mut self) -> Result<Option<usize>, RpcError> {
        let limit = self.number("limit")?;
        Ok(limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    pub(crate) fn object(&mut self, key: &str) -> Result<Option<Value>, RpcError> {
        match self.take(key) {
            None => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(_) => Err(RpcError::invalid_params(format!(
                "`{key}` must be an object"
            ))),
        }
    }

    /// Rejects unknown parameters.
    pub(crate) fn end(self) -> Result<(), RpcError> {
        match self.remaining.keys().next() {
            None => Ok(()),
            Some(key) => Err(RpcError::invalid_params(format!(
                "unknown parameter `{key}`"
            ))),
        }
    }
}
