//! What an event or a call was about, in one line.

use serde_json::Value;

/// The members of inputs and payloads that say it, the most telling first.
const TELLING: [&str; 14] = [
    "command",
    "file_path",
    "path",
    "pattern",
    "url",
    "query",
    "prompt",
    "description",
    "source",
    "reason",
    "agent_type",
    "subagent_type",
    "message",
    "trigger",
];

/// The most telling text in a tool's input, or else in the payload around it.
pub(crate) fn subject<'v>(input: &'v Value, payload: &'v Value) -> Option<&'v str> {
    let text = |value: &'v Value, key: &str| value.get(key).and_then(Value::as_str);
    let mut keys = TELLING.iter();
    keys.find_map(|key| text(input, key).or_else(|| text(payload, key)))
}
