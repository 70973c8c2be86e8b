//! Programs that a repository's own configuration makes git run.
//!
//! A repository may come with an archive, configuration, hooks and all. What git would run because
//! the repository says so is code of the project; what the person's own configuration says is not.

use std::path::PathBuf;

use super::repo::{Hooks, Repo};
use crate::hook::Trouble;
use crate::programs;

/// Settings that name a program which staging or committing would start, and which cannot be
/// switched off without changing what is committed.
const PROGRAMS: &str =
    r"^(filter\..*\.(clean|process)|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand)$";

/// Hooks that a commit would run.
const AT_COMMIT: [&str; 6] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
];

/// Whether the repository itself names a filter or the like. Git LFS is known, and is no code of the
/// project.
pub(super) fn has_programs(repo: &Repo<'_>) -> Result<bool, Trouble> {
    let args = ["config", "--null", "--show-scope", "--get-regexp", PROGRAMS];
    let listed = repo.answer(&args)?.unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut words = listed.split('\0');
    while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
        let value = setting.split_once('\n').map_or("", |(_, value)| value);
        let lfs = ["git-lfs clean -- %f", "git-lfs filter-process"].contains(&value);
        if is_own(scope) && !lfs {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the repository has hooks that a commit would run.
pub(super) fn has_hooks(repo: &Repo<'_>) -> Result<bool, Trouble> {
    let ask = |args: &[&str]| repo.answer_with(args, Hooks::Run);
    let moved = ask(&["config", "--show-scope", "--get", "core.hooksPath"])?;
    let moved = moved.map(|line| String::from_utf8_lossy(&line).into_owned());
    let scope = moved.as_deref().and_then(|line| line.split('\t').next());
    if scope.is_some_and(|scope| !is_own(scope)) {
        return Ok(false);
    }
    let Some(dir) = ask(&["rev-parse", "--git-path", "hooks"])? else {
        return Ok(true);
    };
    let dir: PathBuf = repo.top.join(super::repo::path(&dir));
    Ok(AT_COMMIT
        .iter()
        .any(|hook| programs::is_program(&dir.join(hook))))
}

fn is_own(scope: &str) -> bool {
    matches!(scope, "local" | "worktree")
}
