//! Every key of the configuration, from the schema that `becket schema` prints.

use serde_json::Value;

use super::{cell, is_fresh, text};
use crate::context::Context;

const HEAD: &str = "# Keys of the configuration

Every key, made from `becket schema`. [Configuration](configuration.md) shows them at work and says which file is whose. A key that is not here is an
error that names the file, the line and the key.
";

#[test]
fn the_page_of_keys_is_fresh() {
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
        out += &format!("\n## `{title}`\n\n{about}\n\n| key | holds | |\n| --- | --- | --- |\n");
        rows("", keys, &mut out);
    }
    is_fresh("docs/reference/configuration-keys.md", &out);
}

fn rows(above: &str, table: &Value, out: &mut String) {
    for (name, key) in table["properties"].as_object().expect("keys") {
        let name = format!("{above}{name}");
        *out += &format!(
            "| `{name}` | {} | {} |\n",
            cell(&holds(key)),
            cell(text(&key["description"]))
        );
        if key["properties"].is_object() {
            rows(&format!("{name}."), key, out);
        }
    }
}

/// What a value may be, in words.
fn holds(key: &Value) -> String {
    if let Some(values) = key["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", text(value)))
            .collect();
        return values.join(", ");
    }
    if let Some(kinds) = key["anyOf"].as_array() {
        let kinds: Vec<String> = kinds.iter().map(holds).collect();
        return kinds.join(" or ");
    }
    match key["type"].as_str() {
        Some("string") if key["contentMediaType"] == "application/json" => "text of JSON".into(),
        Some("string") => "text".into(),
        Some("boolean") => "true or false".into(),
        Some("integer") => "whole number".into(),
        Some("number") => "number".into(),
        Some("array") => format!("list of {}", holds(&key["items"]).replace("text", "texts")),
        Some("object") => "table".into(),
        other => panic!("a key of no known kind: {other:?} in {key}"),
    }
}
