//! What a commit would change, read from git's own words.

use std::path::Path;

use super::repo::Repo;
use crate::hook::Trouble;

/// One file of a commit to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Change {
    pub(super) how: How,
    pub(super) path: String,
    /// What it was called before.
    pub(super) from: Option<String>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum How {
    Added,
    #[default]
    Modified,
    Deleted,
    Renamed,
}

/// A change beyond this size is not looked through, and so not committed.
const LARGEST: u64 = 64 << 20;

/// Both listings must see the same files in the same order, whatever the person's configuration says.
const DIFF: [&str; 8] = [
    "diff",
    "--cached",
    "--find-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--submodule=short",
];

/// The changes in the repository's index. `scratch` is a directory for a file of any size.
pub(super) fn staged(repo: &Repo<'_>, scratch: &Path) -> Result<Vec<Change>, Trouble> {
    let names = output(repo, scratch, &["--name-status", "-z"])?;
    let mut changes = entries(&names)?;
    let diff = output(
        repo,
        scratch,
        &["--unified=0", "--src-prefix=a/", "--dst-prefix=b/"],
    )?;
    let sections = sections(&diff);
    if sections.len() != changes.len() {
        return Err("git's two listings of the change differ".into());
    }
    for (change, section) in changes.iter_mut().zip(sections) {
        read_lines(change, section);
    }
    Ok(changes)
}

/// Git writes to a file, because what a child prints is kept only up to a limit.
fn output(repo: &Repo<'_>, scratch: &Path, more: &[&str]) -> Result<String, Trouble> {
    let file = scratch.join("diff");
    let mut args: Vec<std::ffi::OsString> = DIFF.iter().chain(more).map(Into::into).collect();
    let mut to = std::ffi::OsString::from("--output=");
    to.push(&file);
    args.push(to);
    let finished = repo.run(args)?;
    if !matches!(finished.ending, becket_runner::process::Ending::Exited(0)) {
        let why = super::repo::first_line(&finished.stderr.text());
        return Err(format!("git diff: {why}").into());
    }
    let read = || {
        if file.metadata()?.len() > LARGEST {
            return Ok(None);
        }
        std::fs::read(&file).map(Some)
    };
    match read() {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("the change is too large to look through for secrets".into()),
        Err(error) => Err(format!("cannot read the change: {error}").into()),
    }
}

fn entries(names: &str) -> Result<Vec<Change>, Trouble> {
    let mut words = names.split('\0').filter(|word| !word.is_empty());
    let mut changes = Vec::new();
    while let Some(status) = words.next() {
        let mut name = || {
            let name = words.next().map(str::to_owned);
            name.ok_or_else(|| Trouble::from("git's list of changes ends too early"))
        };
        let how = match status.as_bytes().first() {
            Some(b'A') => How::Added,
            Some(b'D') => How::Deleted,
            Some(b'R') => How::Renamed,
            _ => How::Modified,
        };
        let from = if status.starts_with(['R', 'C']) {
            Some(name()?)
        } else {
            None
        };
        changes.push(Change {
            how,
            from,
            path: name()?,
            ..Change::default()
        });
    }
    Ok(changes)
}

/// The part of each file. Lines of content begin with another character than `d`.
fn sections(diff: &str) -> Vec<&str> {
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

fn read_lines(change: &mut Change, section: &str) {
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
    fn content_that_looks_like_a_diff_is_content() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,3 @@\n+diff --git a/y b/y\n++++ b/y\n+@@ -1 +1 @@\ndiff --git a/z b/z\n@@ -1 +0,0 @@\n-gone\n";
        let parts = sections(diff);
        assert_eq!(parts.len(), 2);
        let mut change = Change::default();
        read_lines(&mut change, parts[0]);
        assert_eq!(
            change.added,
            ["diff --git a/y b/y", "+++ b/y", "@@ -1 +1 @@"]
        );
        let mut change = Change::default();
        read_lines(&mut change, parts[1]);
        assert_eq!(
            (change.added.len(), change.removed),
            (0, vec!["gone".to_owned()])
        );
    }

    #[test]
    fn names_with_newlines_and_renames_are_read() {
        let changes = entries("M\0a\nb\0R087\0old\0new\0A\0c\0D\0d\0").expect("read");
        let seen: Vec<(How, &str)> = changes.iter().map(|c| (c.how, c.path.as_str())).collect();
        assert_eq!(
            seen,
            [
                (How::Modified, "a\nb"),
                (How::Renamed, "new"),
                (How::Added, "c"),
                (How::Deleted, "d")
            ]
        );
        assert_eq!(changes[1].from.as_deref(), Some("old"));
        assert!(entries("R087\0old\0").is_err());
    }
}
