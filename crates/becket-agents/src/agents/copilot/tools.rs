//! Copilot's tools, and rewritten inputs in its keys.

use becket_model::Event;
use serde_json::{Map, Value};

use super::{TITLE, has_own_shape};
use crate::protocol::ToolMap;
use crate::protocol::tools::{KeyRow, RewrittenInput, ToolRow, UnmentionedKeys};

/// The keys of a call's arguments: in Copilot's shape, in the other, at a permission request.
pub(super) const ARGUMENTS: &[&str] = &["toolArgs", "tool_input", "toolInput"];

const PATH: &[KeyRow] = &[KeyRow::same("path", "file_path")];
const WRITE: &[KeyRow] = &[
    KeyRow::same("path", "file_path"),
    KeyRow::same("file_text", "content"),
];
const EDIT: &[KeyRow] = &[
    KeyRow::same("path", "file_path"),
    KeyRow::same("old_str", "old_string"),
    KeyRow::same("new_str", "new_string"),
    KeyRow::same("file_text", "content"),
];
const VS_CODE: &[KeyRow] = &[
    KeyRow::same("filePath", "file_path"),
    KeyRow::same("oldString", "old_string"),
    KeyRow::same("newString", "new_string"),
];

/// Tools whose name or keys differ from the canonical ones. The shape like Claude's renames the tool and keeps
/// the keys. The last rows are VS Code's.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("powershell",             "Bash",  &[]),
        ToolRow::new("view",                   "Read",  PATH),
        ToolRow::new("Read",                   "Read",  PATH),
        ToolRow::new("create",                 "Write", WRITE),
        ToolRow::new("Write",                  "Write", WRITE),
        ToolRow::new("edit",                   "Edit",  EDIT),
        ToolRow::new("Edit",                   "Edit",  EDIT),
        ToolRow::new("str_replace_editor",     "Edit",  EDIT),
        ToolRow::new("rg",                     "Grep",  &[]),
        ToolRow::new("run_in_terminal",        "Bash",  &[]),
        ToolRow::new("read_file",              "Read",  VS_CODE),
        ToolRow::new("create_file",            "Write", VS_CODE),
        ToolRow::new("insert_edit_into_file",  "Edit",  VS_CODE),
        ToolRow::new("replace_string_in_file", "Edit",  VS_CODE),
    ],
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// A rewritten input, unless the arguments are text or VS Code would drop it.
pub(super) fn rewritten(event: &Event, input: &Value) -> Result<RewrittenInput, String> {
    let sent = ARGUMENTS.iter().find_map(|key| event.raw.get(*key));
    if sent.is_some_and(Value::is_string) {
        return Err(format!(
            "{TITLE} takes no rewritten input for arguments that are text"
        ));
    }
    let call = event.call();
    let call = call.ok_or_else(|| format!("{TITLE} takes no rewritten input without a call"))?;
    let native = TOOLS.native_input(call, sent);
    let rewritten = TOOLS.rewritten(TITLE, &call.native_name, &native, input)?;
    let drops = |new| is_vs_code(event) && !fits(&native, new);
    if rewritten.input.as_ref().is_some_and(drops) {
        return Err("VS Code drops a rewritten input that does not fit the tool's schema, as one with other keys or types may not".into());
    }
    Ok(rewritten)
}

/// VS Code's local agent numbers its calls; Copilot does not.
fn is_vs_code(event: &Event) -> bool {
    !has_own_shape(&event.raw) && event.raw.contains_key("tool_use_id")
}

/// Whether an input fits the schema that another one fits: the same keys, with values of the same types.
fn fits(native: &Value, new: &Map<String, Value>) -> bool {
    let native = native.as_object();
    let same = |(key, value): (&String, &Value)| {
        new.get(key)
            .is_some_and(|new| std::mem::discriminant(new) == std::mem::discriminant(value))
    };
    native.is_some_and(|native| native.len() == new.len() && native.iter().all(same))
}
