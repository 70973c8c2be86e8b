//! Translates Auggie's tool calls to canonical keys and back.

use std::collections::BTreeMap;

use becket_model::ToolCall;
use serde_json::{Map, Value};

use super::TITLE;
use crate::exchange::tools::{ExchangeForm, ExchangeKey, ExchangeTool, Vocabulary, When};

const PATH: ExchangeKey = ExchangeKey("path", "file_path", ExchangeForm::Same);

/// `command` selects the editor's operation; it is not a shell command.
const OPERATION: ExchangeKey = ExchangeKey("command", "operation", ExchangeForm::Same);

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

/// The tools of client 0.36.0. Input for a running process is treated as a command: the process may be a
/// shell.
pub(super) const WORDS: Vocabulary = Vocabulary {
    agent: TITLE,
    tools: &[
        tool("launch-process", "Bash", When::Always, &[]),
        tool(
            "write-process",
            "Bash",
            When::Always,
            &[ExchangeKey("input_text", "command", ExchangeForm::Same)],
        ),
        tool("view", "List", When::Is("type", "directory"), &[]),
        tool("view", "Read", When::Always, &[PATH]),
        tool(
            "save-file",
            "Write",
            When::Always,
            &[
                PATH,
                ExchangeKey("file_content", "content", ExchangeForm::Same),
            ],
        ),
        tool(EDITOR, "MultiEdit", When::Has("edits"), &[OPERATION, PATH]),
        tool(
            EDITOR,
            "Edit",
            When::Always,
            &[
                OPERATION,
                PATH,
                ExchangeKey("old_str_1", "old_string", ExchangeForm::Same),
                ExchangeKey("new_str_1", "new_string", ExchangeForm::Same),
            ],
        ),
        tool("remove-files", "Delete", When::Always, &[]),
        tool("web-fetch", "WebFetch", When::Always, &[]),
        tool("web-search", "WebSearch", When::Always, &[]),
    ],
    settle: fold_edits,
    restore: unfold_edits,
    mcp: |_| None,
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
pub(super) fn mcp_call(native: &str, server: Option<&str>, input: &Value) -> ToolCall {
    let with_server = |server: &'_ str| {
        let tool = native.strip_suffix(server)?.strip_suffix('_')?;
        Some((server.to_owned(), tool))
    };
    let split = || native.rsplit_once('_').map(|(t, s)| (s.to_owned(), t));
    let (server, tool) = server
        .and_then(with_server)
        .or_else(split)
        .unwrap_or_else(|| (server.unwrap_or("unknown").to_owned(), native));
    Vocabulary::foreign(format!("mcp__{server}__{tool}"), native, input)
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
