//! Cursor's tools: names, and the keys of an input that Cursor lets a hook change.
//!
//! The keys are already canonical.

use becket_model::{Event, ToolCall};
use serde_json::{Map, Value};

use super::Cursor;
use crate::fields::decoded;
use crate::kit::tools::{KitKnown, as_sent, changes};

/// Cursor's prefix for MCP tools; the rest is the tool's bare name.
const MCP: &str = "MCP:";

/// The keys that `updated_input` may change, by tool; Cursor silently ignores all others, including the
/// content of a written file. Unlisted tools accept every key.
const CHANGEABLE: &[(&str, &[&str])] = &[
    ("Shell", &["command", "cwd", "timeout"]),
    ("Write", &["file_path"]),
    ("Read", &["file_path"]),
    ("Delete", &["file_path"]),
    ("Grep", &["pattern", "file_path"]),
    ("List", &["file_path"]),
    ("ReadLints", &["file_path"]),
    ("Fetch", &["url"]),
    ("ListMcpResources", &["server"]),
    ("FetchMcpResource", &["server", "uri", "download_path"]),
    ("WriteShellStdin", &[]),
    ("ComputerUse", &[]),
    ("RecordScreen", &[]),
];

/// A call, by the tool name of `preToolUse`.
pub(super) fn call(native: String, input: Map<String, Value>, server: Option<&str>) -> ToolCall {
    let bare = native.strip_prefix(MCP).map(str::to_owned);
    let mut call = ToolCall::new(native, Value::Object(input));
    if let Some(bare) = bare {
        // `preToolUse` does not name the server. A matcher for all MCP tools still matches.
        call.name = format!("mcp__{}__{bare}", server.unwrap_or("unknown"));
    }
    call
}

/// A call of an MCP tool by its bare name.
pub(super) fn mcp_call(bare: &str, input: Map<String, Value>, server: Option<&str>) -> ToolCall {
    call(format!("{MCP}{bare}"), input, server)
}

/// An input as an object: MCP inputs are sent as JSON text. Other values are kept visible.
pub(super) fn input(value: Option<&Value>) -> Map<String, Value> {
    match value.map(decoded) {
        Some(Value::Object(map)) => map,
        None | Some(Value::Null) => Map::new(),
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(other) => [("raw".to_owned(), other)].into_iter().collect(),
    }
}

/// A rewritten input in Cursor's format, or why it is impossible.
pub(super) fn rewritten(
    event: &Event,
    after: &Value,
) -> Result<Option<Map<String, Value>>, String> {
    let Some(call) = as_sent(&Cursor, event) else {
        return Err("Without a tool there is no input to rewrite".to_owned());
    };
    let before = input(Some(&call.input));
    let native = call.native_name.as_str();
    let known = if native.starts_with(MCP) {
        KitKnown::All
    } else {
        KitKnown::Canonical
    };
    let Some(changed) = changes(&[], &before, &before, after, known)? else {
        return Ok(None);
    };
    let changeable = CHANGEABLE.iter().find(|(tool, _)| *tool == native);
    let fixed = changeable.and_then(|(_, keys)| {
        let mut changed = changed.keys();
        changed.find(|key| !keys.contains(&key.as_str()))
    });
    if let Some(key) = fixed {
        return Err(format!(
            "Cursor does not let a hook change `{key}` of {native}"
        ));
    }
    // The whole input, because some tools replace theirs with it and others merge it.
    let mut whole = before;
    whole.extend(changed);
    Ok(Some(whole))
}
