//! Kiro's tools in our words.

use serde_json::{Map, Value};

use super::TITLE;
use crate::exchange::tools::{Form, Key, Tool, Vocabulary, When, as_it_was};

/// What `fs_write` does is told by `command`, which is no command.
const WRITE: &[Key] = &[
    Key("command", "operation", Form::Same),
    Key("path", "file_path", Form::Same),
    Key("file_text", "content", Form::Same),
    // Taken in place of a text that the model forgot.
    Key("new_str", "content", Form::Same),
];

const EDIT: &[Key] = &[
    Key("command", "operation", Form::Same),
    Key("path", "file_path", Form::Same),
    Key("old_str", "old_string", Form::Same),
    Key("new_str", "new_string", Form::Same),
];

const READ: &[Key] = &[
    Key("operations", "file_path", Form::Each("path")),
    Key("path", "file_path", Form::Same),
    Key("image_paths", "file_path", Form::Each("path")),
];

const CREATES: When = When::Is("command", "create");

const fn tool(native: &'static str, name: &'static str, when: When, keys: &'static [Key]) -> Tool {
    Tool {
        native,
        name,
        when,
        keys,
    }
}

/// The built-in tools under their old names and under those of later versions.
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

/// A read is a list of operations: one stands for the call itself, several for the files that they
/// name.
fn settle(native_name: &str, input: &Value) -> Value {
    let ("fs_read" | "read", Some(Value::Array(operations))) =
        (native_name, input.get("operations"))
    else {
        return input.clone();
    };
    let mut out = input.as_object().cloned().unwrap_or_default();
    // Beside its operations the tool reads none of these, so none may speak for it.
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
