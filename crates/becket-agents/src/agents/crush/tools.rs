//! Translates Crush's tool calls to canonical keys, and a rewrite to the patch that Crush merges.
//!
//! Crush is written in Go, whose JSON parser matches keys in any case and lets the last one win:
//! `{"command": "ls", "COMMAND": "rm -rf /"}` runs the second. A guard must see what Go sees.

use becket_model::Event;
use serde_json::{Map, Value};

use super::CRUSH;
use crate::protocol::ToolMap;
use crate::protocol::tools::{KeyRow, RewrittenInput, ToolRow, UnmentionedKeys};

/// The tools of source 37f36e9 whose names or keys are not canonical.
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("multiedit", "MultiEdit", &[]),
        ToolRow::new(
            "lsp_replace_symbol",
            "Edit",
            &[KeyRow::same("replacement", "new_string")],
        ),
        ToolRow::new("agentic_fetch", "WebFetch", &[]),
    ],
    normalize: Some(normalize),
    mcp: Some(mcp),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// Every parameter of Crush's own tools that determines what a call does.
const PARAMETERS: &[&str] = &[
    "action",
    "command",
    "content",
    "edits",
    "file_path",
    "mcp_name",
    "new_name",
    "new_string",
    "old_string",
    "path",
    "pattern",
    "prompt",
    "query",
    "replace_all",
    "replacement",
    "run_in_background",
    "shell_id",
    "symbol",
    "uri",
    "url",
    "working_dir",
];

/// `mcp_server_tool`; a server name with an underscore cannot be separated from the tool name.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.strip_prefix("mcp_")?.split_once('_')?;
    Some(format!("mcp__{server}__{tool}"))
}

fn normalize(native_name: &str, input: &Value) -> Value {
    let Value::Object(input) = input else {
        return input.clone();
    };
    let normal: Map<String, Value> = input
        .iter()
        .map(|(key, value)| (parameter(native_name, key).to_owned(), value.clone()))
        .collect();
    Value::Object(normal)
}

/// The parameter that Go matches with a key. An MCP tool gets its keys unchanged.
fn parameter<'k>(native_name: &str, key: &'k str) -> &'k str {
    if native_name.starts_with("mcp_") {
        return key;
    }
    let folded = fold(key);
    let known = PARAMETERS.iter().find(|known| **known == folded);
    known.copied().unwrap_or(key)
}

/// Lower case as Go folds it: the Kelvin sign is a `k`, the long s an `s`.
fn fold(key: &str) -> String {
    key.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ſ' { 's' } else { c })
        .collect()
}

/// A rewritten input as the changed keys, or why Crush cannot apply it.
pub(super) fn rewritten(event: &Event, updated: &Value) -> Result<RewrittenInput, String> {
    let title = CRUSH.short_title;
    let Some(call) = event.call() else {
        return Err(format!("{title} takes no rewritten input without a call"));
    };
    let sent = TOOLS.native_input(call, event.raw.get("tool_input"));
    let rewritten = TOOLS.rewritten(title, &call.native_name, &sent, updated)?;
    let (Some(wanted), Value::Object(sent)) = (rewritten.input, sent) else {
        return Ok(RewrittenInput::default());
    };
    let patch = patch(&call.native_name, &sent, &wanted)?;
    Ok(RewrittenInput {
        input: (!patch.is_empty()).then_some(patch),
        kept: rewritten.kept,
    })
}

fn patch(
    name: &str,
    sent: &Map<String, Value>,
    wanted: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let title = CRUSH.short_title;
    let gone = |key: &&String| !wanted.contains_key(parameter(name, key));
    if let Some(key) = sent.keys().find(gone) {
        return Err(format!(
            "{title} merges a rewrite into the input and cannot remove `{key}`"
        ));
    }
    let mut patch = Map::new();
    for (key, value) in wanted {
        let spellings = || sent.keys().filter(|own| parameter(name, own) == key);
        if spellings().next_back().and_then(|last| sent.get(last)) == Some(value) {
            continue;
        }
        // Whichever spelling Go reads last, it gets the new value.
        patch.extend(spellings().map(|own| (own.clone(), value.clone())));
        patch.insert(key.clone(), value.clone());
    }
    match patch.keys().find(|key| !is_plain(key)) {
        Some(key) => Err(format!("{title} would take `{key}` for a path")),
        None => Ok(patch),
    }
}

/// Whether Crush's setter treats a key as a plain name: it interprets dots, stars and some other characters as
/// a path, and a number as a list index.
fn is_plain(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
