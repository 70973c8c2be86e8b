//! The input of a tool with the event's data filled in.

use serde_json::Value;

/// Fills `${path.to.field}` in, in the texts of an input and in one pass. What the event does not have is empty.
pub(super) fn fill(input: &Value, event: &Value) -> Value {
    match input {
        Value::String(text) => Value::String(fill_text(text, event)),
        Value::Array(items) => items.iter().map(|item| fill(item, event)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), fill(value, event)))
            .collect(),
        other => other.clone(),
    }
}

fn fill_text(text: &str, event: &Value) -> String {
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
    fn fields_are_filled_in_once_and_everywhere() {
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
            fill(&input, &event),
            json!({
                "path": "/a ${tool_name}",
                "all": ["{\"file_path\":\"/a ${tool_name}\",\"lines\":[1,2]}", "2", 5],
                "text": "<Write>  ${ open",
            })
        );
    }
}
