//! The files of a tool call, and what happened to them.

use becket_model::ToolCall;
use serde_json::Value;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChange {
    Read,
    Created,
    Modified,
    Deleted,
    /// Searched, listed or only mentioned.
    Named,
}

impl FileChange {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Created => "created",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Named => "named",
        }
    }

    /// Parses the words that agents use for a change.
    pub(super) fn parse(word: Option<&str>) -> Self {
        match word {
            Some("create" | "created" | "add" | "added") => Self::Created,
            Some("delete" | "deleted" | "remove" | "removed") => Self::Deleted,
            _ => Self::Modified,
        }
    }
}

/// A file of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileTouched {
    pub(crate) path: String,
    pub(crate) change: FileChange,
}

/// The most files that are stored per call.
const MAX_FILES: usize = 200;

/// The files of a completed call.
pub(super) fn of_call(
    call: &ToolCall,
    response: &Value,
    project: Option<&str>,
) -> Vec<FileTouched> {
    let changes = changes_by(call, response);
    let paths = call.paths();
    let mut files: Vec<FileTouched> = Vec::new();
    for (number, path) in paths.into_iter().enumerate().take(MAX_FILES) {
        let path = project_relative(path, project);
        if path.is_empty() || files.iter().any(|file| file.path == path) {
            continue;
        }
        let change = changes.get(number).or(changes.last());
        let change = change.copied().unwrap_or(FileChange::Named);
        files.push(FileTouched { path, change });
    }
    files
}

fn changes_by(call: &ToolCall, response: &Value) -> Vec<FileChange> {
    let overwrote = response.get("type").and_then(Value::as_str) == Some("update");
    match call.name.as_str() {
        "Read" => vec![FileChange::Read],
        "Write" if overwrote => vec![FileChange::Modified],
        "Write" => vec![FileChange::Created],
        "Edit" | "MultiEdit" | "NotebookEdit" => vec![FileChange::Modified],
        "Delete" => vec![FileChange::Deleted],
        "ApplyPatch" => patched(call),
        _ => Vec::new(),
    }
}

/// The changes of a patch, in the order of its files.
fn patched(call: &ToolCall) -> Vec<FileChange> {
    let texts = ["patch", "input", "command"];
    let patch = texts.iter().find_map(|key| call.input.get(key)?.as_str());
    let lines = patch.unwrap_or_default().lines().map(str::trim);
    let changes: Vec<FileChange> = lines
        .filter_map(|line| {
            let step = line.strip_prefix("*** ")?;
            match step.split_once(": ")?.0 {
                "Add File" | "Move to" => Some(FileChange::Created),
                "Update File" => Some(FileChange::Modified),
                "Delete File" => Some(FileChange::Deleted),
                _ => None,
            }
        })
        .collect();
    if changes.is_empty() {
        vec![FileChange::Modified]
    } else {
        changes
    }
}

/// The path relative to the project, if it is inside.
pub(super) fn project_relative(path: &str, project: Option<&str>) -> String {
    let inside = project
        .map(|project| project.trim_end_matches('/'))
        .filter(|project| !project.is_empty())
        .and_then(|project| path.strip_prefix(project))
        .and_then(|rest| rest.strip_prefix('/'));
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn path_inside_the_project_becomes_relative() {
        for (path, project, expected) in [
            (
                "/home/ana/shop/src/a.rs",
                Some("/home/ana/shop"),
                "src/a.rs",
            ),
            ("/home/ana/shop/a.rs", Some("/home/ana/shop/"), "a.rs"),
            (
                "/home/ana/shopping/a.rs",
                Some("/home/ana/shop"),
                "/home/ana/shopping/a.rs",
            ),
            ("./a.rs", Some("/home/ana/shop"), "a.rs"),
            ("/etc/hosts", Some("/"), "/etc/hosts"),
            ("/etc/hosts", None, "/etc/hosts"),
            ("/home/ana/shop", Some("/home/ana/shop"), "/home/ana/shop"),
        ] {
            assert_eq!(project_relative(path, project), expected, "{path}");
        }
    }

    #[test]
    fn patch_changes_are_listed_per_file() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** End Patch";
        let call = ToolCall::new("apply_patch", json!({ "input": patch }));
        let files = of_call(&call, &Value::Null, None);
        let changes_by_path: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.change))
            .collect();
        let expected = [
            ("a", FileChange::Created),
            ("b", FileChange::Modified),
            ("c", FileChange::Created),
            ("d", FileChange::Deleted),
        ];
        assert_eq!(changes_by_path, expected);
    }

    #[test]
    fn overwritten_file_is_modified_not_created() {
        let call = ToolCall::new("Write", json!({ "file_path": "a", "content": "" }));
        let change = |response: Value| of_call(&call, &response, None)[0].change;
        assert_eq!(change(json!({ "type": "update" })), FileChange::Modified);
        assert_eq!(change(json!({ "type": "create" })), FileChange::Created);
        assert_eq!(change(Value::Null), FileChange::Created);
    }
}
