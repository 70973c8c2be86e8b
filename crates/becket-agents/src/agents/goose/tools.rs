//! Translates Goose's tool calls to canonical keys.
//!
//! Current tool names are bare; older ones have the extension's prefix (`developer__shell`), so both are known.
//! Any other `extension__tool` is an MCP tool, since every extension of Goose is an MCP server.

use crate::protocol::ToolMap;
use crate::protocol::tools::{InputTest, KeyRow, ToolRow, UnmentionedKeys};

const PATH: &[KeyRow] = &[KeyRow::same("path", "file_path")];

const EDIT: &[KeyRow] = &[
    KeyRow::same("path", "file_path"),
    KeyRow::same("before", "old_string"),
    KeyRow::same("after", "new_string"),
];

/// The editor of older versions has four operations, selected by `command`, which is not a shell command.
const TEXT_EDITOR: &[KeyRow] = &[
    KeyRow::same("command", "operation"),
    KeyRow::same("path", "file_path"),
    KeyRow::same("file_text", "content"),
    KeyRow::same("old_str", "old_string"),
    KeyRow::same("new_str", "new_string"),
];

const EDITOR: &str = "developer__text_editor";
const VIEWS: InputTest = InputTest::Is("command", "view");
const WRITES: InputTest = InputTest::Is("command", "write");

/// The built-in tools of client 1.52.0 and of the versions before.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("shell",            "Bash",  &[]),
        ToolRow::new("developer__shell", "Bash",  &[]),
        ToolRow::new("read",             "Read",  PATH),
        ToolRow::new("write",            "Write", PATH),
        ToolRow::new("edit",             "Edit",  EDIT),
        ToolRow::new("tree",             "List",  &[]),
        ToolRow::new("delegate",         "Task",  &[]),
        ToolRow::new(EDITOR,             "Read",  TEXT_EDITOR).when(VIEWS),
        ToolRow::new(EDITOR,             "Write", TEXT_EDITOR).when(WRITES),
        ToolRow::new(EDITOR,             "Edit",  TEXT_EDITOR),
    ],
    mcp: Some(mcp),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// `extension__tool`.
fn mcp(native: &str) -> Option<String> {
    let (extension, tool) = native.split_once("__")?;
    (extension != "mcp").then(|| format!("mcp__{extension}__{tool}"))
}
