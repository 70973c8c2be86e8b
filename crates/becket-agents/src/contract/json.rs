//! A JSON parser that keeps every value of a repeated key.
//!
//! `{"decision":"deny","decision":"allow"}` is legal JSON, and most parsers read it as `allow`. Here a reply
//! is read entry by entry, so the stricter of the two wins.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An object's entries in order, repeats included.
pub(super) type ReplyEntries = Vec<(String, ReplyNode)>;

/// A JSON value whose objects keep repeated keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReplyNode {
    Object(ReplyEntries),
    Leaf(Value),
}

impl ReplyNode {
    /// Parses one object; any other value is `None`.
    pub(super) fn object(text: &str) -> Option<ReplyEntries> {
        match serde_json::from_str(text) {
            Ok(ReplyNode::Object(entries)) => Some(entries),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Leaf(Value::Null))
    }

    /// The usual interpretation: of a repeated key, the last value.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::Object(entries) => {
                let entries = entries.into_iter().map(|(k, v)| (k, v.into_value()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'de> Deserialize<'de> for ReplyNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReplyNodeVisitor)
    }
}

struct ReplyNodeVisitor;

macro_rules! leaf {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method<E>(self, value: $type) -> Result<ReplyNode, E> {
            Ok(ReplyNode::Leaf(Value::from(value)))
        })*
    };
}

impl<'de> Visitor<'de> for ReplyNodeVisitor {
    type Value = ReplyNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    leaf! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_str: &str,
        visit_string: String,
    }

    fn visit_unit<E>(self) -> Result<ReplyNode, E> {
        Ok(ReplyNode::Leaf(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ReplyNode, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<ReplyNode>()? {
            items.push(item.into_value());
        }
        Ok(ReplyNode::Leaf(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReplyNode, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(ReplyNode::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn repeated_keys_are_kept_and_values_read_as_usual() {
        let text = r#"{"a":1,"a":{"b":[true,null,{"c":-2.5}]},"é":"x"}"#;
        let entries = ReplyNode::object(text).expect("an object");
        assert_eq!(entries.len(), 3);
        assert_eq!(
            ReplyNode::Object(entries).into_value(),
            json!({ "a": { "b": [true, null, { "c": -2.5 }] }, "é": "x" })
        );
    }

    #[test]
    fn non_objects_are_rejected() {
        for text in ["", "[]", "1", "{} {}", "{", "{\"a\":\"\\ud800\"}"] {
            assert_eq!(ReplyNode::object(text), None, "{text}");
        }
    }
}
