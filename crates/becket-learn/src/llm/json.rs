//! Extracts a JSON object from the text of a model.

use serde_json::{Map, Value};

/// Parses the object in an answer and repairs common mistakes. The error says what is wrong.
pub(super) fn parse_object(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim();
    let error = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => return Ok(map),
        // A bare list is accepted as the list of observations.
        Ok(Value::Array(list)) => {
            return Ok(Map::from_iter([(
                "observations".to_owned(),
                Value::Array(list),
            )]));
        }
        Ok(_) => return Err("it is not a JSON object".to_owned()),
        Err(error) => error,
    };
    let from = text
        .find('{')
        .ok_or_else(|| "it holds no JSON object".to_owned())?;
    let mended = repair(&text[from..]);
    serde_json::from_str(&mended).map_err(|_| format!("it is not JSON ({error})"))
}

/// Stops at the end of the object, drops trailing commas, and closes open brackets.
fn repair(text: &str) -> String {
    let mut mended = String::with_capacity(text.len() + 8);
    let mut open: Vec<char> = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                // Escapes a raw line break inside a string.
                '\n' => {
                    mended.push_str("\\n");
                    continue;
                }
                c if c.is_control() => continue,
                _ => {}
            }
            mended.push(c);
            continue;
        }
        match c {
            '"' => quoted = true,
            // The end of a code fence around a truncated object.
            '`' => continue,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                drop_comma(&mut mended);
                if open.pop() != Some(c) {
                    return mended;
                }
            }
            _ => {}
        }
        mended.push(c);
        if open.is_empty() {
            return mended;
        }
    }
    // The answer was truncated.
    if escaped {
        mended.pop();
    }
    if quoted {
        mended.push('"');
    }
    drop_comma(&mut mended);
    mended.extend(open.into_iter().rev());
    mended
}

fn drop_comma(text: &mut String) {
    let end = text.trim_end().len();
    if text[..end].ends_with(',') {
        text.truncate(end - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_is_extracted_from_surrounding_text() {
        for (text, expected) in [
            (r#"{"a": 1}"#, r#"{"a":1}"#),
            ("```json\n{\"a\": 1}\n```", r#"{"a":1}"#),
            (
                "Sure! Here it is: {\"a\": \"}\"} Anything else?",
                r#"{"a":"}"}"#,
            ),
            (r#"{"a": [1, 2,], }"#, r#"{"a":[1,2]}"#),
            ("{\"a\": \"one\ntwo\"}", r#"{"a":"one\ntwo"}"#),
            (r#"{"a": [{"b": "cut of"#, r#"{"a":[{"b":"cut of"}]}"#),
            (r#"{"a": "ends in \"#, r#"{"a":"ends in "}"#),
            ("```\n{\"a\": [1,]\n```", r#"{"a":[1]}"#),
            (r#"[{"b": 1}]"#, r#"{"observations":[{"b":1}]}"#),
        ] {
            let found = parse_object(text).map(|map| Value::Object(map).to_string());
            assert_eq!(found.as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_json_is_an_error() {
        for text in [
            "",
            "I cannot help with that",
            "42",
            "{]",
            "{\"a\" 1}",
            "\"{}\"",
        ] {
            assert!(parse_object(text).is_err(), "{text}");
        }
    }
}
