//! What of a tool call is kept beside the raw event: enough to read and to search, never the bulk.

use serde_json::{Map, Value, json};

use crate::injected::strip_injected;
use crate::record::json_text;

/// How long a summary of an output, an error or one string of an input may be.
pub(crate) const SUMMARY_CHARS: usize = 500;

/// A longer read than this is told by its length alone: the file itself is at hand.
const SHORT_READ_CHARS: usize = 200;

/// Keys of an input that hold the text of files.
const BULK_KEYS: [&str; 4] = ["content", "new_source", "old_string", "new_string"];

/// How deep into an input is looked; what is deeper becomes its length.
const DEEPEST: usize = 6;

/// How many entries of a list or an object are kept.
const WIDEST: usize = 64;

/// An input with large texts replaced by `<N chars>`.
pub(crate) fn input(value: &Value) -> Value {
    sanitised(value, 0)
}

fn sanitised(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) => json!(cut_with_dots(text)),
        Value::Array(_) | Value::Object(_) if depth == DEEPEST => {
            json!(length_mark(chars(&json_text(value))))
        }
        Value::Array(items) => {
            let kept = items.iter().take(WIDEST);
            Value::Array(kept.map(|item| sanitised(item, depth + 1)).collect())
        }
        Value::Object(fields) => Value::Object(object(fields, depth)),
        other => other.clone(),
    }
}

fn object(fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let kept = fields.iter().take(WIDEST);
    kept.map(|(key, value)| {
        let value = match value {
            Value::String(text) if BULK_KEYS.contains(&key.as_str()) => {
                json!(length_mark(chars(text)))
            }
            other => sanitised(other, depth + 1),
        };
        (key.clone(), value)
    })
    .collect()
}

fn length_mark(chars: usize) -> String {
    format!("<{chars} chars>")
}

fn cut_with_dots(text: &str) -> String {
    let kept = cut(text, SUMMARY_CHARS);
    if kept.len() < text.len() {
        format!("{kept}...")
    } else {
        text.to_owned()
    }
}

/// What a tool gave back, in few words, and how long it was.
pub(crate) fn output(tool: &str, response: &Value) -> (String, usize) {
    let text = text_of(response);
    // Some agents put what they were given into the result of a tool, and a tool may print it again.
    let text = strip_injected(&text);
    let long = chars(&text);
    let summary = if tool == "Read" && long > SHORT_READ_CHARS {
        format!("Read {long} chars")
    } else {
        cut(&text, SUMMARY_CHARS).to_owned()
    };
    (summary, long)
}

/// Where agents put the text that the model sees of a response.
const TEXT_KEYS: [&str; 3] = ["llmContent", "textResultForLlm", "text_result_for_llm"];

/// The text of a response: itself if it is a text, what a shell printed or the model is shown, else the JSON.
fn text_of(response: &Value) -> String {
    let found = match response {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => printed(fields).or_else(|| shown(fields)),
        Value::Array(parts) => texts(parts),
        _ => None,
    };
    found.unwrap_or_else(|| json_text(response))
}

/// What an agent shows the model of a response, or the parts of an answer of MCP.
fn shown(fields: &Map<String, Value>) -> Option<String> {
    let told = TEXT_KEYS
        .iter()
        .find_map(|key| fields.get(*key)?.as_str())
        .or_else(|| fields.get("output")?.as_str().filter(|_| fields.len() == 1));
    told.map(str::to_owned)
        .or_else(|| texts(fields.get("content")?.as_array()?))
}

/// Parts of an answer, if all of them are texts.
fn texts(parts: &[Value]) -> Option<String> {
    let text = |part: &Value| match part["type"].as_str()? {
        "text" => part["text"].as_str().map(str::to_owned),
        _ => None,
    };
    let all: Vec<String> = parts.iter().map(text).collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.join("\n"))
}

fn printed(fields: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let (stdout, stderr) = (fields.get("stdout")?.as_str()?, text("stderr"));
    Some(match (stdout, stderr) {
        (out, "") => out.to_owned(),
        ("", err) => err.to_owned(),
        (out, err) => format!("{}\n{err}", out.trim_end()),
    })
}

/// The first characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    // A text has at least as many bytes as characters.
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most);
    end.map_or(text, |(at, _)| &text[..at])
}

pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injected::{INJECTED_BEGIN, INJECTED_END};

    #[test]
    fn the_text_of_files_becomes_its_length_and_long_text_is_cut() {
        let found = input(&json!({
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
        assert!(input(&deep).to_string().len() < 60);
        let wide = input(&json!(vec![1; 1000]));
        assert_eq!(wide.as_array().map(Vec::len), Some(WIDEST));
    }

    #[test]
    fn an_output_is_told_in_few_words() {
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
            assert_eq!(output(tool, &response).0, expected, "{tool} {response}");
        }
        let (summary, all) = output("Bash", &json!(long));
        assert_eq!((chars(&summary), all), (500, 600));
    }
}
