//! How a value under an agent's key differs from the one under the canonical key.

use serde_json::{Value, json};

use super::KeyRow;

/// The difference between two values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyForm {
    /// None.
    Same,
    /// A list of commands is one script, which goes back as one command.
    Script,
    /// A list of texts, or of objects with a text under a key, is one text with a line each.
    Lines(Option<&'static str>),
    /// A list of objects with a text under a key is that text if there is one, else a list of texts under
    /// the canonical key and an `s`.
    Each(&'static str),
}

impl KeyRow {
    /// Whether this is its canonical key, singular or plural.
    pub(super) fn owns(&self, name: &str) -> bool {
        let Self(_, canonical, form) = self;
        name == *canonical
            || (matches!(form, KeyForm::Each(_)) && name.strip_suffix('s') == Some(canonical))
    }
}

impl KeyForm {
    /// The canonical key and value; `None` for a value that the tool could not read.
    pub(super) fn canonical(self, key: &str, value: &Value) -> Option<(String, Value)> {
        let key = key.to_owned();
        let joined = |lines: Vec<&str>| json!(lines.join("\n"));
        match self {
            Self::Same => (!value.is_null()).then(|| (key, value.clone())),
            Self::Script => texts(value, None).map(|lines| (key, joined(lines))),
            Self::Lines(inner) => texts(value, inner).map(|lines| (key, joined(lines))),
            Self::Each(inner) => match &texts(value, Some(inner))?[..] {
                [one] => Some((key, json!(one))),
                many => Some((key + "s", json!(many))),
            },
        }
    }

    /// A canonical value in place of one of the agent's.
    pub(super) fn native(self, old: Option<&Value>, new: &Value) -> Result<Value, &'static str> {
        let text = || new.as_str().ok_or("a text is expected");
        match self {
            Self::Same => Ok(new.clone()),
            Self::Script => Ok(json!([text()?])),
            Self::Lines(inner) => Ok(items(old, inner, text()?.split('\n'))),
            Self::Each(inner) => {
                let new = texts(new, None).ok_or("a text or a list of texts is expected")?;
                Ok(items(old, Some(inner), new))
            }
        }
    }
}

/// The texts of a list, or of the one item in its place.
fn texts<'a>(value: &'a Value, inner: Option<&str>) -> Option<Vec<&'a str>> {
    let text = |item: &'a Value| match (item, inner) {
        (Value::String(text), _) => Some(text.as_str()),
        (Value::Object(item), Some(inner)) => item.get(inner)?.as_str(),
        _ => None,
    };
    let found: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    };
    (!found.is_empty()).then_some(found)
}

/// A list of new texts, each in the place of the item that it replaces.
fn items<'a>(
    old: Option<&Value>,
    inner: Option<&str>,
    new: impl IntoIterator<Item = &'a str>,
) -> Value {
    let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let item = |(at, text): (usize, &str)| match (inner, old.get(at)) {
        (Some(inner), Some(Value::Object(item))) => {
            let mut item = item.clone();
            item.insert(inner.to_owned(), json!(text));
            Value::Object(item)
        }
        (Some(inner), _) => json!({ inner: text }),
        (None, _) => json!(text),
    };
    new.into_iter().enumerate().map(item).collect()
}
