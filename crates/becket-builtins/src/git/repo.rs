//! A repository, and git in it.
//!
//! Git is told to take paths literally, to ask nobody anything, and to leave alone what a
//! repository's own configuration could start (a file-system monitor, hooks of the index) except
//! where it commits: there the person's hooks are theirs.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_runner::process::{self, Ending, Finished};

use crate::hook::{Job, Trouble};
use crate::programs;

/// Variables of a git that we may run under; they would lead ours to another repository.
const FOREIGN: [&str; 9] = [
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

/// Whether git takes paths as they are, and not as patterns.
pub(super) const LITERAL: &str = "GIT_LITERAL_PATHSPECS";

/// The files that tell of something half done, and what that is called.
const UNDER_WAY: [(&str, &str); 7] = [
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("sequencer", "a sequence of picks"),
    ("BISECT_LOG", "a bisection"),
];

/// A repository with a working tree.
pub(super) struct Repo<'j> {
    job: &'j Job,
    git: PathBuf,
    /// The root of the working tree.
    pub(super) top: PathBuf,
    /// Where this working tree's state is kept.
    pub(super) dir: PathBuf,
    index: Option<PathBuf>,
}

/// Whether hooks of the repository may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hooks {
    Run,
    Skip,
}

impl<'j> Repo<'j> {
    /// The repository that a directory belongs to. `None` where there is none, where it has no
    /// working tree, and where it is the person's home directory: files of a project are not meant to
    /// end up among dotfiles.
    pub(super) fn around(job: &'j Job, dir: &Path) -> Result<Option<Self>, Trouble> {
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
            return nowhere(&finished.stderr.text());
        }
        let answer = finished.stdout.bytes;
        let answer = answer.strip_suffix(b"\n").unwrap_or(&answer);
        let Some(top) = answer.strip_prefix(b"true\n") else {
            return Ok(None);
        };
        repo.top = path(top);
        let Some(dir) = repo.answer(&["rev-parse", "--absolute-git-dir"])? else {
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

    /// What is half done here, if anything is. The index belongs to it then.
    pub(super) fn under_way(&self) -> Option<&'static str> {
        UNDER_WAY
            .iter()
            .find(|(file, _)| self.dir.join(file).symlink_metadata().is_ok())
            .map(|(_, name)| *name)
    }

    /// The branch; `None` where none is checked out.
    pub(super) fn branch(&self) -> Result<Option<String>, Trouble> {
        let answer = self.answer(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Ok(answer.map(|name| String::from_utf8_lossy(&name).trim().to_owned()))
    }

    /// A git command for this repository.
    pub(super) fn command<A: Into<OsString>>(
        &self,
        args: impl IntoIterator<Item = A>,
        hooks: Hooks,
    ) -> process::Command {
        let quiet = ["-c", "core.fsmonitor=false", "-c", "maintenance.auto=false"];
        let mut all: Vec<OsString> = quiet.map(Into::into).to_vec();
        all.extend(["-c", "gc.auto=0"].map(Into::into));
        if hooks == Hooks::Skip {
            all.extend(["-c", "core.hooksPath=/dev/null"].map(Into::into));
        }
        all.extend(args.into_iter().map(Into::into));
        let mut command = process::Command::exec(&self.git, all);
        command.cwd = Some(self.top.clone());
        command.env_remove = FOREIGN.map(Into::into).to_vec();
        command.env = vec![("GIT_TERMINAL_PROMPT".into(), "0".into())];
        if hooks == Hooks::Skip {
            // Messages are read here; elsewhere they are for people.
            command.env.push(("LC_ALL".into(), "C".into()));
            command.env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
            command.env.push((LITERAL.into(), "1".into()));
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
    ) -> Result<Finished, Trouble> {
        self.job.run(self.command(args, Hooks::Skip))
    }

    /// What git says; `None` where it exits with an error.
    pub(super) fn answer(&self, args: &[&str]) -> Result<Option<Vec<u8>>, Trouble> {
        self.answer_with(args, Hooks::Skip)
    }

    /// The same, with the repository's hooks where they are.
    pub(super) fn answer_with(
        &self,
        args: &[&str],
        hooks: Hooks,
    ) -> Result<Option<Vec<u8>>, Trouble> {
        let finished = self.job.run(self.command(args.iter().copied(), hooks))?;
        let fine = matches!(finished.ending, Ending::Exited(0));
        Ok(fine.then(|| {
            let mut said = finished.stdout.bytes;
            if said.last() == Some(&b'\n') {
                said.pop();
            }
            said
        }))
    }

    /// Runs a command that writes the index. Another git may be at it: then again, until time is up.
    pub(super) fn write_index(&self, command: &process::Command) -> Result<(), Trouble> {
        let mut pause = Duration::from_millis(50);
        loop {
            let finished = self.job.run(command.clone())?;
            if matches!(finished.ending, Ending::Exited(0)) {
                return Ok(());
            }
            let said = finished.stderr.text();
            if !said.contains("index.lock") {
                return Err(format!("git: {}", first_line(&said)).into());
            }
            if !self.job.pause(pause) {
                if self.job.cancel.is_cancelled() {
                    return Err(Trouble::Cancelled);
                }
                return Err("another git process holds the index (index.lock)".into());
            }
            pause = (pause * 2).min(Duration::from_millis(500));
        }
    }
}

/// That there is no repository, or none with a working tree, is no failure; anything else is.
fn nowhere<T>(said: &str) -> Result<Option<T>, Trouble> {
    let usual = ["not a git repository", "must be run in a work tree"];
    if usual.iter().any(|words| said.contains(words)) {
        return Ok(None);
    }
    Err(format!("git: {}", first_line(said)).into())
}

pub(super) fn first_line(said: &str) -> String {
    let line = said.lines().find(|line| !line.trim().is_empty());
    crate::words::one_line(line.unwrap_or("no reason given").trim(), 300)
}

pub(super) fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
