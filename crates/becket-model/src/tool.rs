//! Tool calls: canonical tool names and input keys, together with the agent's own.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::dialect::Dialect;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    /// The canonical name: `Bash Read Write Edit Delete Grep Glob List WebFetch WebSearch Task ApplyPatch`,
    /// `mcp__server__tool`, or the native name if there is no canonical one.
    pub name: String,
    /// Input under canonical keys (`command`, `file_path`, `content`, `old_string`, `new_string`, `url`,
    /// `pattern`).
    pub input: Value,
    /// The agent's own name for the tool.
    pub native_name: String,
    /// The agent's id for this call.
    pub id: Option<String>,
}

/// Whether a tool, by its canonical name, works on the content of files.
pub fn is_file_tool(name: &str) -> bool {
    let names = [
        "Read",
        "Edit",
        "Write",
        "MultiEdit",
        "NotebookEdit",
        "ApplyPatch",
    ];
    names.contains(&name)
}

/// Canonical names and the native names of all agents for the same tool.
const ALIASES: &[(&str, &[&str])] = &[
    (
        "Bash",
        &[
            "run_shell_command",
            "shell",
            "run_command",
            "bash",
            "exec_command",
            "local_shell",
            "execute",
            "execute_command",
            "terminal",
            "custom_command",
        ],
    ),
    (
        "Read",
        &["read_file", "view", "read", "read_many_files", "view_file"],
    ),
    (
        "Write",
        &[
            "write_file",
            "create",
            "write",
            "create_file",
            "write_to_file",
            "append_file",
        ],
    ),
    (
        "Edit",
        &[
            "replace",
            "edit",
            "edit_file",
            "str_replace",
            "str_replace_editor",
            "multiedit",
            "replace_in_file",
            "search_replace",
        ],
    ),
    (
        "Delete",
        &["delete_path", "delete_file", "delete", "remove_file"],
    ),
    (
        "Grep",
        &[
            "grep",
            "grep_search",
            "search_file_content",
            "search_files",
            "grep_files",
            "fff_grep",
        ],
    ),
    ("Glob", &["glob", "find_files", "file_search", "fff_find"]),
    (
        "List",
        &[
            "list_directory",
            "ls",
            "list_dir",
            "list",
            "list_files",
            "list_tree",
        ],
    ),
    ("WebFetch", &["web_fetch", "webfetch", "fetch", "fetch_url"]),
    (
        "WebSearch",
        &["google_web_search", "web_search", "websearch"],
    ),
    (
        "Task",
        &[
            "agent",
            "task",
            "spawn_agent",
            "subagent",
            "invoke_agent",
            "delegate_task",
        ],
    ),
    ("ApplyPatch", &["apply_patch", "applypatch", "patch"]),
];

/// The canonical name of a tool; the name itself where there is none.
pub fn canonical_name(native: &str) -> &str {
    let known = ALIASES.iter().find(|(canonical, aliases)| {
        *canonical == native || aliases.iter().any(|a| a.eq_ignore_ascii_case(native))
    });
    match known {
        // `MultiEdit` and `NotebookEdit` are separate tools in Claude's vocabulary.
        Some((canonical, _)) if !native.eq_ignore_ascii_case("multiedit") => canonical,
        _ => native,
    }
}

/// The names of a canonical tool in a dialect, the usual one first; empty if that is the canonical name or if the
/// agent has no such tool. If an agent has one tool for several canonical ones (Codex patches, Cursor writes), each
/// of them has its name.
pub fn names_in(dialect: Dialect, canonical: &str) -> Vec<Cow<'static, str>> {
    if let Some((server, tool)) = mcp_parts(canonical) {
        let name = match dialect {
            Dialect::Cursor => format!("MCP:{tool}"),
            Dialect::Gemini => format!("mcp_{server}_{tool}"),
            Dialect::Copilot => format!("{server}-{tool}"),
            _ => return Vec::new(),
        };
        return vec![Cow::Owned(name)];
    }
    // Claude's other editing tools are edits in other dialects.
    let canonical = match canonical {
        "MultiEdit" | "NotebookEdit" => "Edit",
        other => other,
    };
    let names = native_names(dialect)
        .iter()
        .find(|(name, _)| *name == canonical)
        .map_or(&[][..], |(_, names)| names);
    names.iter().map(|name| Cow::Borrowed(*name)).collect()
}

/// Splits `mcp__server__tool` into server and tool.
pub fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

type NameTable = &'static [(&'static str, &'static [&'static str])];

fn native_names(dialect: Dialect) -> NameTable {
    match dialect {
        Dialect::Becket | Dialect::Claude | Dialect::CodeAgent | Dialect::ClaudeAgent => &[],
        Dialect::Autohand => &[
            ("Bash", &["run_command", "shell", "custom_command"]),
            ("Read", &["read_file"]),
            ("Write", &["write_file", "append_file"]),
            ("Edit", &["search_replace", "apply_patch", "notebook_edit"]),
            ("Delete", &["delete_path"]),
            ("Grep", &["fff_grep"]),
            ("Glob", &["fff_find"]),
            ("List", &["list_tree"]),
            ("WebFetch", &["fetch_url"]),
            ("WebSearch", &["web_search"]),
            ("Task", &["delegate_task", "delegate_parallel"]),
            ("ApplyPatch", &["apply_patch"]),
        ],
        Dialect::Cursor => &[
            ("Bash", &["Shell"]),
            ("Edit", &["Write"]),
            ("ApplyPatch", &["Write"]),
            ("WebFetch", &["Fetch"]),
        ],
        Dialect::Gemini => &[
            ("Bash", &["run_shell_command"]),
            ("Read", &["read_file", "read_many_files"]),
            ("Write", &["write_file"]),
            ("Edit", &["replace"]),
            ("ApplyPatch", &["replace", "write_file"]),
            ("Grep", &["grep_search"]),
            ("Glob", &["glob"]),
            ("List", &["list_directory"]),
            ("WebFetch", &["web_fetch"]),
            ("WebSearch", &["google_web_search"]),
            ("Task", &["invoke_agent"]),
        ],
        Dialect::Codex => &[
            ("Write", &["apply_patch", "Write", "Edit"]),
            ("Edit", &["apply_patch", "Write", "Edit"]),
            ("Delete", &["apply_patch", "Write", "Edit"]),
            ("ApplyPatch", &["apply_patch", "Write", "Edit"]),
            ("Task", &["spawn_agent", "Agent"]),
        ],
        Dialect::Copilot => &[
            ("Bash", &["bash"]),
            ("Read", &["view"]),
            ("Write", &["create"]),
            ("Edit", &["edit", "str_replace_editor"]),
            ("ApplyPatch", &["apply_patch", "edit", "Edit"]),
            ("Grep", &["grep", "rg"]),
            ("Glob", &["glob"]),
            ("WebFetch", &["web_fetch"]),
            ("WebSearch", &["web_search"]),
            ("Task", &["task", "Agent"]),
        ],
    }
}

impl ToolCall {
    /// A call under its native name, whose input keys are already canonical.
    pub fn new(native_name: impl Into<String>, input: Value) -> Self {
        let native_name = native_name.into();
        Self {
            name: canonical_name(&native_name).to_owned(),
            input,
            native_name,
            id: None,
        }
    }

    /// Sets the agent's id for the call.
    #[must_use]
    pub fn with_id(mut self, id: Option<String>) -> Self {
        self.id = id;
        self
    }

    /// The names a matcher may match: canonical and native.
    pub fn names(&self) -> [&str; 2] {
        [&self.name, &self.native_name]
    }

    /// The tools that a patch stands for, so that a guard of `Write` or `Edit` also applies to patches; all of them
    /// if the patch cannot be parsed. Empty for other tools.
    pub fn stands_for(&self) -> Vec<&'static str> {
        if self.name != "ApplyPatch" {
            return Vec::new();
        }
        let steps = self.patch().into_iter().flat_map(patch_steps);
        let mut tools: Vec<&str> = steps.map(|(tool, _)| tool).collect();
        if tools.is_empty() {
            tools.extend(["Write", "Edit", "Delete"]);
        }
        tools.sort_unstable();
        tools.dedup();
        tools
    }

    /// The text of a patch, for tools that apply one.
    pub(crate) fn patch(&self) -> Option<&str> {
        let keys = ["patch", "input", "command"].iter();
        let mut texts = keys.filter_map(|key| self.input.get(key)?.as_str());
        texts.next().filter(|_| self.name == "ApplyPatch")
    }

    /// The shell command, for tools that run one.
    pub fn command(&self) -> Option<&str> {
        match self.input.get("command")? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The file that the call is about.
    pub fn file_path(&self) -> Option<&str> {
        ["file_path", "path", "notebook_path", "filePath"]
            .iter()
            .find_map(|key| self.input.get(key)?.as_str())
    }

    /// Every file that the call names; for a patch, all that it touches.
    pub fn paths(&self) -> Vec<&str> {
        if let Some(patch) = self.patch() {
            let touched: Vec<&str> = patch_steps(patch).map(|(_, path)| path).collect();
            if !touched.is_empty() {
                return touched;
            }
        }
        let listed = self
            .input
            .get("file_paths")
            .or_else(|| self.input.get("paths"))
            .and_then(Value::as_array);
        self.file_path()
            .into_iter()
            .chain(listed.into_iter().flatten().filter_map(Value::as_str))
            .collect()
    }

    /// The files that the call changes, and how (`create`, `modify`, `delete`), as far as its input shows; each
    /// file once. Empty for tools that change no file.
    pub fn changes(&self) -> Vec<(&str, Option<&'static str>)> {
        let mut changes: Vec<(&str, Option<&'static str>)> = match self.name.as_str() {
            "Write" => self.paths().into_iter().map(|path| (path, None)).collect(),
            "Edit" | "MultiEdit" | "NotebookEdit" => {
                let paths = self.paths().into_iter();
                paths.map(|path| (path, Some("modify"))).collect()
            }
            "Delete" => {
                let paths = self.paths().into_iter();
                paths.map(|path| (path, Some("delete"))).collect()
            }
            "ApplyPatch" => {
                let steps = self.patch().into_iter().flat_map(patch_steps);
                let change = |tool| match tool {
                    "Write" => "create",
                    "Delete" => "delete",
                    _ => "modify",
                };
                steps
                    .map(|(tool, path)| (path, Some(change(tool))))
                    .collect()
            }
            _ => Vec::new(),
        };
        let mut seen = Vec::new();
        changes.retain(|(path, _)| {
            let new = !path.is_empty() && !seen.contains(path);
            seen.push(path);
            new
        });
        changes
    }

    pub(crate) fn write_json(&self, out: &mut Map<String, Value>) {
        out.insert("tool_name".into(), json!(self.name));
        out.insert("tool_input".into(), self.input.clone());
        if self.native_name != self.name {
            out.insert("native_tool_name".into(), json!(self.native_name));
        }
        if let Some(id) = &self.id {
            out.insert("tool_use_id".into(), json!(id));
        }
    }
}

/// The lines of a patch that name a file, and the tool that would make the same change.
const MARKS: [(&str, &str); 4] = [
    ("*** Add File: ", "Write"),
    ("*** Update File: ", "Edit"),
    ("*** Delete File: ", "Delete"),
    ("*** Move to: ", "Write"),
];

/// The steps of a patch: what it does and to which files.
///
/// Like Codex, this accepts blanks before these lines. A line of a file's content may look the same, which makes a
/// guard stricter, never weaker.
fn patch_steps(patch: &str) -> impl Iterator<Item = (&'static str, &str)> {
    patch.lines().filter_map(|line| {
        let line = line.trim();
        let mut marks = MARKS.iter();
        marks.find_map(|&(mark, tool)| Some((tool, line.strip_prefix(mark)?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_list_the_files_they_change() {
        let changes = |name: &str, input: Value| {
            let call = ToolCall::new(name, input);
            let changes = call.changes().into_iter();
            let changes = changes.map(|(path, how)| format!("{path} {}", how.unwrap_or("?")));
            changes.collect::<Vec<_>>().join(", ")
        };
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** Update File: b\n*** End Patch";
        for (name, input, expected) in [
            ("Write", json!({ "file_path": "a" }), "a ?"),
            ("Edit", json!({ "file_path": "a" }), "a modify"),
            ("Delete", json!({ "path": "a" }), "a delete"),
            (
                "ApplyPatch",
                json!({ "patch": patch }),
                "a create, b modify, c create, d delete",
            ),
            ("ApplyPatch", json!({ "patch": "nonsense" }), ""),
            ("Read", json!({ "file_path": "a" }), ""),
            ("Bash", json!({ "command": "touch a" }), ""),
            ("Write", json!({}), ""),
            ("Write", json!({ "file_path": "" }), ""),
        ] {
            assert_eq!(changes(name, input.clone()), expected, "{name} {input}");
        }
    }

    #[test]
    fn native_names_map_to_canonical_ones() {
        for (native, canonical) in [
            ("Bash", "Bash"),
            ("run_shell_command", "Bash"),
            ("Shell", "Bash"),
            ("Agent", "Task"),
            ("apply_patch", "ApplyPatch"),
            ("write_file", "Write"),
            ("MultiEdit", "MultiEdit"),
            ("mcp__github__search", "mcp__github__search"),
        ] {
            assert_eq!(canonical_name(native), canonical, "{native}");
        }
    }

    #[test]
    fn canonical_names_map_back_to_each_dialects_own() {
        for (dialect, canonical, expected) in [
            (Dialect::Cursor, "Bash", "Shell"),
            (Dialect::Cursor, "Edit", "Write"),
            (Dialect::Cursor, "MultiEdit", "Write"),
            (Dialect::Cursor, "mcp__github__search", "MCP:search"),
            (Dialect::Gemini, "Edit", "replace"),
            (Dialect::Gemini, "mcp__github__a__b", "mcp_github_a__b"),
            (Dialect::Codex, "Write", "apply_patch"),
            (Dialect::Copilot, "Read", "view"),
            (Dialect::Copilot, "mcp__gh__x", "gh-x"),
            (Dialect::Autohand, "Bash", "run_command"),
        ] {
            assert_eq!(
                names_in(dialect, canonical).first().map(|name| &**name),
                Some(expected),
                "{dialect:?} {canonical}"
            );
        }
        for (dialect, same) in [
            (Dialect::Claude, "Bash"),
            (Dialect::Codex, "Bash"),
            (Dialect::Codex, "mcp__a__b"),
            (Dialect::Gemini, "TodoWrite"),
            (Dialect::Gemini, "mcp__broken"),
        ] {
            assert_eq!(names_in(dialect, same), [""; 0], "{dialect:?} {same}");
        }
    }

    #[test]
    fn dialect_tool_names_are_aliases() {
        for dialect in Dialect::ALL {
            for (canonical, names) in native_names(dialect) {
                let usual = canonical_name(names[0]);
                // One native tool may cover several canonical ones.
                let shared = matches!(usual, "Write" | "Edit" | "ApplyPatch");
                assert!(usual == *canonical || shared, "{dialect:?} {canonical}");
            }
        }
    }

    #[test]
    fn a_patch_names_every_file_it_touches() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n*** Delete File: d.rs\n*** End Patch\n";
        let call = ToolCall::new("apply_patch", json!({ "command": patch }));
        assert_eq!(call.paths(), ["a.rs", "b.rs", "c.rs", "d.rs"]);
    }

    #[test]
    fn a_patch_stands_for_the_tools_that_would_have_done_the_same() {
        for (patch, expected) in [
            ("*** Add File: a", &["Write"][..]),
            ("*** Update File: a\n*** Add File: b", &["Edit", "Write"]),
            ("*** Update File: a\n*** Move to: b", &["Edit", "Write"]),
            ("*** Delete File: a", &["Delete"]),
            ("--- a\n+++ b", &["Delete", "Edit", "Write"]),
        ] {
            let call = ToolCall::new("apply_patch", json!({ "command": patch }));
            assert_eq!(call.stands_for(), expected, "{patch}");
        }
        let shell = ToolCall::new("Bash", json!({ "command": "*** Add File: a" }));
        assert_eq!(shell.stands_for(), [""; 0]);
    }

    #[test]
    fn blanks_before_the_lines_of_a_patch_hide_no_file() {
        let patch = "*** Begin Patch\n \t*** Add File: .env\n+x\n*** End Patch";
        let call = ToolCall::new("apply_patch", json!({ "command": patch }));
        assert_eq!(call.paths(), [".env"]);
    }
}
