//! Autohand's tools: names, keys, and a rewritten input in Autohand's format.

use becket_model::{Event, ToolCall};
use serde_json::{Map, Value, json};

use super::AUTOHAND;
use crate::protocol::ToolMap;
use crate::protocol::tools::{KeyRow, RewrittenInput, ToolRow, UnmentionedKeys};

/// The key that most tools have.
const PATH: &[KeyRow] = &[KeyRow::same("path", "file_path")];

/// The tools whose name or keys the shared list of aliases does not cover. `apply_patch` takes a unified diff
/// of the one file that it names, so it is an edit of that file.
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("run_command", "Bash", &[]),
        ToolRow::new("shell", "Bash", &[]),
        ToolRow::new("custom_command", "Bash", &[]),
        ToolRow::new(
            "write_file",
            "Write",
            &[
                KeyRow::same("path", "file_path"),
                KeyRow::same("contents", "content"),
            ],
        ),
        ToolRow::new(
            "append_file",
            "Edit",
            &[
                KeyRow::same("path", "file_path"),
                KeyRow::same("contents", "new_string"),
            ],
        ),
        ToolRow::new("apply_patch", "Edit", PATH),
        ToolRow::new("search_replace", "Edit", PATH),
        ToolRow::new("notebook_edit", "NotebookEdit", PATH),
        ToolRow::new(
            "fff_grep",
            "Grep",
            &[
                KeyRow::same("query", "pattern"),
                KeyRow::same("path", "file_path"),
            ],
        ),
        ToolRow::new("fff_find", "Glob", &[KeyRow::same("query", "pattern")]),
        ToolRow::new("list_tree", "List", PATH),
        ToolRow::new("fetch_url", "WebFetch", &[]),
        ToolRow::new("delegate_task", "Task", &[]),
        ToolRow::new("delegate_parallel", "Task", &[]),
    ],
    other_keys: PATH,
    normalize: Some(normal),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// Keys that a hook must not change; Autohand would deny the call.
const RESERVED: [&str; 5] = ["type", "tool", "__proto__", "prototype", "constructor"];

/// A call as Autohand names it. A tool of a server has keys of its own.
pub(super) fn call(native_name: String, input: Value) -> ToolCall {
    if !is_mcp(&native_name) {
        return TOOLS.call(native_name, input);
    }
    let input = normal(&native_name, &input);
    ToolMap::foreign(native_name.clone(), native_name, input)
}

/// The changed keys of a rewritten input.
pub(super) fn rewritten(event: &Event, updated: &Value) -> Result<RewrittenInput, String> {
    let title = AUTOHAND.short_title;
    let Some(call) = AUTOHAND.sent_call(event) else {
        return Err(format!("{title} takes no rewritten input without a call"));
    };
    let tool = call.native_name.as_str();
    let sent = TOOLS.native_input(&call, event.raw.get("tool_input"));
    let mut rewritten = if is_mcp(tool) {
        ToolMap::CANONICAL.rewritten_foreign(title, &sent, updated)?
    } else {
        TOOLS.rewritten(title, tool, &sent, updated)?
    };
    let sent = sent.as_object().cloned().unwrap_or_default();
    if let Some(input) = &mut rewritten.input {
        restore(tool, &sent, updated, input)?;
    }
    let mut changes = rewritten.merged(title, &sent)?;
    changes.input = changes.input.filter(|input| !input.is_empty());
    let touched = |key: &&&str| {
        changes
            .input
            .as_ref()
            .is_some_and(|input| input.contains_key(**key))
    };
    match RESERVED.iter().find(touched) {
        Some(key) => Err(format!("{title} lets no hook change the key `{key}`")),
        None => Ok(changes),
    }
}

fn is_mcp(tool: &str) -> bool {
    tool.starts_with("mcp__")
}

fn runs_a_command(tool: &str) -> bool {
    matches!(tool, "run_command" | "shell" | "custom_command")
}

/// An input as a guard has to see it: with the whole command line and with all paths.
fn normal(tool: &str, input: &Value) -> Value {
    let Value::Object(input) = input else {
        return input.clone();
    };
    let mut out = input.clone();
    // After a call its input also contains the tool's name.
    if out.get("type").and_then(Value::as_str) == Some(tool) {
        out.shift_remove("type");
    }
    if runs_a_command(tool) {
        fold(&mut out);
    }
    if let Some(both) = both_paths(tool, input) {
        out.insert("file_paths".to_owned(), both);
    }
    Value::Object(out)
}

/// Autohand joins the command and its arguments with spaces: a guard that saw only the command would take
/// `rm` for harmless.
fn fold(input: &mut Map<String, Value>) {
    let (Some(Value::String(command)), Some(Value::Array(args))) =
        (input.get("command"), input.get("args"))
    else {
        return;
    };
    let words = args.iter().map(|arg| match arg {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    });
    let line: Vec<String> = [command.clone()].into_iter().chain(words).collect();
    let line = line.join(" ").trim().to_owned();
    input.insert("command".to_owned(), Value::String(line));
    input.shift_remove("args");
}

/// The paths of a tool that has two.
fn both_paths(tool: &str, input: &Map<String, Value>) -> Option<Value> {
    let two = matches!(tool, "rename_path" | "copy_path") && !input.contains_key("file_paths");
    let keys = ["from", "to"].iter();
    two.then(|| keys.filter_map(|key| input.get(*key).cloned()).collect())
}

/// Undoes [`normal`] in a rewritten input.
fn restore(
    tool: &str,
    sent: &Map<String, Value>,
    updated: &Value,
    input: &mut Map<String, Value>,
) -> Result<(), String> {
    if let Some(name) = sent.get("type") {
        input.entry("type").or_insert_with(|| name.clone());
    }
    if let Some(both) = both_paths(tool, sent)
        && input
            .shift_remove("file_paths")
            .is_some_and(|paths| paths != both)
    {
        return Err(format!("The paths of {tool} are `from` and `to`"));
    }
    if runs_a_command(tool) && sent.contains_key("args") {
        unfold(sent, updated, input);
    }
    Ok(())
}

/// A rewritten command is the whole line, so the arguments that were sent would run twice.
fn unfold(sent: &Map<String, Value>, updated: &Value, input: &mut Map<String, Value>) {
    let mut line = sent.clone();
    fold(&mut line);
    let args = updated.get("args");
    let stays = args.is_none() && input.get("command") == line.get("command");
    let args = args.cloned().unwrap_or_else(|| json!([]));
    input.insert("args".to_owned(), args);
    for key in ["command", "args"].iter().filter(|_| stays) {
        if let Some(value) = sent.get(*key) {
            input.insert((*key).to_owned(), value.clone());
        }
    }
}
