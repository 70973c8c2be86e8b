//! The JSON Schema of Becket's own files, generated from the tables that the reader uses.

use serde_json::{Map, Value, json};

use super::keys::{ConfigKey, HOOK, KeyType, TOP};

/// The schema (draft 2020-12) of `becket.toml`, `becket.local.toml` and the user's `config.toml`.
pub fn schema() -> Value {
    let mut schema = object(TOP);
    schema.insert(
        "$schema".into(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert("title".into(), json!("Becket configuration"));
    schema.insert("$defs".into(), json!({ "hook": hook() }));
    Value::Object(schema)
}

fn hook() -> Map<String, Value> {
    let mut hook = object(HOOK);
    // A built-in hook has default events.
    let when = json!([{ "required": ["event"] }, { "required": ["use"] }]);
    hook.insert("allOf".into(), json!([{ "anyOf": when }]));
    let telling = ["command", "url", "prompt", "agent", "server", "use"];
    let any: Vec<Value> = telling
        .iter()
        .map(|key| json!({ "required": [key] }))
        .collect();
    hook.insert("anyOf".into(), any.into());
    hook
}

fn object(keys: &[ConfigKey]) -> Map<String, Value> {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    let mut object = Map::new();
    object.insert("type".into(), json!("object"));
    object.insert("additionalProperties".into(), json!(false));
    object.insert("properties".into(), properties.into());
    object
}

fn property(key: &ConfigKey) -> Value {
    let mut property = shape(&key.shape);
    let about = if key.kinds.is_empty() {
        key.about.to_owned()
    } else {
        format!("{} (type: {})", key.about, key.kinds.join(", "))
    };
    property.insert("description".into(), about.into());
    Value::Object(property)
}

fn shape(shape: &KeyType) -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let schema = match shape {
        KeyType::Text => text,
        KeyType::Texts => texts,
        KeyType::TextOrTexts => json!({ "anyOf": [text, texts] }),
        KeyType::Flag => json!({ "type": "boolean" }),
        KeyType::Integer => json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX }),
        KeyType::Natural => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        KeyType::Days => json!({ "type": "string", "pattern": "^[0-9]+[dw]$" }),
        KeyType::Duration => json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0 },
            { "type": "string", "pattern": r"^\s*[0-9.]+\s*(ms|s|m|min|h)?$" },
        ] }),
        KeyType::Temperature => json!({ "type": "number", "minimum": 0, "maximum": 2 }),
        KeyType::Pairs => json!({ "type": "object", "additionalProperties": text }),
        KeyType::Object => json!({ "anyOf": [
            { "type": "object" },
            { "type": "string", "contentMediaType": "application/json" },
        ] }),
        KeyType::Word(words) => json!({ "type": "string", "enum": words }),
        KeyType::Table(keys) => return object(keys),
        KeyType::Tables(keys) => {
            json!({ "type": "object", "additionalProperties": object(keys) })
        }
        KeyType::Hooks => json!({ "type": "array", "items": { "$ref": "#/$defs/hook" } }),
    };
    match schema {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
