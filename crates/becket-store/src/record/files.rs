//! Which files a call concerned, and how.

use becket_model::ToolCall;
use serde_json::Value;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Read,
    Created,
    Modified,
    Deleted,
    /// Searched in, listed, or merely mentioned.
    Named,
}

impl Change {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Created => "created",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Named => "named",
        }
    }

    /// Agents' words for a change of a file.
    pub(super) fn parse(word: Option<&str>) -> Self {
        match word {
            Some("create" | "created" | "add" | "added") => Self::Created,
            Some("delete" | "deleted" | "remove" | "removed") => Self::Deleted,
            _ => Self::Modified,
        }
    }
}

/// A file, and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileTouched {
    pub(crate) path: String,
    pub(crate) change: Change,
}

/// The most files that are listed of one call.
const MOST: usize = 200;

/// The files of a call that has run.
pub(super) fn of_call(
    call: &ToolCall,
    response: &Value,
    project: Option<&str>,
) -> Vec<FileTouched> {
    let changes = changes_by(call, response);
    let paths = call.paths();
    let mut files: Vec<FileTouched> = Vec::new();
    for (number, path) in paths.into_iter().enumerate().take(MOST) {
        let path = within(path, project);
        if path.is_empty() || files.iter().any(|file| file.path == path) {
            continue;
        }
        let change = changes.get(number).or(changes.last());
        let change = change.copied().unwrap_or(Change::Named);
        files.push(FileTouched { path, change });
    }
    files
}

fn changes_by(call: &ToolCall, response: &Value) -> Vec<Change> {
    let overwrote = response.get("type").and_then(Value::as_str) == Some("update");
    match call.name.as_str() {
        "Read" => vec![Change::Read],
        "Write" if overwrote => vec![Change::Modified],
        "Write" => vec![Change::Created],
        "Edit" | "MultiEdit" | "NotebookEdit" => vec![Change::Modified],
        "Delete" => vec![Change::Deleted],
        "ApplyPatch" => patched(call),
        _ => Vec::new(),
    }
}

/// The steps of a patch, in the order of its files.
fn patched(call: &ToolCall) -> Vec<Change> {
    let texts = ["patch", "input", "command"];
    let patch = texts.iter().find_map(|key| call.input.get(key)?.as_str());
    let lines = patch.unwrap_or_default().lines().map(str::trim);
    let changes: Vec<Change> = lines
        .filter_map(|line| {
            let step = line.strip_prefix("*** ")?;
            match step.split_once(": ")?.0 {
                "Add File" | "Move to" => Some(Change::Created),
                "Update File" => Some(Change::Modified),
                "Delete File" => Some(Change::Deleted),
                _ => None,
            }
        })
        .collect();
    if changes.is_empty() {
        vec![Change::Modified]
    } else {
        changes
    }
}

/// A path as seen from its project, where it is inside.
pub(super) fn within(path: &str, project: Option<&str>) -> String {
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
    fn a_path_inside_its_project_is_told_from_there() {
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
            assert_eq!(within(path, project), expected, "{path}");
        }
    }

    #[test]
    fn a_patch_tells_what_it_did_to_each_file() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** End Patch";
        let call = ToolCall::new("apply_patch", json!({ "input": patch }));
        let files = of_call(&call, &Value::Null, None);
        let told: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.change))
            .collect();
        let expected = [
            ("a", Change::Created),
            ("b", Change::Modified),
            ("c", Change::Created),
            ("d", Change::Deleted),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_written_over_was_not_created() {
        let call = ToolCall::new("Write", json!({ "file_path": "a", "content": "" }));
        let change = |response: Value| of_call(&call, &response, None)[0].change;
        assert_eq!(change(json!({ "type": "update" })), Change::Modified);
        assert_eq!(change(json!({ "type": "create" })), Change::Created);
        assert_eq!(change(Value::Null), Change::Created);
    }
}
