//! Condenses tool calls for display and search. The raw event keeps everything; activities keep only the gist.

use becket_base::text::prefix_chars;
use serde_json::{Map, Value, json};

use crate::injected_context::strip_injected;
use crate::record::json_text;

/// The longest summary of an output, an error or one string of an input.
pub(crate) const SUMMARY_CHARS: usize = 500;

/// A longer file read is stored as its length only, because the file itself has the content.
const SHORT_READ_CHARS: usize = 200;

/// Keys of an input that hold the content of files.
const BULK_KEYS: [&str; 4] = ["content", "new_source", "old_string", "new_string"];

/// The deepest level of an input that is kept; deeper values are replaced by their length.
const MAX_DEPTH: usize = 6;

/// The most entries of a list or an object that are kept.
const MAX_ENTRIES: usize = 64;

/// Replaces large texts in an input by `<N chars>`.
pub(crate) fn condense_input(value: &Value) -> Value {
    condense_value(value, 0)
}

fn condense_value(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) => json!(truncate_with_dots(text)),
        Value::Array(_) | Value::Object(_) if depth == MAX_DEPTH => {
            json!(length_mark(char_count(&json_text(value))))
        }
        Value::Array(items) => {
            let kept = items.iter().take(MAX_ENTRIES);
            Value::Array(kept.map(|item| condense_value(item, depth + 1)).collect())
        }
        Value::Object(fields) => Value::Object(object(fields, depth)),
        other => other.clone(),
    }
}

fn object(fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let kept = fields.iter().take(MAX_ENTRIES);
    kept.map(|(key, value)| {
        let value = match value {
            Value::String(text) if BULK_KEYS.contains(&key.as_str()) => {
                json!(length_mark(char_count(text)))
            }
            other => condense_value(other, depth + 1),
        };
        (key.clone(), value)
    })
    .collect()
}

fn length_mark(chars: usize) -> String {
    format!("<{chars} chars>")
}

fn truncate_with_dots(text: &str) -> String {
    let kept = prefix_chars(text, SUMMARY_CHARS);
    if kept.len() < text.len() {
        format!("{kept}...")
    } else {
        text.to_owned()
    }
}

/// Summarizes a tool's response; the number is the length of the whole text, in characters.
pub(crate) fn condense_output(tool: &str, response: &Value) -> (String, usize) {
    let text = text_of(response);
    // Some agents put injected context into a tool's result, and a tool may print it again.
    let text = strip_injected(&text);
    let long = char_count(&text);
    let summary = if tool == "Read" && long > SHORT_READ_CHARS {
        format!("Read {long} chars")
    } else {
        prefix_chars(&text, SUMMARY_CHARS).to_owned()
    };
    (summary, long)
}

/// The keys under which agents put the text that the model sees of a response.
const TEXT_KEYS: [&str; 3] = ["llmContent", "textResultForLlm", "text_result_for_llm"];

/// The text of a response: the string itself, a shell's output, or the text shown to the model; else the JSON.
fn text_of(response: &Value) -> String {
    let found = match response {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => shell_output(fields).or_else(|| model_text(fields)),
        Value::Array(parts) => texts(parts),
        _ => None,
    };
    found.unwrap_or_else(|| json_text(response))
}

/// The text that an agent shows the model, or the text parts of an MCP result.
fn model_text(fields: &Map<String, Value>) -> Option<String> {
    let text = TEXT_KEYS
        .iter()
        .find_map(|key| fields.get(*key)?.as_str())
        .or_else(|| fields.get("output")?.as_str().filter(|_| fields.len() == 1));
    text.map(str::to_owned)
        .or_else(|| texts(fields.get("content")?.as_array()?))
}

/// The joined parts of an MCP result, if all of them are texts.
fn texts(parts: &[Value]) -> Option<String> {
    let text = |part: &Value| match part["type"].as_str()? {
        "text" => part["text"].as_str().map(str::to_owned),
        _ => None,
    };
    let all: Vec<String> = parts.iter().map(text).collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.join("\n"))
}

fn shell_output(fields: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let (stdout, stderr) = (fields.get("stdout")?.as_str()?, text("stderr"));
    Some(match (stdout, stderr) {
        (out, "") => out.to_owned(),
        ("", err) => err.to_owned(),
        (out, err) => format!("{}\n{err}", out.trim_end()),
    })
}

pub(crate) fn char_count(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injected_context::{INJECTED_BEGIN, INJECTED_END};

    #[test]
    fn file_content_becomes_its_length_and_long_text_is_truncated() {
        let found = condense_input(&json!({
            "file_path": "a.rs", "content": "äö", "new_string": "", "limit": 3,
            "command": "x".repeat(501),
            "edits": [{ "old_string": "abc", "new_string": "d" }],
        }));
        let expected = json!({
            "file_path": "a.rs", "content": "<2 chars>", "new_string": "<0 chars>", "limit": 3,
            "command": format!("{}...", "x".repeat(500)),
            "edits": [{ "old_string": "<3 chars>", "new_string": "<1 chars>" }],
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn no_input_is_too_deep_or_too_wide() {
        let mut deep = json!("end");
        for _ in 0..200 {
            deep = json!([deep]);
        }
        assert!(condense_input(&deep).to_string().len() < 60);
        let wide = condense_input(&json!(vec![1; 1000]));
        assert_eq!(wide.as_array().map(Vec::len), Some(MAX_ENTRIES));
    }

    #[test]
    fn outputs_are_summarized() {
        let long = "é".repeat(600);
        for (tool, response, expected) in [
            (
                "Bash",
                json!({ "stdout": "ok\n", "stderr": "warn" }),
                "ok\nwarn",
            ),
            ("Bash", json!({ "stdout": "", "stderr": "bad" }), "bad"),
            ("Bash", json!("text"), "text"),
            ("Grep", json!({ "matches": 2 }), r#"{"matches":2}"#),
            (
                "Grep",
                json!({ "llmContent": "a.rs:1", "returnDisplay": "1 match" }),
                "a.rs:1",
            ),
            (
                "Bash",
                json!({ "resultType": "success", "textResultForLlm": "ok" }),
                "ok",
            ),
            ("Bash", json!({ "output": "ok" }), "ok"),
            (
                "Bash",
                json!({ "output": "ok", "exit": 1 }),
                r#"{"output":"ok","exit":1}"#,
            ),
            (
                "mcp__a__b",
                json!({ "content": [{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }] }),
                "one\ntwo",
            ),
            (
                "mcp__a__b",
                json!([{ "type": "image" }]),
                r#"[{"type":"image"}]"#,
            ),
            ("Read", json!("short"), "short"),
            ("Read", json!(long), "Read 600 chars"),
            ("Bash", Value::Null, ""),
            (
                "Bash",
                json!(format!("{INJECTED_BEGIN}\nknown\n{INJECTED_END}\nok")),
                "ok",
            ),
        ] {
            assert_eq!(
                condense_output(tool, &response).0,
                expected,
                "{tool} {response}"
            );
        }
        let (summary, all) = condense_output("Bash", &json!(long));
        assert_eq!((char_count(&summary), all), (500, 600));
    }
}
