//! Parses the bytes that an agent writes to a hook, strictly.
//!
//! A payload decides whether a command runs, so nothing is guessed: it must be one JSON object in UTF-8,
//! without duplicate keys at any depth (two parsers could read different values), at most [`MAX_PAYLOAD`]
//! bytes long and nested less than [`MAX_DEPTH`] levels. This module does not determine the event. Start at
//! [`read`].

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// The maximum size of a payload in bytes.
pub const MAX_PAYLOAD: usize = 16 * 1024 * 1024;

/// The nesting level at which a payload is rejected.
pub const MAX_DEPTH: usize = 128;

/// How many characters of a user's text an error message repeats.
const SHOWN: usize = 80;

/// Why the bytes are not a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Standard input was empty.
    #[error("the payload is empty")]
    Empty,
    /// Larger than [`MAX_PAYLOAD`].
    #[error("the payload has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// The actual size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// Not text.
    #[error("the payload is not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
    },
    /// The payload ends in the middle.
    #[error("the payload is truncated at line {line} column {column}")]
    Truncated {
        /// Where it ends.
        line: usize,
        /// Where it ends, in bytes.
        column: usize,
    },
    /// Not JSON.
    #[error("the payload is not valid JSON: {message} at line {line} column {column}")]
    Syntax {
        /// What the parser expected.
        message: String,
        /// Where.
        line: usize,
        /// Where, in bytes.
        column: usize,
    },
    /// More data follows the JSON value.
    #[error("unexpected data after the payload, at line {line} column {column}")]
    Trailing {
        /// Where the surplus starts.
        line: usize,
        /// Where, in bytes.
        column: usize,
    },
    /// A key occurs twice in one object.
    #[error("the payload has the key `{key}` twice in one object, at line {line} column {column}")]
    DuplicateKey {
        /// The key, shortened if it is long.
        key: String,
        /// The position of its second occurrence.
        line: usize,
        /// Where, in bytes.
        column: usize,
    },
    /// Nested [`MAX_DEPTH`] levels or more.
    #[error("the payload is nested {MAX_DEPTH} levels deep, at line {line} column {column}")]
    TooDeep {
        /// Where.
        line: usize,
        /// Where, in bytes.
        column: usize,
    },
    /// JSON, but not an object.
    #[error("the payload is {found}, not an object")]
    NotAnObject {
        /// What it is, with its article.
        found: &'static str,
    },
}

/// Parses a hook payload: one JSON object in UTF-8, with or without a byte order mark.
pub fn read(bytes: &[u8]) -> Result<Map<String, Value>, PayloadError> {
    if bytes.len() > MAX_PAYLOAD {
        return Err(PayloadError::TooLarge {
            size: bytes.len(),
            limit: MAX_PAYLOAD,
        });
    }
    let text = text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))?;
    if text.trim_ascii().is_empty() {
        return Err(PayloadError::Empty);
    }
    let value = match value(text) {
        Err(error @ PayloadError::Syntax { .. }) => match replace_lone_surrogates(text) {
            Cow::Owned(mended) => value(&mended)?,
            Cow::Borrowed(_) => return Err(error),
        },
        result => result?,
    };
    match value {
        Value::Object(map) => Ok(map),
        other => Err(PayloadError::NotAnObject {
            found: article(&other),
        }),
    }
}

/// The type of a value with its article, for messages.
pub(crate) fn article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The first `limit` characters, with an ellipsis if there are more.
pub(crate) fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

fn text(bytes: &[u8]) -> Result<&str, PayloadError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        if error.error_len().is_some() {
            return PayloadError::NotUtf8 { offset };
        }
        // The last character is cut off, so the rest of the payload is missing too.
        let before = &bytes[..offset];
        let start_of_line = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        PayloadError::Truncated {
            line: before.split(|b| *b == b'\n').count(),
            column: offset - start_of_line,
        }
    })
}

fn value(text: &str) -> Result<Value, PayloadError> {
    let duplicate = RefCell::new(None);
    let mut json = serde_json::Deserializer::from_str(text);
    let value = StrictValue(&duplicate)
        .deserialize(&mut json)
        .map_err(|error| explain(&error, duplicate.take()))?;
    json.end().map_err(|error| PayloadError::Trailing {
        line: error.line(),
        column: error.column(),
    })?;
    Ok(value)
}

fn explain(error: &serde_json::Error, duplicate: Option<String>) -> PayloadError {
    let (line, column) = (error.line(), error.column());
    if let Some(key) = duplicate {
        let key = clip(&key, SHOWN).into_owned();
        return PayloadError::DuplicateKey { key, line, column };
    }
    if error.classify() == Category::Eof {
        return PayloadError::Truncated { line, column };
    }
    let whole = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = whole.strip_suffix(&place).unwrap_or(&whole);
    // The parser reports this only by its message; a test pins the text.
    if message == "recursion limit exceeded" {
        return PayloadError::TooDeep { line, column };
    }
    PayloadError::Syntax {
        message: message.to_owned(),
        line,
        column,
    }
}

/// Builds a [`Value`] and stops at the first duplicate key, which it leaves in the cell.
#[derive(Clone, Copy)]
struct StrictValue<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for StrictValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match out.entry(key) {
                Entry::Vacant(slot) => {
                    slot.insert(members.next_value_seed(self)?);
                }
                Entry::Occupied(slot) => {
                    self.0.replace(Some(slot.key().clone()));
                    return Err(A::Error::custom("duplicate key"));
                }
            }
        }
        Ok(Value::Object(out))
    }
}

/// Replaces escapes of lone surrogates (`\ud83d` without its other half) by U+FFFD.
///
/// JavaScript cuts strings between the halves and writes the rest as an escape, which is not valid Unicode.
/// U+FFFD is also what JavaScript would pass to a shell or write to a file, so the parsed text is what would
/// run. Every escape keeps its length, so positions stay valid.
fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let (first, second) = (surrogate(bytes, at), surrogate(bytes, at + 6));
        if first.is_none() {
            // Skip the backslash and the character it escapes, which may be a backslash as well.
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
        } else if matches!(
            (&first, &second),
            (Some(SurrogateHalf::High), Some(SurrogateHalf::Low))
        ) {
            at += 12;
        } else {
            mended.push_str(&text[kept..at]);
            mended.push_str(r"\ufffd");
            at += 6;
            kept = at;
        }
    }
    if mended.is_empty() {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[kept..]);
    Cow::Owned(mended)
}

enum SurrogateHalf {
    High,
    Low,
}

fn surrogate(bytes: &[u8], at: usize) -> Option<SurrogateHalf> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(SurrogateHalf::High),
        0xdc00..=0xdfff => Some(SurrogateHalf::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn message(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn an_object_is_read_as_any_parser_would_read_it() {
        let text = "\u{feff} {\"a\": [1, -2, 2.5, 1e3, 18446744073709551615, true, null, \"\\u00e9\\n\"], \"b\": {\"a\": {}}} \r\n\t";
        let plain = text.trim_start_matches('\u{feff}');
        let expected: Map<String, Value> = serde_json::from_str(plain).unwrap();
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        let keys: Vec<_> = expected.keys().collect();
        assert_eq!(keys, ["a", "b"]);
    }

    #[test]
    fn every_syntax_error_is_named_with_its_position() {
        for (bytes, expected) in [
            (&b""[..], "the payload is empty"),
            (b" \n\t\r", "the payload is empty"),
            (b"\xef\xbb\xbf", "the payload is empty"),
            (b"[1]", "the payload is an array, not an object"),
            (b"\"x\"", "the payload is a string, not an object"),
            (b"null", "the payload is null, not an object"),
            (
                b"{\"a\": 1,\n \"b\": nope}",
                "the payload is not valid JSON: expected ident at line 2 column 8",
            ),
            (
                b"hello",
                "the payload is not valid JSON: expected value at line 1 column 1",
            ),
            (
                b"{\"a\": 1,}",
                "the payload is not valid JSON: trailing comma at line 1 column 9",
            ),
            (
                b"{\"a\": \"x",
                "the payload is truncated at line 1 column 8",
            ),
            (
                b"{\"a\":\n \"\xc3",
                "the payload is truncated at line 2 column 2",
            ),
            (b"{", "the payload is truncated at line 1 column 1"),
            (b"{\"a\": \"\xff\"}", "the payload is not UTF-8 at byte 7"),
            (
                b"{} {}",
                "unexpected data after the payload, at line 1 column 4",
            ),
            (
                b"{\"a\": 1}\0",
                "unexpected data after the payload, at line 1 column 9",
            ),
        ] {
            assert_eq!(message(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn duplicate_key_is_an_error_at_any_depth_and_in_any_spelling() {
        for text in [
            r#"{"command": 1, "command": 2}"#,
            r#"{"tool_input": {"command": "ls", "x": 1, "command": "rm"}}"#,
            r#"{"a": [{"b": {"command": 1, "comm\u0061nd": 2}}]}"#,
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(
                matches!(&error, PayloadError::DuplicateKey { key, .. } if key == "command"),
                "{text}: {error}"
            );
        }
        assert!(read(br#"{"a": {"x": 1}, "b": {"x": 2}}"#).is_ok());
    }

    #[test]
    fn long_key_is_shortened_in_the_message() {
        let key = "k".repeat(100_000);
        let text = format!("{{\"{key}\": 1, \"{key}\": 2}}");
        assert!(message(text.as_bytes()).len() < 300);
    }

    #[test]
    fn nesting_is_read_up_to_the_limit_and_refused_from_there() {
        let nested = |levels: usize| {
            let inner = levels - 1;
            format!("{{\"a\":{}{}}}", "[".repeat(inner), "]".repeat(inner))
        };
        assert!(read(nested(MAX_DEPTH - 1).as_bytes()).is_ok());
        for levels in [MAX_DEPTH, MAX_DEPTH + 1, 1_000_000] {
            assert!(
                matches!(
                    read(nested(levels).as_bytes()),
                    Err(PayloadError::TooDeep { .. })
                ),
                "{levels}"
            );
        }
    }

    #[test]
    fn a_payload_over_the_limit_is_refused_with_both_sizes() {
        let fits = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_PAYLOAD - 8));
        assert_eq!(fits.len(), MAX_PAYLOAD);
        assert!(read(fits.as_bytes()).is_ok());
        assert_eq!(
            message(format!("{fits} ").as_bytes()),
            "the payload has 16777217 bytes; the limit is 16777216"
        );
    }

    #[test]
    fn lone_surrogate_becomes_the_replacement_character() {
        for (text, expected) in [
            (r#"{"a": "cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"a": "\udc00 low"}"#, "\u{fffd} low"),
            (r#"{"a": "\ud83d\ud83d\ude00"}"#, "\u{fffd}\u{1f600}"),
            (r#"{"a": "\\ud83d \ud83dx"}"#, "\\ud83d \u{fffd}x"),
        ] {
            let map = read(text.as_bytes()).unwrap();
            assert_eq!(map["a"], json!(expected), "{text}");
        }
        assert!(matches!(
            read(br#"{"a": "\ud83d", nope}"#),
            Err(PayloadError::Syntax { .. })
        ));
    }

    proptest! {
        /// Any bytes give a map or an error, never a panic.
        #[test]
        fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        /// Every proper prefix of a payload is reported as truncated (or empty), so a broken pipe is never mistaken
        /// for a bug of the agent.
        #[test]
        fn every_prefix_is_reported_as_truncated(cut in 0usize..1000) {
            let text = r#"{"session_id": "é😀", "tool_input": {"command": "a\"b\u00e9"}, "n": [1.5e3, true, null]}"#;
            let cut = cut % text.len();
            let error = read(&text.as_bytes()[..cut]).unwrap_err();
            let expected = matches!(error, PayloadError::Truncated { .. } | PayloadError::Empty);
            prop_assert!(expected, "{}: {error}", cut);
        }
    }
}
