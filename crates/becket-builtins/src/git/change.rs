//! Reads the changes of a commit from git's output.

use std::path::Path;

use super::repo::GitRepo;
use crate::hook::HookFailure;

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileChange {
    pub(super) kind: ChangeKind,
    pub(super) path: String,
    /// The path before a rename.
    pub(super) old_path: Option<String>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ChangeKind {
    Added,
    #[default]
    Modified,
    Deleted,
    Renamed,
}

/// Larger changes cannot be scanned for secrets and are not committed.
const MAX_DIFF_BYTES: u64 = 64 << 20;

/// Both listings must contain the same files in the same order, whatever the user's configuration is.
const DIFF_ARGS: [&str; 8] = [
    "diff",
    "--cached",
    "--find-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--submodule=short",
];

/// The changes in the index of the repository. `scratch` is a directory for temporary files.
pub(super) fn staged(repo: &GitRepo<'_>, scratch: &Path) -> Result<Vec<FileChange>, HookFailure> {
    let names = diff_output(repo, scratch, &["--name-status", "-z"])?;
    let mut changes = parse_name_status(&names)?;
    let diff = diff_output(
        repo,
        scratch,
        &["--unified=0", "--src-prefix=a/", "--dst-prefix=b/"],
    )?;
    let sections = split_diff(&diff);
    if sections.len() != changes.len() {
        return Err("git's two listings of the change do not match".into());
    }
    for (change, section) in changes.iter_mut().zip(sections) {
        read_lines(change, section);
    }
    Ok(changes)
}

/// Git writes to a file, because the captured output of a child process is limited.
fn diff_output(repo: &GitRepo<'_>, scratch: &Path, more: &[&str]) -> Result<String, HookFailure> {
    let file = scratch.join("diff");
    let mut args: Vec<std::ffi::OsString> = DIFF_ARGS.iter().chain(more).map(Into::into).collect();
    let mut to = std::ffi::OsString::from("--output=");
    to.push(&file);
    args.push(to);
    let finished = repo.run(args)?;
    if !matches!(finished.ending, becket_runner::process::Ending::Exited(0)) {
        let why = super::repo::first_line(&finished.stderr.text());
        return Err(format!("git diff: {why}").into());
    }
    let read = || {
        if file.metadata()?.len() > MAX_DIFF_BYTES {
            return Ok(None);
        }
        std::fs::read(&file).map(Some)
    };
    match read() {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("the change is too large to scan for secrets".into()),
        Err(error) => Err(format!("cannot read the change: {error}").into()),
    }
}

fn parse_name_status(names: &str) -> Result<Vec<FileChange>, HookFailure> {
    let mut words = names.split('\0').filter(|word| !word.is_empty());
    let mut changes = Vec::new();
    while let Some(status) = words.next() {
        let mut name = || {
            let name = words.next().map(str::to_owned);
            name.ok_or_else(|| HookFailure::from("git's list of changes is incomplete"))
        };
        let how = match status.as_bytes().first() {
            Some(b'A') => ChangeKind::Added,
            Some(b'D') => ChangeKind::Deleted,
            Some(b'R') => ChangeKind::Renamed,
            _ => ChangeKind::Modified,
        };
        let from = if status.starts_with(['R', 'C']) {
            Some(name()?)
        } else {
            None
        };
        changes.push(FileChange {
            kind: how,
            old_path: from,
            path: name()?,
            ..FileChange::default()
        });
    }
    Ok(changes)
}

/// Splits a diff into one part per file. Lines of content never start with `d`.
fn split_diff(diff: &str) -> Vec<&str> {
    let mark = "diff --git ";
    let mut starts: Vec<usize> = diff
        .match_indices(&format!("\n{mark}"))
        .map(|(at, _)| at + 1)
        .collect();
    if diff.starts_with(mark) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &diff[*start..end])
        .collect()
}

fn read_lines(change: &mut FileChange, section: &str) {
    let mut in_hunk = false;
    for line in section.split('\n') {
        if line.starts_with("@@ ") {
            in_hunk = true;
        } else if in_hunk && let Some(text) = line.strip_prefix('+') {
            change.added.push(text.to_owned());
        } else if in_hunk && let Some(text) = line.strip_prefix('-') {
            change.removed.push(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_like_content_stays_content() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,3 @@\n+diff --git a/y b/y\n++++ b/y\n+@@ -1 +1 @@\ndiff --git a/z b/z\n@@ -1 +0,0 @@\n-gone\n";
        let parts = split_diff(diff);
        assert_eq!(parts.len(), 2);
        let mut change = FileChange::default();
        read_lines(&mut change, parts[0]);
        assert_eq!(
            change.added,
            ["diff --git a/y b/y", "+++ b/y", "@@ -1 +1 @@"]
        );
        let mut change = FileChange::default();
        read_lines(&mut change, parts[1]);
        assert_eq!(
            (change.added.len(), change.removed),
            (0, vec!["gone".to_owned()])
        );
    }

    #[test]
    fn renames_and_names_with_newlines_are_parsed() {
        let changes = parse_name_status("M\0a\nb\0R087\0old\0new\0A\0c\0D\0d\0").expect("read");
        let seen: Vec<(ChangeKind, &str)> =
            changes.iter().map(|c| (c.kind, c.path.as_str())).collect();
        assert_eq!(
            seen,
            [
                (ChangeKind::Modified, "a\nb"),
                (ChangeKind::Renamed, "new"),
                (ChangeKind::Added, "c"),
                (ChangeKind::Deleted, "d")
            ]
        );
        assert_eq!(changes[1].old_path.as_deref(), Some("old"));
        assert!(parse_name_status("R087\0old\0").is_err());
    }
}
