//! Runs git in a repository.
//!
//! Git takes paths literally, never prompts, and does not start programs that the repository configures (a file-system
//! monitor, index hooks). Only the commit itself runs the repository's hooks.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_runner::process::{self, Ending, Finished};

use crate::hook::{HookFailure, HookJob};
use crate::programs;

/// Variables of a surrounding git process, which would select another repository.
const INHERITED_GIT_VARS: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
];

/// Makes git take paths literally instead of as patterns.
pub(super) const LITERAL_PATHSPECS: &str = "GIT_LITERAL_PATHSPECS";

/// Files that indicate an unfinished operation, and its name.
const OPERATION_FILES: [(&str, &str); 7] = [
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("sequencer", "a sequence of picks"),
    ("BISECT_LOG", "a bisection"),
];

/// A repository with a working tree.
pub(super) struct GitRepo<'j> {
    job: &'j HookJob,
    git: PathBuf,
    /// The root of the working tree.
    pub(super) top: PathBuf,
    /// The git directory of this working tree.
    pub(super) dir: PathBuf,
    index: Option<PathBuf>,
}

/// Whether hooks of the repository may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RepoHooks {
    Run,
    Skip,
}

impl<'j> GitRepo<'j> {
    /// The repository that contains a directory. `None` if there is none, if it is bare, or if it is the user's home
    /// directory: project files should not end up among dotfiles.
    pub(super) fn discover(job: &'j HookJob, dir: &Path) -> Result<Option<Self>, HookFailure> {
        let Some(git) = programs::find_outside(job, "git") else {
            return Err("git is not on the PATH".into());
        };
        let mut repo = Self {
            job,
            git,
            top: dir.to_owned(),
            dir: PathBuf::new(),
            index: None,
        };
        let finished = repo.run(["rev-parse", "--is-inside-work-tree", "--show-toplevel"])?;
        if !matches!(finished.ending, Ending::Exited(0)) {
            return not_a_repo(&finished.stderr.text());
        }
        let answer = finished.stdout.bytes;
        let answer = answer.strip_suffix(b"\n").unwrap_or(&answer);
        let Some(top) = answer.strip_prefix(b"true\n") else {
            return Ok(None);
        };
        repo.top = path(top);
        let Some(dir) = repo.output(&["rev-parse", "--absolute-git-dir"])? else {
            return Ok(None);
        };
        repo.dir = path(&dir);
        let home = job.var("HOME").map(PathBuf::from);
        let home = home.and_then(|home| home.canonicalize().ok());
        Ok((home.as_ref() != Some(&repo.top)).then_some(repo))
    }

    /// The same repository with another index.
    pub(super) fn with_index(&self, index: PathBuf) -> Self {
        Self {
            job: self.job,
            git: self.git.clone(),
            top: self.top.clone(),
            dir: self.dir.clone(),
            index: Some(index),
        }
    }

    /// The unfinished operation, if any. The index then belongs to that operation.
    pub(super) fn operation_in_progress(&self) -> Option<&'static str> {
        OPERATION_FILES
            .iter()
            .find(|(file, _)| self.dir.join(file).symlink_metadata().is_ok())
            .map(|(_, name)| *name)
    }

    /// The current branch; `None` with a detached head.
    pub(super) fn branch(&self) -> Result<Option<String>, HookFailure> {
        let answer = self.output(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Ok(answer.map(|name| String::from_utf8_lossy(&name).trim().to_owned()))
    }

    /// A git command for this repository.
    pub(super) fn command<A: Into<OsString>>(
        &self,
        args: impl IntoIterator<Item = A>,
        hooks: RepoHooks,
    ) -> process::Command {
        let quiet = ["-c", "core.fsmonitor=false", "-c", "maintenance.auto=false"];
        let mut all: Vec<OsString> = quiet.map(Into::into).to_vec();
        all.extend(["-c", "gc.auto=0"].map(Into::into));
        if hooks == RepoHooks::Skip {
            all.extend(["-c", "core.hooksPath=/dev/null"].map(Into::into));
        }
        all.extend(args.into_iter().map(Into::into));
        let mut command = process::Command::exec(&self.git, all);
        command.cwd = Some(self.top.clone());
        command.env_remove = INHERITED_GIT_VARS.map(Into::into).to_vec();
        command.env = vec![("GIT_TERMINAL_PROMPT".into(), "0".into())];
        if hooks == RepoHooks::Skip {
            // This output is parsed. With hooks, the output is for people, so the user's locale stays.
            command.env.push(("LC_ALL".into(), "C".into()));
            command.env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
            command.env.push((LITERAL_PATHSPECS.into(), "1".into()));
        }
        if let Some(index) = &self.index {
            command.env.push(("GIT_INDEX_FILE".into(), index.into()));
        }
        command
    }

    /// Runs git without hooks.
    pub(super) fn run<A: Into<OsString>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Finished, HookFailure> {
        self.job.run(self.command(args, RepoHooks::Skip))
    }

    /// The output of git; `None` if it exits with an error.
    pub(super) fn output(&self, args: &[&str]) -> Result<Option<Vec<u8>>, HookFailure> {
        self.output_with(args, RepoHooks::Skip)
    }

    /// The same with a choice of hooks.
    pub(super) fn output_with(
        &self,
        args: &[&str],
        hooks: RepoHooks,
    ) -> Result<Option<Vec<u8>>, HookFailure> {
        let finished = self.job.run(self.command(args.iter().copied(), hooks))?;
        let fine = matches!(finished.ending, Ending::Exited(0));
        Ok(fine.then(|| {
            let mut output = finished.stdout.bytes;
            if output.last() == Some(&b'\n') {
                output.pop();
            }
            output
        }))
    }

    /// Runs a command that writes the index. Retries while another git process holds the lock.
    pub(super) fn write_index(&self, command: &process::Command) -> Result<(), HookFailure> {
        let mut pause = Duration::from_millis(50);
        loop {
            let finished = self.job.run(command.clone())?;
            if matches!(finished.ending, Ending::Exited(0)) {
                return Ok(());
            }
            let output = finished.stderr.text();
            if !output.contains("index.lock") {
                return Err(format!("git: {}", first_line(&output)).into());
            }
            if !self.job.sleep(pause) {
                if self.job.cancel.is_cancelled() {
                    return Err(HookFailure::Cancelled);
                }
                return Err("another git process holds the index (index.lock)".into());
            }
            pause = (pause * 2).min(Duration::from_millis(500));
        }
    }
}

/// A missing repository or working tree is not a failure; any other error is.
fn not_a_repo<T>(output: &str) -> Result<Option<T>, HookFailure> {
    let usual = ["not a git repository", "must be run in a work tree"];
    if usual.iter().any(|words| output.contains(words)) {
        return Ok(None);
    }
    Err(format!("git: {}", first_line(output)).into())
}

pub(super) fn first_line(output: &str) -> String {
    let line = output.lines().find(|line| !line.trim().is_empty());
    crate::display_text::one_line(line.unwrap_or("no reason given").trim(), 300)
}

pub(super) fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
