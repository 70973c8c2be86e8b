//! Programs that git runs because the repository configures them.
//!
//! A repository can come from an archive, with configuration and hooks. Programs that the repository configures are project
//! code; programs that the user configures are not.

use std::path::PathBuf;

use super::repo::{GitRepo, RepoHooks};
use crate::hook::HookFailure;
use crate::programs;

/// Settings that name a program which staging or committing starts, and that cannot be disabled without changing the
/// commit.
const PROGRAM_SETTINGS: &str =
    r"^(filter\..*\.(clean|process)|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand)$";

/// Git hooks that a commit runs.
const COMMIT_HOOKS: [&str; 6] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
];

/// Whether the repository configures such a program. Git LFS is an exception, since it is not project code.
pub(super) fn has_programs(repo: &GitRepo<'_>) -> Result<bool, HookFailure> {
    let args = [
        "config",
        "--null",
        "--show-scope",
        "--get-regexp",
        PROGRAM_SETTINGS,
    ];
    let listed = repo.output(&args)?.unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut words = listed.split('\0');
    while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
        let value = setting.split_once('\n').map_or("", |(_, value)| value);
        let lfs = ["git-lfs clean -- %f", "git-lfs filter-process"].contains(&value);
        if is_repo_scope(scope) && !lfs {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the repository has hooks that a commit runs.
pub(super) fn has_hooks(repo: &GitRepo<'_>) -> Result<bool, HookFailure> {
    let ask = |args: &[&str]| repo.output_with(args, RepoHooks::Run);
    let moved = ask(&["config", "--show-scope", "--get", "core.hooksPath"])?;
    let moved = moved.map(|line| String::from_utf8_lossy(&line).into_owned());
    let scope = moved.as_deref().and_then(|line| line.split('\t').next());
    if scope.is_some_and(|scope| !is_repo_scope(scope)) {
        return Ok(false);
    }
    let Some(dir) = ask(&["rev-parse", "--git-path", "hooks"])? else {
        return Ok(true);
    };
    let dir: PathBuf = repo.top.join(super::repo::path(&dir));
    Ok(COMMIT_HOOKS
        .iter()
        .any(|hook| programs::is_program(&dir.join(hook))))
}

fn is_repo_scope(scope: &str) -> bool {
    matches!(scope, "local" | "worktree")
}
