//! Generates the configuration keys page from `becket schema`.

use serde_json::Value;

use super::{cell, is_fresh, text};
use crate::context::Context;

const HEAD: &str = "# Keys of the configuration

All configuration keys, generated from `becket schema`. See [configuration](configuration.md) for examples and for the files and levels. An unknown key is an error that
names the file, the line and the key.
";

#[test]
fn configuration_keys_page_is_up_to_date() {
    let schema = Context::new().run(&["schema"]).json();
    let mut out = HEAD.to_owned();
    for (name, table) in schema["properties"].as_object().expect("tables") {
        let about = text(&table["description"]);
        let (title, keys) = if let Some(shape) = table["items"]["$ref"].as_str() {
            let keys = schema.pointer(&shape[1..]).expect("a definition");
            (format!("[[{name}]]"), keys)
        } else if table["properties"].is_object() {
            (format!("[{name}]"), table)
        } else {
            (format!("[{name}.NAME]"), &table["additionalProperties"])
        };
        out += &format!(
            "\n## `{title}`\n\n{about}\n\n| key | type | description |\n| --- | --- | --- |\n"
        );
        rows("", keys, &mut out);
    }
    is_fresh("docs/reference/configuration-keys.md", &out);
}

fn rows(above: &str, table: &Value, out: &mut String) {
    for (name, key) in table["properties"].as_object().expect("keys") {
        let name = format!("{above}{name}");
        *out += &format!(
            "| `{name}` | {} | {} |\n",
            cell(&type_of(key)),
            cell(text(&key["description"]))
        );
        if key["properties"].is_object() {
            rows(&format!("{name}."), key, out);
        }
    }
}

/// Describes the type of a value.
fn type_of(key: &Value) -> String {
    if let Some(values) = key["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", text(value)))
            .collect();
        return values.join(", ");
    }
    if let Some(kinds) = key["anyOf"].as_array() {
        let kinds: Vec<String> = kinds.iter().map(type_of).collect();
        return kinds.join(" or ");
    }
    match key["type"].as_str() {
        Some("string") if key["contentMediaType"] == "application/json" => "JSON text".into(),
        Some("string") => "text".into(),
        Some("boolean") => "true or false".into(),
        Some("integer") => "whole number".into(),
        Some("number") => "number".into(),
        Some("array") => format!(
            "list of {}",
            type_of(&key["items"]).replace("text", "texts")
        ),
        Some("object") => "table".into(),
        other => panic!("a key of no known kind: {other:?} in {key}"),
    }
}
