//! `smart-commit`: lint, test, scan for secrets, commit.
//!
//! The index stays untouched until the commit is certain. The hook builds the commit in a second index, scans it, and
//! compares it with the real one at the end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use becket_base::fs::create_private_dir;
use becket_guard::redact::redact_text;
use becket_runner::HookOutput;
use becket_runner::process::{self, Ending};

use super::change::{self, FileChange};
use super::message::{self, MessageRequest};
use super::repo::{GitRepo, RepoHooks};
use super::{repo_programs, secret, summary};
use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::options::{OptionResult, Options, ProjectTools};
use crate::registry::OptionDoc;
use crate::{display_text, once_per_session};

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "lint",
        value_type: "text",
        default: "",
        about: "A command line that must succeed before the commit; it runs in the root of the repository.",
    },
    OptionDoc {
        name: "test",
        value_type: "text",
        default: "",
        about: "A second command line that must succeed, after `lint`.",
    },
    OptionDoc {
        name: "stage",
        value_type: "text",
        default: "\"tracked\"",
        about: "What to commit: `tracked` (changes of tracked files), `all` (also new files), `none` (only what is staged).",
    },
    OptionDoc {
        name: "message_prefix",
        value_type: "text",
        default: "",
        about: "A prefix for every subject.",
    },
    OptionDoc {
        name: "sign",
        value_type: "true or false",
        default: "",
        about: "Whether to sign commits; git's configuration decides if omitted.",
    },
    OptionDoc {
        name: "protected",
        value_type: "list of texts",
        default: "[\"main\", \"master\", \"develop\", \"release/*\"]",
        about: "Globs of branches that are never committed to.",
    },
    OptionDoc {
        name: "secrets_ignore",
        value_type: "list of texts",
        default: "[]",
        about: "Globs of files that are not checked for secrets, such as fixtures.",
    },
    OptionDoc {
        name: "project_tools",
        value_type: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where `lint`, `test` and the repository's hooks may run: they are project code.",
    },
];

const PROTECTED: [&str; 4] = ["main", "master", "develop", "release/*"];
/// Time limit for a message writer.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(60);
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StageScope {
    Tracked,
    All,
    Staged,
}

pub(crate) struct SmartCommit {
    checks: Vec<(&'static str, String)>,
    scope: StageScope,
    prefix: String,
    sign: Option<bool>,
    protected: Vec<String>,
    secrets_ignore: Vec<String>,
    tools: ProjectTools,
}

impl SmartCommit {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        let mut checks = Vec::new();
        for key in ["lint", "test"] {
            if let Some(line) = options.text(key)? {
                checks.push((key, line.to_owned()));
            }
        }
        let stages = [
            ("tracked", StageScope::Tracked),
            ("all", StageScope::All),
            ("none", StageScope::Staged),
        ];
        let protected = options.texts("protected")?;
        Ok(Self {
            checks,
            scope: options
                .choice("stage", &stages)?
                .unwrap_or(StageScope::Tracked),
            prefix: options
                .text("message_prefix")?
                .unwrap_or_default()
                .to_owned(),
            sign: options.flag("sign")?,
            protected: protected.unwrap_or_else(|| PROTECTED.map(str::to_owned).to_vec()),
            secrets_ignore: options.texts("secrets_ignore")?.unwrap_or_default(),
            tools: ProjectTools::read(options)?,
        })
    }
}

impl BlockingHook for SmartCommit {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        let Some(repo) = GitRepo::discover(job, &job.project)? else {
            return Ok(HookOutput::allow());
        };
        match self.attempt(job, &repo) {
            Ok(Some(done)) => Ok(message_output(&done)),
            Err(NoCommit::Refused(why)) => Ok(message_output(&format!("did not commit: {why}"))),
            // Permanent reasons are reported once per session.
            Err(NoCommit::NotHere(why)) if once_per_session::is_first_in_session(job, &why) => {
                Ok(message_output(&format!("cannot commit here: {why}")))
            }
            Ok(None) | Err(NoCommit::NotHere(_)) => Ok(HookOutput::allow()),
            Err(NoCommit::Failed(trouble)) => Err(trouble),
        }
    }
}

/// Why there is no commit.
enum NoCommit {
    /// This change cannot be committed.
    Refused(String),
    /// No change can be committed here.
    NotHere(String),
    Failed(HookFailure),
}

impl From<HookFailure> for NoCommit {
    fn from(trouble: HookFailure) -> Self {
        Self::Failed(trouble)
    }
}

/// Copies an index with its modification time. Git compares that time with those of the files to decide which ones to
/// read; a newer time would hide changes.
fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let modified = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    let copy = std::fs::File::options().write(true).open(to)?;
    copy.set_modified(modified)
}

fn message_output(what: &str) -> HookOutput {
    HookOutput::allow().system_message(format!("smart-commit {what}"))
}

fn untrusted(what: &str) -> NoCommit {
    NoCommit::NotHere(format!(
        "{what} code of this project, which is not trusted; run `becket trust` or set `project_tools = true`"
    ))
}

fn refuse<T>(why: impl Into<String>) -> Result<T, NoCommit> {
    Err(NoCommit::Refused(why.into()))
}

impl SmartCommit {
    fn attempt(&self, job: &HookJob, repo: &GitRepo<'_>) -> Result<Option<String>, NoCommit> {
        self.require_trust_for_programs(job, repo)?;
        if !self.has_changes(repo)? {
            return Ok(None);
        }
        let branch = self.check_branch(repo)?;
        self.require_trust_for_checks(job, repo)?;
        // Checks come first, because a linter may change files.
        self.run_checks(job, repo)?;
        let scratch = scratch_dir(job)?;
        let (tree, changes) = self.preview(repo, scratch.path())?;
        if changes.is_empty() {
            return Ok(None);
        }
        let secrets = secret::find_secrets(&changes, &self.secrets_ignore);
        if !secrets.is_empty() {
            return refuse(format!("found secrets in {}", secrets.join(", ")));
        }
        let message = self.message(job, &branch, &changes);
        self.stage(repo)?;
        if write_tree(repo)? != tree {
            return refuse("files changed during the check");
        }
        self.commit(job, repo, &message)?;
        let subject = message.lines().next().unwrap_or_default();
        let id = repo
            .output(&["rev-parse", "--short", "HEAD"])?
            .unwrap_or_default();
        let id = String::from_utf8_lossy(&id).into_owned();
        let rest = self.left_out_note(repo)?;
        Ok(Some(format!(
            "committed {id} on {}: {subject}{rest}",
            display_text::one_line(&branch, 80)
        )))
    }

    fn has_changes(&self, repo: &GitRepo<'_>) -> Result<bool, HookFailure> {
        let untracked = match self.scope {
            StageScope::Staged => {
                let finished = repo.run(["diff", "--cached", "--quiet", "--no-ext-diff"])?;
                return Ok(!matches!(finished.ending, Ending::Exited(0)));
            }
            StageScope::Tracked => "--untracked-files=no",
            StageScope::All => "--untracked-files=normal",
        };
        let status = repo.output(&["status", "--porcelain", untracked])?;
        Ok(status.is_some_and(|status| !status.is_empty()))
    }

    /// Builds the commit in a second index.
    fn preview(
        &self,
        repo: &GitRepo<'_>,
        scratch: &Path,
    ) -> Result<(Vec<u8>, Vec<FileChange>), NoCommit> {
        let index = scratch.join("index");
        match copy_with_time(&repo.dir.join("index"), &index) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(HookFailure::from(format!("cannot read the index: {error}")).into());
            }
        }
        let aside = repo.with_index(index);
        self.stage(&aside)?;
        let changes = change::staged(&aside, scratch)?;
        Ok((write_tree(&aside)?, changes))
    }

    fn check_branch(&self, repo: &GitRepo<'_>) -> Result<String, NoCommit> {
        if let Some(under_way) = repo.operation_in_progress() {
            return Err(NoCommit::NotHere(format!("{under_way} is in progress")));
        }
        let Some(branch) = repo.branch()? else {
            return Err(NoCommit::NotHere("no branch is checked out".into()));
        };
        if self
            .protected
            .iter()
            .any(|glob| fast_glob::glob_match(glob, &branch))
        {
            let branch = display_text::one_line(&branch, 80);
            return Err(NoCommit::NotHere(format!(
                "the branch `{branch}` is protected"
            )));
        }
        Ok(branch)
    }

    /// Refuses an untrusted repository that configures programs. Must run first: even `git status` may start a
    /// filter.
    fn require_trust_for_programs(
        &self,
        job: &HookJob,
        repo: &GitRepo<'_>,
    ) -> Result<(), NoCommit> {
        if job.may_run_project_code(self.tools) || !repo_programs::has_programs(repo)? {
            return Ok(());
        }
        Err(untrusted("this repository's configuration runs"))
    }

    /// Refuses to run linters, tests and the repository's hooks in an untrusted project, because they are project
    /// code.
    fn require_trust_for_checks(&self, job: &HookJob, repo: &GitRepo<'_>) -> Result<(), NoCommit> {
        if job.may_run_project_code(self.tools) {
            return Ok(());
        }
        if !self.checks.is_empty() {
            return Err(untrusted("`lint` and `test` run"));
        }
        if repo_programs::has_hooks(repo)? {
            return Err(untrusted("this repository's hooks are"));
        }
        Ok(())
    }

    fn run_checks(&self, job: &HookJob, repo: &GitRepo<'_>) -> Result<(), NoCommit> {
        for (name, line) in &self.checks {
            let mut command = process::Command::shell(line);
            command.cwd = Some(repo.top.clone());
            let finished = job.run(command)?;
            if !matches!(finished.ending, Ending::Exited(0)) {
                let output = format!("{}\n{}", finished.stdout.text(), finished.stderr.text());
                return refuse(format!("`{name}` failed\n{}", last_lines(&output)));
            }
        }
        Ok(())
    }

    fn message(&self, job: &HookJob, branch: &str, changes: &[FileChange]) -> String {
        let fallback = redact_text(&summary::message(changes)).into_owned();
        let written = job.deps.writer.as_ref().and_then(|writer| {
            let request = MessageRequest {
                branch: redact_text(branch).into_owned(),
                diff: message::diff_for_writer(changes),
                fallback: fallback.clone(),
            };
            // Half of the remaining time is for the commit and its hooks.
            let answer = writer
                .write(&request, MESSAGE_TIMEOUT.min(job.remaining() / 2))
                .ok()?;
            message::clean_message(&answer)
        });
        format!("{}{}", self.prefix, written.unwrap_or(fallback))
    }

    fn stage(&self, repo: &GitRepo<'_>) -> Result<(), HookFailure> {
        match self.scope {
            StageScope::Staged => Ok(()),
            StageScope::Tracked => {
                repo.write_index(&repo.command(["add", "--update"], RepoHooks::Skip))
            }
            StageScope::All => {
                repo.write_index(&repo.command(["add", "--update"], RepoHooks::Skip))?;
                let mut paths = Vec::new();
                for path in untracked(repo)?
                    .iter()
                    .filter(|path| !secret::is_sensitive(Path::new(path)))
                {
                    paths.extend_from_slice(path.as_bytes());
                    paths.push(0);
                }
                if paths.is_empty() {
                    return Ok(());
                }
                let args = ["add", "--pathspec-from-file=-", "--pathspec-file-nul"];
                let mut add = repo.command(args, RepoHooks::Skip);
                add.stdin = paths;
                repo.write_index(&add)
            }
        }
    }

    fn commit(&self, job: &HookJob, repo: &GitRepo<'_>, message: &str) -> Result<(), NoCommit> {
        let mut args = vec!["commit", "--quiet", "--file=-", "--cleanup=whitespace"];
        args.extend(match self.sign {
            Some(true) => Some("--gpg-sign"),
            Some(false) => Some("--no-gpg-sign"),
            None => None,
        });
        let mut command = repo.command(args, RepoHooks::Run);
        command.stdin = message.as_bytes().to_vec();
        let finished = job.run(command)?;
        match finished.ending {
            Ending::Exited(0) => Ok(()),
            _ => {
                let output = format!("{}\n{}", finished.stdout.text(), finished.stderr.text());
                refuse(format!(
                    "git or one of its hooks failed\n{}",
                    last_lines(&output)
                ))
            }
        }
    }

    /// Mentions new files that are not part of the commit.
    fn left_out_note(&self, repo: &GitRepo<'_>) -> Result<String, HookFailure> {
        let count = match self.scope {
            StageScope::Staged => 0,
            StageScope::Tracked | StageScope::All => untracked(repo)?.len(),
        };
        Ok(match count {
            0 => String::new(),
            1 => " (1 new file not included)".to_owned(),
            count => format!(" ({count} new files not included)"),
        })
    }
}

/// A private temporary directory.
fn scratch_dir(job: &HookJob) -> Result<tempfile::TempDir, HookFailure> {
    let dir = job.deps.state_dir.join("builtins");
    create_private_dir(&dir)
        .and_then(|()| tempfile::Builder::new().prefix("commit-").tempdir_in(&dir))
        .map_err(|error| format!("cannot work in `{}`: {error}", dir.display()).into())
}

fn write_tree(repo: &GitRepo<'_>) -> Result<Vec<u8>, HookFailure> {
    let tree = repo.output(&["write-tree"])?;
    tree.ok_or_else(|| HookFailure::from("git cannot write the tree: are there conflicts?"))
}

fn untracked(repo: &GitRepo<'_>) -> Result<Vec<OsString>, HookFailure> {
    use std::os::unix::ffi::OsStringExt;
    let list = repo.output(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let list = list.unwrap_or_default();
    let names = list
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names
        .map(|name| OsString::from_vec(name.to_vec()))
        .collect())
}

/// The last lines of a program's output, which usually contain the reason.
fn last_lines(output: &str) -> String {
    let output = redact_text(output);
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(15);
    display_text::lines(&lines[from..].join("\n"), 1500)
}
