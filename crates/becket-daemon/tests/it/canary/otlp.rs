//! Recorded exports with replaced words, in both encodings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The recorded bodies of an agent.
pub(crate) fn recorded(folder: &str) -> Vec<Value> {
    crate::delivery::recordings(folder)
        .iter()
        .map(|file| {
            let text = std::fs::read_to_string(file).expect("readable");
            serde_json::from_str(&text).expect("JSON")
        })
        .collect()
}

/// Attributes that identify the agent and the event.
const NAMES: [&str; 2] = ["event.name", "service.name"];

/// Puts `words` into every string value.
pub(crate) fn say(value: &mut Value, words: &str) {
    match value {
        Value::Object(fields) => {
            let key = fields.get("key").and_then(Value::as_str);
            if key.is_some_and(|key| NAMES.contains(&key)) {
                return;
            }
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(text) if key == "stringValue" => words.clone_into(text),
                    other => say(other, words),
                }
            }
            if fields.contains_key("body")
                && let Some(Value::Array(attributes)) = fields.get_mut("attributes")
            {
                attributes.extend(in_every_shape(words));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| say(item, words)),
        _ => {}
    }
}

/// Unexpected attributes: the words as a key, and in values that are not strings.
fn in_every_shape(words: &str) -> Vec<Value> {
    let text = json!({ "stringValue": words });
    let list = json!([{ "key": words, "value": text }]);
    vec![
        json!({ "key": words, "value": text }),
        json!({ "key": "a", "value": { "arrayValue": { "values": [text, text] } } }),
        json!({ "key": "k", "value": { "kvlistValue": { "values": list } } }),
        json!({ "key": "b", "value": { "bytesValue": STANDARD.encode(words) } }),
        // Another type where a string is expected.
        json!({ "key": "prompt", "value": { "kvlistValue": { "values": list } } }),
        json!({ "key": "tool_input", "value": { "arrayValue": { "values": [text] } } }),
        json!({ "key": "tool_name", "value": { "bytesValue": STANDARD.encode(words) } }),
    ]
}

/// The same message in a gRPC frame.
pub(crate) fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("short");
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// `ExportLogsServiceRequest`, as protobuf.
pub(crate) fn protobuf(request: &Value) -> Vec<u8> {
    each(1, &request["resourceLogs"], |logs| {
        let resource = field(1, &attributes(1, &logs["resource"]["attributes"]));
        let scopes = each(2, &logs["scopeLogs"], |scope| {
            each(2, &scope["logRecords"], log_record)
        });
        [resource, scopes].concat()
    })
}

fn log_record(record: &Value) -> Vec<u8> {
    let time = |tag: u8, key: &str| {
        let nanos = record[key].as_str().and_then(|text| text.parse().ok());
        let nanos: u64 = nanos.unwrap_or_default();
        [vec![tag << 3 | 1], nanos.to_le_bytes().to_vec()].concat()
    };
    let body = field(5, &any(&record["body"]));
    [
        time(1, "timeUnixNano"),
        body,
        attributes(6, &record["attributes"]),
        time(11, "observedTimeUnixNano"),
    ]
    .concat()
}

fn attributes(tag: u8, list: &Value) -> Vec<u8> {
    each(tag, list, |attribute| {
        let key = attribute["key"].as_str().unwrap_or_default();
        [
            field(1, key.as_bytes()),
            field(2, &any(&attribute["value"])),
        ]
        .concat()
    })
}

/// `AnyValue`, of the kinds that can hold words.
fn any(value: &Value) -> Vec<u8> {
    if let Some(text) = value["stringValue"].as_str() {
        return field(1, text.as_bytes());
    }
    if let Some(bytes) = value["bytesValue"].as_str() {
        return field(7, &STANDARD.decode(bytes).expect("base64"));
    }
    if value.get("arrayValue").is_some() {
        return field(5, &each(1, &value["arrayValue"]["values"], any));
    }
    if value.get("kvlistValue").is_some() {
        return field(6, &attributes(1, &value["kvlistValue"]["values"]));
    }
    Vec::new()
}

fn each(tag: u8, list: &Value, encode: impl Fn(&Value) -> Vec<u8>) -> Vec<u8> {
    let items = list.as_array().into_iter().flatten();
    items.flat_map(|item| field(tag, &encode(item))).collect()
}

/// A length-delimited field.
fn field(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag << 3 | 2];
    let mut rest = content.len();
    while rest >= 0x80 {
        out.push(u8::try_from(rest & 0x7f).expect("seven bits") | 0x80);
        rest >>= 7;
    }
    out.push(u8::try_from(rest).expect("seven bits"));
    out.extend_from_slice(content);
    out
}
