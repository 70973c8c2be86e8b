//! Cursor's tools: names, and the keys of an input that Cursor lets a hook change.
//!
//! The keys are already canonical.

use becket_model::{Event, ToolCall};
use serde_json::{Map, Value};

use super::CURSOR;
use crate::fields::decoded;
use crate::protocol::ToolMap;
use crate::protocol::tools::{RewrittenInput, ToolRow, UnmentionedKeys};

/// Cursor's prefix for MCP tools; the rest is the tool's bare name.
const MCP: &str = "MCP:";

pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[ToolRow::new("TabRead", "Read", &[])],
    unmentioned: UnmentionedKeys::KeptInCanonicalTools,
    ..ToolMap::CANONICAL
};

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
    let input = Value::Object(input);
    let Some(bare) = native.strip_prefix(MCP) else {
        return TOOLS.call(native, input);
    };
    // `preToolUse` does not name the server. A matcher for all MCP tools still matches.
    let name = format!("mcp__{}__{bare}", server.unwrap_or("unknown"));
    ToolMap::foreign(name, native, input)
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

/// The whole rewritten input, because some tools replace theirs with it and others merge it.
pub(super) fn rewritten(event: &Event, updated: &Value) -> Result<RewrittenInput, String> {
    let title = CURSOR.short_title;
    let Some(call) = CURSOR.sent_call(event) else {
        return Err(format!("{title} takes no rewritten input without a call"));
    };
    let (tool, sent) = (&call.native_name, &call.input);
    let rewritten = TOOLS.rewritten(title, tool, sent, updated)?;
    let before = input(Some(sent));
    let changes = rewritten.clone().merged(title, &before)?;
    let fixed = |key: &&String| {
        let tool = CHANGEABLE.iter().find(|(name, _)| name == tool);
        tool.is_some_and(|(_, keys)| !keys.contains(&key.as_str()))
    };
    match changes
        .input
        .iter()
        .flatten()
        .map(|(key, _)| key)
        .find(fixed)
    {
        Some(key) => Err(format!(
            "{title} does not let a hook change `{key}` of {tool}"
        )),
        None => Ok(rewritten),
    }
}
