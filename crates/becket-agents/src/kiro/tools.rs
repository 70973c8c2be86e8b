//! Translates Kiro's tool calls to canonical keys.

use serde_json::{Map, Value};

use super::TITLE;
use crate::exchange::tools::{
    ExchangeForm, ExchangeKey, ExchangeTool, Vocabulary, When, as_it_was,
};

/// `command` selects the operation of `fs_write`; it is not a shell command.
const WRITE: &[ExchangeKey] = &[
    ExchangeKey("command", "operation", ExchangeForm::Same),
    ExchangeKey("path", "file_path", ExchangeForm::Same),
    ExchangeKey("file_text", "content", ExchangeForm::Same),
    // Used if the model omitted the text.
    ExchangeKey("new_str", "content", ExchangeForm::Same),
];

const EDIT: &[ExchangeKey] = &[
    ExchangeKey("command", "operation", ExchangeForm::Same),
    ExchangeKey("path", "file_path", ExchangeForm::Same),
    ExchangeKey("old_str", "old_string", ExchangeForm::Same),
    ExchangeKey("new_str", "new_string", ExchangeForm::Same),
];

const READ: &[ExchangeKey] = &[
    ExchangeKey("operations", "file_path", ExchangeForm::Each("path")),
    ExchangeKey("path", "file_path", ExchangeForm::Same),
    ExchangeKey("image_paths", "file_path", ExchangeForm::Each("path")),
];

const CREATES: When = When::Is("command", "create");

const fn tool(
    native: &'static str,
    name: &'static str,
    when: When,
    keys: &'static [ExchangeKey],
) -> ExchangeTool {
    ExchangeTool {
        native,
        name,
        when,
        keys,
    }
}

/// The built-in tools under their old and new names.
#[rustfmt::skip]
pub(super) const WORDS: Vocabulary = Vocabulary {
    agent: TITLE,
    tools: &[
        tool("execute_bash", "Bash",  When::Always, &[]),
        tool("execute_cmd",  "Bash",  When::Always, &[]),
        tool("shell",        "Bash",  When::Always, &[]),
        tool("fs_write",     "Write", CREATES,      WRITE),
        tool("fs_write",     "Edit",  When::Always, EDIT),
        tool("write",        "Write", CREATES,      WRITE),
        tool("write",        "Edit",  When::Always, EDIT),
        tool("str_replace",  "Edit",  When::Always, EDIT),
        tool("fs_read",      "Grep",  When::Is("mode", "Search"),    &[]),
        tool("fs_read",      "List",  When::Is("mode", "Directory"), &[]),
        tool("fs_read",      "Read",  When::Always, READ),
        tool("read",         "Grep",  When::Is("mode", "Search"),    &[]),
        tool("read",         "List",  When::Is("mode", "Directory"), &[]),
        tool("read",         "Read",  When::Always, READ),
        tool("delegate",     "Task",  When::Always, &[]),
    ],
    settle,
    restore: as_it_was,
    mcp,
};

/// `@server/tool`.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.strip_prefix('@')?.split_once('/')?;
    Some(format!("mcp__{server}__{tool}"))
}

/// A read is a list of operations: a single one stands for the call itself, several for the files they name.
fn settle(native_name: &str, input: &Value) -> Value {
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
