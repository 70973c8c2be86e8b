//! What a tool does, by its name.

/// What a tool does to the paths it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Names and sizes, no content.
    Look,
    Read,
    Write,
    Edit,
    Delete,
    Copy,
    Move,
    Upload,
    /// The name does not tell.
    Unknown,
}

impl Action {
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Unknown)
    }
}

/// The action of a tool under its canonical name, or of an MCP tool by the words of its name.
pub(super) fn of(tool: &str) -> Action {
    match tool {
        "Read" | "NotebookRead" => return Action::Read,
        "Write" => return Action::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => return Action::Edit,
        "Delete" => return Action::Delete,
        _ => {}
    }
    let own_name = tool
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .map_or(tool, |(_, name)| name);
    // The first verb decides: `read_and_delete` is not a name that anybody gives, `create_directory` is.
    let words = words(own_name);
    let action = words.iter().find_map(|word| by_verb(word));
    let about_directories = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "directory" | "directories" | "dir" | "folder"
        )
    });
    match action {
        Some(Action::Read | Action::Write) if about_directories => Action::Look,
        Some(action) => action,
        None => Action::Unknown,
    }
}

fn by_verb(word: &str) -> Option<Action> {
    Some(match word {
        "delete" | "remove" | "rm" | "unlink" | "trash" | "erase" | "destroy" | "rmdir" => {
            Action::Delete
        }
        "move" | "rename" | "mv" => Action::Move,
        "copy" | "cp" | "duplicate" | "clone" => Action::Copy,
        "upload" | "send" | "attach" | "share" | "publish" => Action::Upload,
        "edit" | "update" | "append" | "insert" | "replace" | "patch" | "modify" | "change" => {
            Action::Edit
        }
        "write" | "create" | "save" | "put" | "download" | "export" | "generate" | "touch"
        | "set" => Action::Write,
        "list" | "ls" | "glob" | "stat" | "info" | "exists" | "tree" | "find" | "mkdir"
        | "search" | "locate" | "symbols" | "diagnostics" | "watch" => Action::Look,
        "read" | "get" | "view" | "open" | "cat" | "load" | "show" | "fetch" | "head" | "tail"
        | "grep" | "parse" | "convert" | "query" | "preview" | "display" | "print" => Action::Read,
        _ => return None,
    })
}

/// `readTextFile`, `read_text_file`, `read-text-file` as words in lower case.
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
    fn a_tools_name_says_what_it_does() {
        for (tool, expected) in [
            ("Read", Action::Read),
            ("MultiEdit", Action::Edit),
            ("mcp__fs__read_file", Action::Read),
            ("mcp__fs__readTextFile", Action::Read),
            ("mcp__fs__write-file", Action::Write),
            ("mcp__fs__create_directory", Action::Look),
            ("mcp__fs__list_directory", Action::Look),
            ("mcp__fs__move_file", Action::Move),
            ("mcp__fs__get_file_info", Action::Read),
            ("mcp__fs__delete_file", Action::Delete),
            ("mcp__slack__upload_file", Action::Upload),
            ("mcp__x__frobnicate", Action::Unknown),
            ("mcp__delete__read_file", Action::Read),
        ] {
            assert_eq!(of(tool), expected, "{tool}");
        }
    }
}
