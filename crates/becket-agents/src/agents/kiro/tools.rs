//! Translates Kiro's tool calls to canonical keys.

use serde_json::{Map, Value};

use crate::protocol::ToolMap;
use crate::protocol::tools::{InputTest, KeyForm, KeyRow, ToolRow, UnmentionedKeys};

/// `command` selects the operation of `fs_write`; it is not a shell command.
const WRITE: &[KeyRow] = &[
    KeyRow::same("command", "operation"),
    KeyRow::same("path", "file_path"),
    KeyRow::same("file_text", "content"),
    // Used if the model omitted the text.
    KeyRow::same("new_str", "content"),
];

const EDIT: &[KeyRow] = &[
    KeyRow::same("command", "operation"),
    KeyRow::same("path", "file_path"),
    KeyRow::same("old_str", "old_string"),
    KeyRow::same("new_str", "new_string"),
];

const READ: &[KeyRow] = &[
    KeyRow("operations", "file_path", KeyForm::Each("path")),
    KeyRow::same("path", "file_path"),
    KeyRow("image_paths", "file_path", KeyForm::Each("path")),
];

const CREATES: InputTest = InputTest::Is("command", "create");
const SEARCHES: InputTest = InputTest::Is("mode", "Search");
const LISTS: InputTest = InputTest::Is("mode", "Directory");

/// The built-in tools under their old and new names.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("execute_bash", "Bash",  &[]),
        ToolRow::new("execute_cmd",  "Bash",  &[]),
        ToolRow::new("shell",        "Bash",  &[]),
        ToolRow::new("fs_write",     "Write", WRITE).when(CREATES),
        ToolRow::new("fs_write",     "Edit",  EDIT),
        ToolRow::new("write",        "Write", WRITE).when(CREATES),
        ToolRow::new("write",        "Edit",  EDIT),
        ToolRow::new("str_replace",  "Edit",  EDIT),
        ToolRow::new("fs_read",      "Grep",  &[]).when(SEARCHES),
        ToolRow::new("fs_read",      "List",  &[]).when(LISTS),
        ToolRow::new("fs_read",      "Read",  READ),
        ToolRow::new("read",         "Grep",  &[]).when(SEARCHES),
        ToolRow::new("read",         "List",  &[]).when(LISTS),
        ToolRow::new("read",         "Read",  READ),
        ToolRow::new("delegate",     "Task",  &[]),
    ],
    normalize: Some(normalize),
    mcp: Some(mcp),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// `@server/tool`.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.strip_prefix('@')?.split_once('/')?;
    Some(format!("mcp__{server}__{tool}"))
}

/// A read is a list of operations: a single one stands for the call itself, several for the files they name.
fn normalize(native_name: &str, input: &Value) -> Value {
    let ("fs_read" | "read", Some(Value::Array(operations))) =
        (native_name, input.get("operations"))
    else {
        return input.clone();
    };
    let mut out = input.as_object().cloned().unwrap_or_default();
    // With operations the tool reads none of these, so they are ignored.
    out.retain(|key, _| !matches!(key.as_str(), "mode" | "path" | "image_paths" | "pattern"));
    match &operations[..] {
        [Value::Object(one)] => {
            out.shift_remove("operations");
            out.extend(one.clone());
        }
        several => {
            let paths: Vec<Value> = several.iter().flat_map(paths).collect();
            out.insert("operations".into(), Value::Array(paths));
        }
    }
    Value::Object(out)
}

fn paths(operation: &Value) -> Vec<Value> {
    let none = Map::new();
    let operation = operation.as_object().unwrap_or(&none);
    let images = operation.get("image_paths").and_then(Value::as_array);
    let path = operation.get("path");
    path.into_iter()
        .chain(images.into_iter().flatten())
        .cloned()
        .collect()
}
