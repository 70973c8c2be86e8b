//! Derives a tool's action from its name.

/// The action of a tool on the paths it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolAction {
    /// Reads names and sizes, no content.
    Inspect,
    Read,
    Write,
    Edit,
    Delete,
    Copy,
    Move,
    Upload,
    /// The name does not reveal the action.
    Unknown,
}

impl ToolAction {
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Unknown)
    }
}

/// The action of a tool by its canonical name, or of an MCP tool by the words of its name.
pub(super) fn of(tool: &str) -> ToolAction {
    match tool {
        "Read" | "NotebookRead" => return ToolAction::Read,
        "Write" => return ToolAction::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => return ToolAction::Edit,
        "Delete" => return ToolAction::Delete,
        _ => {}
    }
    let own_name = tool
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .map_or(tool, |(_, name)| name);
    // The first verb decides: tools are named `create_directory`, not `read_and_delete`.
    let words = words(own_name);
    let action = words.iter().find_map(|word| by_verb(word));
    let about_directories = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "directory" | "directories" | "dir" | "folder"
        )
    });
    match action {
        Some(ToolAction::Read | ToolAction::Write) if about_directories => ToolAction::Inspect,
        Some(action) => action,
        None => ToolAction::Unknown,
    }
}

fn by_verb(word: &str) -> Option<ToolAction> {
    Some(match word {
        "delete" | "remove" | "rm" | "unlink" | "trash" | "erase" | "destroy" | "rmdir" => {
            ToolAction::Delete
        }
        "move" | "rename" | "mv" => ToolAction::Move,
        "copy" | "cp" | "duplicate" | "clone" => ToolAction::Copy,
        "upload" | "send" | "attach" | "share" | "publish" => ToolAction::Upload,
        "edit" | "update" | "append" | "insert" | "replace" | "patch" | "modify" | "change" => {
            ToolAction::Edit
        }
        "write" | "create" | "save" | "put" | "download" | "export" | "generate" | "touch"
        | "set" => ToolAction::Write,
        "list" | "ls" | "glob" | "stat" | "info" | "exists" | "tree" | "find" | "mkdir"
        | "search" | "locate" | "symbols" | "diagnostics" | "watch" => ToolAction::Inspect,
        "read" | "get" | "view" | "open" | "cat" | "load" | "show" | "fetch" | "head" | "tail"
        | "grep" | "parse" | "convert" | "query" | "preview" | "display" | "print" => {
            ToolAction::Read
        }
        _ => return None,
    })
}

/// Splits `readTextFile`, `read_text_file` and `read-text-file` into lower-case words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars().take(128) {
        let starts = c.is_ascii_uppercase() && was_lower;
        was_lower = c.is_ascii_lowercase();
        if starts || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            last.push(c.to_ascii_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_map_to_actions() {
        for (tool, expected) in [
            ("Read", ToolAction::Read),
            ("MultiEdit", ToolAction::Edit),
            ("mcp__fs__read_file", ToolAction::Read),
            ("mcp__fs__readTextFile", ToolAction::Read),
            ("mcp__fs__write-file", ToolAction::Write),
            ("mcp__fs__create_directory", ToolAction::Inspect),
            ("mcp__fs__list_directory", ToolAction::Inspect),
            ("mcp__fs__move_file", ToolAction::Move),
            ("mcp__fs__get_file_info", ToolAction::Read),
            ("mcp__fs__delete_file", ToolAction::Delete),
            ("mcp__slack__upload_file", ToolAction::Upload),
            ("mcp__x__frobnicate", ToolAction::Unknown),
            ("mcp__delete__read_file", ToolAction::Read),
        ] {
            assert_eq!(of(tool), expected, "{tool}");
        }
    }
}
