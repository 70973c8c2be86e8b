//! Goose's tools in our words.
//!
//! Names are bare nowadays and had the extension's before (`developer__shell`), so both are known.
//! Any other `extension__tool` is a tool of an MCP server, for every extension of Goose is one.

use super::TITLE;
use crate::exchange::tools::{Form, Key, Tool, Vocabulary, When, as_it_is, as_it_was};

const EDIT: &[Key] = &[
    Key("path", "file_path", Form::Same),
    Key("before", "old_string", Form::Same),
    Key("after", "new_string", Form::Same),
];

/// The editor of older versions does four things, told apart by `command`, which is no command.
const TEXT_EDITOR: &[Key] = &[
    Key("command", "operation", Form::Same),
    Key("path", "file_path", Form::Same),
    Key("file_text", "content", Form::Same),
    Key("old_str", "old_string", Form::Same),
    Key("new_str", "new_string", Form::Same),
];

const PATH: &[Key] = &[Key("path", "file_path", Form::Same)];

const fn tool(native: &'static str, name: &'static str, when: When, keys: &'static [Key]) -> Tool {
    Tool {
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
