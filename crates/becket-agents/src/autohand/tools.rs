//! Autohand's tools: names, keys, and a rewritten input in Autohand's format.

use becket_model::{Event, ToolCall, tool};
use serde_json::{Map, Value, json};

use super::{Autohand, parse};
use crate::kit::tools::{KitKnown, KitShape, as_sent, changes, to_canonical};

/// The key that most tools have.
const PATH: &[(&str, &str)] = &[("path", "file_path")];

const fn shape(
    native: &'static str,
    canonical: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> KitShape {
    KitShape {
        native,
        canonical,
        keys,
    }
}

/// The tools whose name or keys the shared list of aliases does not cover. `apply_patch` takes a unified diff
/// of the one file that it names, so it is an edit of that file.
const SHAPES: &[KitShape] = &[
    shape("run_command", "Bash", &[]),
    shape("shell", "Bash", &[]),
    shape("custom_command", "Bash", &[]),
    shape(
        "write_file",
        "Write",
        &[("path", "file_path"), ("contents", "content")],
    ),
    shape(
        "append_file",
        "Edit",
        &[("path", "file_path"), ("contents", "new_string")],
    ),
    shape("apply_patch", "Edit", PATH),
    shape("search_replace", "Edit", PATH),
    shape("notebook_edit", "NotebookEdit", PATH),
    shape(
        "fff_grep",
        "Grep",
        &[("query", "pattern"), ("path", "file_path")],
    ),
    shape("fff_find", "Glob", &[("query", "pattern")]),
    shape("list_tree", "List", PATH),
    shape("fetch_url", "WebFetch", &[]),
    shape("delegate_task", "Task", &[]),
    shape("delegate_parallel", "Task", &[]),
];

/// Keys that a hook must not change; Autohand would deny the call.
const RESERVED: [&str; 5] = ["type", "tool", "__proto__", "prototype", "constructor"];

/// A call as Autohand names it.
pub(super) fn call(native: String, input: &Map<String, Value>) -> ToolCall {
    let name = shape_of(&native).map_or_else(|| tool::canonical_name(&native), |s| s.canonical);
    let input = canonical(&native, input);
    let name = name.to_owned();
    let mut call = ToolCall::new(native, Value::Object(input));
    call.name = name;
    call
}

/// A rewritten input in Autohand's format: the changed keys, or why it is impossible.
pub(super) fn rewritten(
    event: &Event,
    after: &Value,
) -> Result<Option<Map<String, Value>>, String> {
    let Some(ToolCall {
        native_name: tool,
        input,
        ..
    }) = as_sent(&Autohand, event)
    else {
        return Err("Without a tool there is no input to rewrite".to_owned());
    };
    let before = input.as_object().cloned().unwrap_or_default();
    let native = parse::sent_input(&event.raw).unwrap_or_else(|| before.clone());
    let known = if is_mcp(&tool) {
        KitKnown::All
    } else {
        KitKnown::Canonical
    };
    let Some(mut changed) = changes(keys(&tool), &native, &before, after, known)? else {
        return Ok(None);
    };
    if let Some(key) = RESERVED.iter().find(|key| changed.contains_key(**key)) {
        return Err(format!("Autohand lets no hook change the key `{key}`"));
    }
    if changed.contains_key("file_paths") && !native.contains_key("file_paths") {
        return Err(format!("The paths of {tool} are `from` and `to`"));
    }
    if runs_a_command(&tool) {
        unfold(&mut changed, &native, after);
    }
    Ok(Some(changed))
}

fn shape_of(native: &str) -> Option<&'static KitShape> {
    SHAPES.iter().find(|shape| shape.native == native)
}

fn keys(native: &str) -> &'static [(&'static str, &'static str)] {
    match shape_of(native) {
        Some(shape) => shape.keys,
        None if is_mcp(native) => &[],
        None => PATH,
    }
}

fn is_mcp(native: &str) -> bool {
    native.starts_with("mcp__")
}

fn runs_a_command(native: &str) -> bool {
    shape_of(native).is_some_and(|shape| shape.canonical == "Bash")
}

fn canonical(native: &str, input: &Map<String, Value>) -> Map<String, Value> {
    let mut out = to_canonical(keys(native), input);
    // After a call its input also contains the tool's name.
    if out.get("type").and_then(Value::as_str) == Some(native) {
        out.remove("type");
    }
    if runs_a_command(native) {
        fold(&mut out);
    }
    if matches!(native, "rename_path" | "copy_path") && !out.contains_key("file_paths") {
        let both: Vec<Value> = ["from", "to"]
            .iter()
            .filter_map(|key| out.get(*key).cloned())
            .collect();
        out.insert("file_paths".to_owned(), Value::Array(both));
    }
    out
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
    input.remove("args");
}

/// The rewritten command is the whole line, so remaining arguments would run twice.
fn unfold(changed: &mut Map<String, Value>, native: &Map<String, Value>, after: &Value) {
    let touched = changed.contains_key("command") || changed.contains_key("args");
    if !touched || !(native.contains_key("args") || changed.contains_key("args")) {
        return;
    }
    let args = after.get("args").cloned().unwrap_or_else(|| json!([]));
    if let Some(command) = after.get("command") {
        changed.insert("command".to_owned(), command.clone());
    }
    changed.insert("args".to_owned(), args);
}
