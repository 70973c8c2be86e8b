//! Fills event data into the input of an MCP tool.

use serde_json::Value;

/// Replaces `${path.to.field}` in all strings of the input, in one pass. Missing fields become empty.
pub(super) fn interpolate(input: &Value, event: &Value) -> Value {
    match input {
        Value::String(text) => Value::String(interpolate_text(text, event)),
        Value::Array(items) => items.iter().map(|item| interpolate(item, event)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), interpolate(value, event)))
            .collect(),
        other => other.clone(),
    }
}

fn interpolate_text(text: &str, event: &Value) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}') {
            Some((path, after)) => {
                out.push_str(&look_up(path, event));
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn look_up(path: &str, event: &Value) -> String {
    let found = path
        .trim()
        .split('.')
        .try_fold(event, |value, key| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            other => other.get(key),
        });
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn event_fields_are_interpolated_once_and_everywhere() {
        let event = json!({
            "tool_name": "Write",
            "tool_input": { "file_path": "/a ${tool_name}", "lines": [1, 2] },
        });
        let input = json!({
            "path": "${tool_input.file_path}",
            "all": ["${tool_input}", "${tool_input.lines.1}", 5],
            "text": "<${tool_name}> ${nothing.here} ${ open",
        });
        assert_eq!(
            interpolate(&input, &event),
            json!({
                "path": "/a ${tool_name}",
                "all": ["{\"file_path\":\"/a ${tool_name}\",\"lines\":[1,2]}", "2", 5],
                "text": "<Write>  ${ open",
            })
        );
    }
}
