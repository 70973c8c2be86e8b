//! JSON that keeps every value of a repeated key.
//!
//! `{"decision":"deny","decision":"allow"}` is legal JSON and most parsers read it as `allow`. A reply
//! is read here entry by entry instead, so that the stricter of the two counts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An object's entries in order, repeats included.
pub(super) type Entries = Vec<(String, Node)>;

/// A JSON value whose objects keep repeated keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Object(Entries),
    Leaf(Value),
}

impl Node {
    /// Reads one object and nothing else.
    pub(super) fn object(text: &str) -> Option<Entries> {
        match serde_json::from_str(text) {
            Ok(Node::Object(entries)) => Some(entries),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Leaf(Value::Null))
    }

    /// The usual reading: of a repeated key, the last.
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

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

macro_rules! leaf {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method<E>(self, value: $type) -> Result<Node, E> {
            Ok(Node::Leaf(Value::from(value)))
        })*
    };
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

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

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<Node>()? {
            items.push(item.into_value());
        }
        Ok(Node::Leaf(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn repeated_keys_are_kept_and_values_read_as_usual() {
        let text = r#"{"a":1,"a":{"b":[true,null,{"c":-2.5}]},"é":"x"}"#;
        let entries = Node::object(text).expect("an object");
        assert_eq!(entries.len(), 3);
        assert_eq!(
            Node::Object(entries).into_value(),
            json!({ "a": { "b": [true, null, { "c": -2.5 }] }, "é": "x" })
        );
    }

    #[test]
    fn only_one_object_is_an_object() {
        for text in ["", "[]", "1", "{} {}", "{", "{\"a\":\"\\ud800\"}"] {
            assert_eq!(Node::object(text), None, "{text}");
        }
    }
}
