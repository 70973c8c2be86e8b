//! Translates Goose's tool calls to canonical keys.
//!
//! Current tool names are bare; older ones have the extension's prefix (`developer__shell`), so both are known.
//! Any other `extension__tool` is an MCP tool, since every extension of Goose is an MCP server.

use super::TITLE;
use crate::exchange::tools::{
    ExchangeForm, ExchangeKey, ExchangeTool, Vocabulary, When, as_it_is, as_it_was,
};

const EDIT: &[ExchangeKey] = &[
    ExchangeKey("path", "file_path", ExchangeForm::Same),
    ExchangeKey("before", "old_string", ExchangeForm::Same),
    ExchangeKey("after", "new_string", ExchangeForm::Same),
];

/// The editor of older versions has four operations, selected by `command`, which is not a shell command.
const TEXT_EDITOR: &[ExchangeKey] = &[
    ExchangeKey("command", "operation", ExchangeForm::Same),
    ExchangeKey("path", "file_path", ExchangeForm::Same),
    ExchangeKey("file_text", "content", ExchangeForm::Same),
    ExchangeKey("old_str", "old_string", ExchangeForm::Same),
    ExchangeKey("new_str", "new_string", ExchangeForm::Same),
];

const PATH: &[ExchangeKey] = &[ExchangeKey("path", "file_path", ExchangeForm::Same)];

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

/// The built-in tools of client 1.52.0 and of the versions before.
pub(super) const WORDS: Vocabulary = Vocabulary {
    agent: TITLE,
    tools: &[
        tool("shell", "Bash", When::Always, &[]),
        tool("developer__shell", "Bash", When::Always, &[]),
        tool("read", "Read", When::Always, PATH),
        tool("write", "Write", When::Always, PATH),
        tool("edit", "Edit", When::Always, EDIT),
        tool("tree", "List", When::Always, &[]),
        tool("delegate", "Task", When::Always, &[]),
        tool(
            "developer__text_editor",
            "Read",
            When::Is("command", "view"),
            TEXT_EDITOR,
        ),
        tool(
            "developer__text_editor",
            "Write",
            When::Is("command", "write"),
            TEXT_EDITOR,
        ),
        tool("developer__text_editor", "Edit", When::Always, TEXT_EDITOR),
    ],
    settle: as_it_is,
    restore: as_it_was,
    mcp: |native| {
        let (extension, tool) = native.split_once("__")?;
        (extension != "mcp").then(|| format!("mcp__{extension}__{tool}"))
    },
};
