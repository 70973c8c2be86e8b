//! Translates Cline's tool calls to canonical keys and back.
//!
//! Cline's tools accept an input in many spellings: a list of commands may be a list, one string, an object
//! with arguments, or be under another key. A guard that knows only one spelling could be bypassed with the
//! next, so every spelling is read, and all of them are shown if an input has several.

use becket_model::ToolCall;
use serde_json::{Map, Value, json};

use crate::protocol::ToolMap;
use crate::protocol::tools::{InputTest, KeyForm, KeyRow, ToolRow, UnmentionedKeys};

const PATH: KeyRow = KeyRow::same("path", "file_path");
const NEW_TEXT: KeyRow = KeyRow::same("new_text", "content");
const REGEX: KeyRow = KeyRow::same("regex", "pattern");
const COMMANDS: KeyRow = KeyRow("commands", "command", KeyForm::Script);
const FILES: KeyRow = KeyRow("files", "file_path", KeyForm::Each("path"));
const QUERIES: KeyRow = KeyRow("queries", "pattern", KeyForm::Lines(None));
const REQUESTS: KeyRow = KeyRow("requests", "url", KeyForm::Lines(Some("url")));

const EDIT: &[KeyRow] = &[
    PATH,
    KeyRow::same("old_text", "old_string"),
    KeyRow::same("new_text", "new_string"),
];

const REPLACES: InputTest = InputTest::Has("old_text");
const INSERTS: InputTest = InputTest::Has("insert_line");

/// The tools of command line 3.0.65, then those of older extensions for VS Code.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("run_commands",      "Bash",       &[COMMANDS]),
        ToolRow::new("read_files",        "Read",       &[FILES]),
        ToolRow::new("editor",            "Edit",       EDIT).when(REPLACES),
        ToolRow::new("editor",            "Edit",       EDIT).when(INSERTS),
        ToolRow::new("editor",            "Write",      &[PATH, NEW_TEXT]),
        ToolRow::new("apply_patch",       "ApplyPatch", &[]),
        ToolRow::new("search_codebase",   "Grep",       &[QUERIES]),
        ToolRow::new("fetch_web_content", "WebFetch",   &[REQUESTS]),
        ToolRow::new("execute_command",   "Bash",       &[]),
        ToolRow::new("read_file",         "Read",       &[PATH]),
        ToolRow::new("write_to_file",     "Write",      &[PATH]),
        ToolRow::new("replace_in_file",   "Edit",       &[PATH]),
        ToolRow::new("search_files",      "Grep",       &[REGEX]),
    ],
    normalize: Some(normalize),
    mcp: Some(mcp),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// `server__tool`.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.split_once("__")?;
    (server != "mcp").then(|| format!("mcp__{server}__{tool}"))
}

/// The parameters that VS Code sends as JSON in a string.
const LISTS: &[&str] = &[
    "arguments",
    "commands",
    "file_paths",
    "files",
    "paths",
    "queries",
    "requests",
];

/// Whether a call of this tool without an input would hide what it does.
pub(super) fn is_known(native_name: &str) -> bool {
    TOOLS.tools.iter().any(|tool| tool.native == native_name)
}

/// The call with canonical keys.
pub(super) fn call(native_name: String, input: Value) -> ToolCall {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    // Older extensions call every MCP server through one tool.
    match (&*native_name, text("server_name"), text("tool_name")) {
        ("use_mcp_tool", Some(server), Some(tool)) => {
            let arguments = input.get("arguments").cloned();
            let name = format!("mcp__{server}__{tool}");
            ToolMap::foreign(name, native_name, arguments.unwrap_or_else(|| json!({})))
        }
        _ => TOOLS.call(native_name, input),
    }
}

/// The parameters of a VS Code payload, in which every value is a string, with lists decoded.
pub(super) fn unstring(parameters: &Map<String, Value>) -> Value {
    let value = |key: &String, value: &Value| match value {
        Value::String(text) if LISTS.contains(&key.as_str()) => parsed(text),
        other => other.clone(),
    };
    let members = parameters.iter().map(|(k, v)| (k.clone(), value(k, v)));
    Value::Object(members.collect())
}

/// Decodes JSON if the text is a list or an object, else keeps the text.
fn parsed(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        _ => json!(text),
    }
}

fn normalize(native_name: &str, input: &Value) -> Value {
    match native_name {
        "run_commands" => gathered(input, "commands", &["commands", "cmd"], commands),
        "read_files" => gathered(input, "files", &["files", "file_paths", "paths"], files),
        "search_codebase" => gathered(input, "queries", &["queries"], one),
        "apply_patch" if input.is_string() => json!({ "input": input }),
        _ => input.clone(),
    }
}

/// An input as an object with one list: the values under the keys, and the input itself.
fn gathered(input: &Value, list: &str, keys: &[&str], items: fn(&Value) -> Option<Value>) -> Value {
    let each = |value: &Value| -> Vec<Value> {
        match value {
            Value::Array(values) => values.iter().filter_map(items).collect(),
            value => items(value).into_iter().collect(),
        }
    };
    let Value::Object(object) = input else {
        return match &each(input)[..] {
            [] => input.clone(),
            found => json!({ list: found }),
        };
    };
    let mut found: Vec<Value> = keys
        .iter()
        .filter_map(|key| object.get(*key))
        .flat_map(each)
        .collect();
    found.extend(items(input));
    if found.is_empty() {
        return input.clone();
    }
    let mut out = Map::new();
    out.insert(list.to_owned(), Value::Array(found));
    let rest = object
        .iter()
        .filter(|(key, _)| !keys.contains(&key.as_str()) && !ITSELF.contains(&key.as_str()));
    out.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(out)
}

/// The keys that make an input itself an item.
const ITSELF: &[&str] = &[
    "args",
    "command",
    "end_line",
    "filePath",
    "file_path",
    "path",
    "start_line",
];

/// A command: shell text, or a program with its arguments, quoted for a shell.
fn commands(value: &Value) -> Option<Value> {
    if value.is_string() {
        return Some(value.clone());
    }
    let program = value.get("command")?.as_str()?;
    let Some(arguments) = value.get("args").and_then(Value::as_array) else {
        return Some(json!(program));
    };
    let words = arguments.iter().filter_map(Value::as_str).map(quoted);
    let words: Vec<String> = std::iter::once(quoted(program)).chain(words).collect();
    Some(json!(words.join(" ")))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A file to read: a path, or an object with one under any of three keys.
fn files(value: &Value) -> Option<Value> {
    if value.is_string() {
        return Some(json!({ "path": value }));
    }
    let path = ["path", "file_path", "filePath"]
        .iter()
        .find_map(|key| value.get(key).filter(|path| path.is_string()))?;
    let mut file = json!({ "path": path });
    for key in ["start_line", "end_line"] {
        if let Some(line) = value.get(key) {
            file[key] = line.clone();
        }
    }
    Some(file)
}

fn one(value: &Value) -> Option<Value> {
    value.is_string().then(|| value.clone())
}
