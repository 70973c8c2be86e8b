//! Translates Auggie's tool calls to canonical keys and back.

use std::collections::BTreeMap;

use becket_model::{Event, ToolCall};
use serde_json::{Map, Value};

use super::AUGMENT;
use crate::protocol::ToolMap;
use crate::protocol::tools::{InputTest, KeyRow, RewrittenInput, ToolRow, UnmentionedKeys};

const PATH: KeyRow = KeyRow::same("path", "file_path");

/// `command` selects the editor's operation; it is not a shell command.
const OPERATION: KeyRow = KeyRow::same("command", "operation");

const INPUT_TEXT: KeyRow = KeyRow::same("input_text", "command");
const CONTENT: KeyRow = KeyRow::same("file_content", "content");
const OLD: KeyRow = KeyRow::same("old_str_1", "old_string");
const NEW: KeyRow = KeyRow::same("new_str_1", "new_string");

const DIRECTORY: InputTest = InputTest::Is("type", "directory");
const EDITS: InputTest = InputTest::Has("edits");

/// The tools of client 0.36.0. Input for a running process is treated as a command: the process may be a
/// shell.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("launch-process", "Bash", &[]),
        ToolRow::new("write-process", "Bash", &[INPUT_TEXT]),
        ToolRow::new("view", "List", &[]).when(DIRECTORY),
        ToolRow::new("view", "Read", &[PATH]),
        ToolRow::new("save-file", "Write", &[PATH, CONTENT]),
        ToolRow::new(EDITOR, "MultiEdit", &[OPERATION, PATH]).when(EDITS),
        ToolRow::new(EDITOR, "Edit", &[OPERATION, PATH, OLD, NEW]),
        ToolRow::new("remove-files", "Delete", &[]),
        ToolRow::new("web-fetch", "WebFetch", &[]),
        ToolRow::new("web-search", "WebSearch", &[]),
    ],
    normalize: Some(fold_edits),
    restore: Some(unfold_edits),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

const EDITOR: &str = "str-replace-editor";

/// A key of one edit, without its number: Auggie's key and the canonical one.
const EDIT_KEYS: [(&str, &str); 5] = [
    ("old_str_start_line_number_", "start_line"),
    ("old_str_end_line_number_", "end_line"),
    ("old_str_", "old_string"),
    ("new_str_", "new_string"),
    ("insert_line_", "insert_line"),
];

/// A call of an MCP tool. Auggie appends the server's name to the tool's (`search_my-server`); only its
/// metadata, if sent, says where one ends and the other begins.
pub(super) fn mcp_call(native: &str, server: Option<&str>, input: Value) -> ToolCall {
    let with_server = |server: &'_ str| {
        let tool = native.strip_suffix(server)?.strip_suffix('_')?;
        Some((server.to_owned(), tool))
    };
    let split = || native.rsplit_once('_').map(|(t, s)| (s.to_owned(), t));
    let (server, tool) = server
        .and_then(with_server)
        .or_else(split)
        .unwrap_or_else(|| (server.unwrap_or("unknown").to_owned(), native));
    let name = format!("mcp__{server}__{tool}");
    ToolMap::foreign(name, native.to_owned(), input)
}

/// A rewritten input. A server's tool has keys of its own, whatever its name.
pub(super) fn rewritten(event: &Event, updated: &Value) -> Result<RewrittenInput, String> {
    let title = AUGMENT.short_title;
    let Some(call) = event.call() else {
        return Err(format!("{title} takes no rewritten input without a call"));
    };
    let sent = TOOLS.native_input(call, event.raw.get("tool_input"));
    match event.raw.get("is_mcp_tool") {
        Some(Value::Bool(true)) => TOOLS.rewritten_foreign(title, &sent, updated),
        _ => TOOLS.rewritten(title, &call.native_name, &sent, updated),
    }
}

/// Several edits in one call are numbered keys (`old_str_1`, `old_str_2`); as a list they are a canonical
/// `MultiEdit`. A single edit stays as it is. The editor ignores a list that the model wrote itself.
fn fold_edits(native_name: &str, input: &Value) -> Value {
    let (EDITOR, Value::Object(native)) = (native_name, input) else {
        return input.clone();
    };
    let several = native
        .keys()
        .any(|key| numbered(key).is_some_and(|(_, number)| number > 1));
    let mut out = Map::new();
    let mut edits: BTreeMap<usize, Map<String, Value>> = BTreeMap::new();
    for (key, value) in native.iter().filter(|(key, _)| *key != "edits") {
        match numbered(key) {
            Some((word, number)) if several => {
                let edit = edits.entry(number).or_default();
                edit.insert(word.to_owned(), value.clone());
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    if several {
        let edits = edits.into_values().map(Value::Object);
        out.insert("edits".into(), edits.collect());
    }
    Value::Object(out)
}

fn unfold_edits(native_name: &str, mut input: Map<String, Value>) -> Map<String, Value> {
    if native_name != EDITOR {
        return input;
    }
    let Some(Value::Array(edits)) = input.get("edits").cloned() else {
        return input;
    };
    input.shift_remove("edits");
    for (at, edit) in edits.iter().enumerate() {
        for (key, value) in edit.as_object().into_iter().flatten() {
            let known = EDIT_KEYS.iter().find(|(_, ours)| ours == key);
            let native =
                known.map_or_else(|| format!("{key}_"), |(native, _)| (*native).to_owned());
            input.insert(format!("{native}{}", at + 1), value.clone());
        }
    }
    input
}

/// The canonical key for a numbered key, and its number.
fn numbered(key: &str) -> Option<(&'static str, usize)> {
    EDIT_KEYS.iter().find_map(|(native, ours)| {
        let number = key.strip_prefix(native)?.parse().ok()?;
        Some((*ours, number))
    })
}
