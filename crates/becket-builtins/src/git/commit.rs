//! `smart-commit`: lint, test, look for secrets, commit.
//!
//! The index is left alone until it is certain that there will be a commit: what would be committed
//! is put together in a second index first, looked through, and compared with the real one at the end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use becket_guard::redact::redact_text;
use becket_runner::HookOutput;
use becket_runner::process::{self, Ending};

use super::change::{self, Change};
use super::message::{self, MessageRequest};
use super::repo::{Hooks, Repo};
use super::{own, secret, summary};
use crate::hook::{Job, Trouble, Work};
use crate::options::{Options, ProjectTools, Read};
use crate::registry::OptionDoc;
use crate::{told, words};

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "lint",
        holds: "text",
        default: "",
        about: "A command line that must succeed first; it runs in the repository's root.",
    },
    OptionDoc {
        name: "test",
        holds: "text",
        default: "",
        about: "Another one, after it.",
    },
    OptionDoc {
        name: "stage",
        holds: "text",
        default: "\"tracked\"",
        about: "What to commit: `tracked` (changes of files that git knows), `all` (new files, too), `none` (only what is staged).",
    },
    OptionDoc {
        name: "message_prefix",
        holds: "text",
        default: "",
        about: "Text before every subject.",
    },
    OptionDoc {
        name: "sign",
        holds: "true or false",
        default: "",
        about: "Whether commits are signed; git's configuration says so if left out.",
    },
    OptionDoc {
        name: "protected",
        holds: "list of texts",
        default: "[\"main\", \"master\", \"develop\", \"release/*\"]",
        about: "Globs of branches that are never committed to.",
    },
    OptionDoc {
        name: "secrets_ignore",
        holds: "list of texts",
        default: "[]",
        about: "Globs of files that may look as if they held secrets, such as fixtures.",
    },
    OptionDoc {
        name: "project_tools",
        holds: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where `lint`, `test` and the repository's own hooks may run: they are code of the project.",
    },
];

const PROTECTED: [&str; 4] = ["main", "master", "develop", "release/*"];
/// For a writer; longer than this nobody waits for a sentence.
const WRITING: Duration = Duration::from_secs(60);
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Tracked,
    All,
    Staged,
}

pub(crate) struct Commit {
    checks: Vec<(&'static str, String)>,
    what: What,
    prefix: String,
    sign: Option<bool>,
    protected: Vec<String>,
    secrets_ignore: Vec<String>,
    tools: ProjectTools,
}

impl Commit {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        let mut checks = Vec::new();
        for key in ["lint", "test"] {
            if let Some(line) = options.text(key)? {
                checks.push((key, line.to_owned()));
            }
        }
        let stages = [
            ("tracked", What::Tracked),
            ("all", What::All),
            ("none", What::Staged),
        ];
        let protected = options.texts("protected")?;
        Ok(Self {
            checks,
            what: options.word("stage", &stages)?.unwrap_or(What::Tracked),
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

impl Work for Commit {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        let Some(repo) = Repo::around(job, &job.project)? else {
            return Ok(HookOutput::allow());
        };
        match self.attempt(job, &repo) {
            Ok(Some(done)) => Ok(say(&done)),
            Err(Stop::Refused(why)) => Ok(say(&format!("did not commit: {why}"))),
            // What stays true from turn to turn is said once.
            Err(Stop::Unfit(why)) if told::first_time(job, &why) => {
                Ok(say(&format!("does not commit: {why}")))
            }
            Ok(None) | Err(Stop::Unfit(_)) => Ok(HookOutput::allow()),
            Err(Stop::Trouble(trouble)) => Err(trouble),
        }
    }
}

/// Why there is no commit.
enum Stop {
    /// This change will not do.
    Refused(String),
    /// No change would do here.
    Unfit(String),
    Trouble(Trouble),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// The time is part of an index: a file that changed no earlier than that is looked into, since its size and
/// its time alone would not show it. A copy that seemed newer would hide such changes.
fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let modified = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    let copy = std::fs::File::options().write(true).open(to)?;
    copy.set_modified(modified)
}

fn say(what: &str) -> HookOutput {
    HookOutput::allow().system_message(format!("smart-commit {what}"))
}

fn untrusted(what: &str) -> Stop {
    Stop::Unfit(format!(
        "{what} code of this project, which is not trusted; see `becket trust`, or set `project_tools = true`"
    ))
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(why.into()))
}

impl Commit {
    fn attempt(&self, job: &Job, repo: &Repo<'_>) -> Result<Option<String>, Stop> {
        self.refuse_programs(job, repo)?;
        if !self.has_changes(repo)? {
            return Ok(None);
        }
        let branch = self.fit_branch(repo)?;
        self.refuse_checks(job, repo)?;
        // First, because a linter may change files.
        self.check(job, repo)?;
        let scratch = scratch(job)?;
        let (tree, changes) = self.gather(repo, scratch.path())?;
        if changes.is_empty() {
            return Ok(None);
        }
        let secrets = secret::found(&changes, &self.secrets_ignore);
        if !secrets.is_empty() {
            return refuse(format!("there are secrets in {}", secrets.join(", ")));
        }
        let message = self.message(job, &branch, &changes);
        self.stage(repo)?;
        if write_tree(repo)? != tree {
            return refuse("files changed while they were looked through");
        }
        self.commit(job, repo, &message)?;
        let subject = message.lines().next().unwrap_or_default();
        let id = repo
            .answer(&["rev-parse", "--short", "HEAD"])?
            .unwrap_or_default();
        let id = String::from_utf8_lossy(&id).into_owned();
        let rest = self.left_out(repo)?;
        Ok(Some(format!(
            "committed {id} on {}: {subject}{rest}",
            words::one_line(&branch, 80)
        )))
    }

    fn has_changes(&self, repo: &Repo<'_>) -> Result<bool, Trouble> {
        let untracked = match self.what {
            What::Staged => {
                let finished = repo.run(["diff", "--cached", "--quiet", "--no-ext-diff"])?;
                return Ok(!matches!(finished.ending, Ending::Exited(0)));
            }
            What::Tracked => "--untracked-files=no",
            What::All => "--untracked-files=normal",
        };
        let status = repo.answer(&["status", "--porcelain", untracked])?;
        Ok(status.is_some_and(|status| !status.is_empty()))
    }

    /// What would be committed, without touching the index.
    fn gather(&self, repo: &Repo<'_>, scratch: &Path) -> Result<(Vec<u8>, Vec<Change>), Stop> {
        let index = scratch.join("index");
        match copy_with_time(&repo.dir.join("index"), &index) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(Trouble::from(format!("cannot read the index: {error}")).into());
            }
        }
        let aside = repo.with_index(index);
        self.stage(&aside)?;
        let changes = change::staged(&aside, scratch)?;
        Ok((write_tree(&aside)?, changes))
    }

    fn fit_branch(&self, repo: &Repo<'_>) -> Result<String, Stop> {
        if let Some(under_way) = repo.under_way() {
            return Err(Stop::Unfit(format!("{under_way} is in progress")));
        }
        let Some(branch) = repo.branch()? else {
            return Err(Stop::Unfit("no branch is checked out".into()));
        };
        if self
            .protected
            .iter()
            .any(|glob| fast_glob::glob_match(glob, &branch))
        {
            let branch = words::one_line(&branch, 80);
            return Err(Stop::Unfit(format!("the branch `{branch}` is protected")));
        }
        Ok(branch)
    }

    /// Before anything else: already to ask for changes may start a filter.
    fn refuse_programs(&self, job: &Job, repo: &Repo<'_>) -> Result<(), Stop> {
        if job.may_run_project_code(self.tools) || !own::has_programs(repo)? {
            return Ok(());
        }
        Err(untrusted("this repository's configuration names"))
    }

    /// Linters, tests and the repository's hooks are code of the project.
    fn refuse_checks(&self, job: &Job, repo: &Repo<'_>) -> Result<(), Stop> {
        if job.may_run_project_code(self.tools) {
            return Ok(());
        }
        if !self.checks.is_empty() {
            return Err(untrusted("`lint` and `test` run"));
        }
        if own::has_hooks(repo)? {
            return Err(untrusted("this repository's hooks are"));
        }
        Ok(())
    }

    fn check(&self, job: &Job, repo: &Repo<'_>) -> Result<(), Stop> {
        for (name, line) in &self.checks {
            let mut command = process::Command::shell(line);
            command.cwd = Some(repo.top.clone());
            let finished = job.run(command)?;
            if !matches!(finished.ending, Ending::Exited(0)) {
                let said = format!("{}\n{}", finished.stdout.text(), finished.stderr.text());
                return refuse(format!("`{name}` failed\n{}", last_lines(&said)));
            }
        }
        Ok(())
    }

    fn message(&self, job: &Job, branch: &str, changes: &[Change]) -> String {
        let fallback = redact_text(&summary::message(changes)).into_owned();
        let written = job.deps.writer.as_ref().and_then(|writer| {
            let request = MessageRequest {
                branch: redact_text(branch).into_owned(),
                diff: message::shown(changes),
                fallback: fallback.clone(),
            };
            // Half of what is left is for the commit and its hooks.
            let answer = writer.write(&request, WRITING.min(job.left() / 2)).ok()?;
            message::tidy(&answer)
        });
        format!("{}{}", self.prefix, written.unwrap_or(fallback))
    }

    fn stage(&self, repo: &Repo<'_>) -> Result<(), Trouble> {
        match self.what {
            What::Staged => Ok(()),
            What::Tracked => repo.write_index(&repo.command(["add", "--update"], Hooks::Skip)),
            What::All => {
                repo.write_index(&repo.command(["add", "--update"], Hooks::Skip))?;
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
                let mut add = repo.command(args, Hooks::Skip);
                add.stdin = paths;
                repo.write_index(&add)
            }
        }
    }

    fn commit(&self, job: &Job, repo: &Repo<'_>, message: &str) -> Result<(), Stop> {
        let mut args = vec!["commit", "--quiet", "--file=-", "--cleanup=whitespace"];
        args.extend(match self.sign {
            Some(true) => Some("--gpg-sign"),
            Some(false) => Some("--no-gpg-sign"),
            None => None,
        });
        let mut command = repo.command(args, Hooks::Run);
        command.stdin = message.as_bytes().to_vec();
        let finished = job.run(command)?;
        match finished.ending {
            Ending::Exited(0) => Ok(()),
            _ => {
                let said = format!("{}\n{}", finished.stdout.text(), finished.stderr.text());
                refuse(format!(
                    "git or one of its hooks refused\n{}",
                    last_lines(&said)
                ))
            }
        }
    }

    /// New files are easily forgotten.
    fn left_out(&self, repo: &Repo<'_>) -> Result<String, Trouble> {
        let count = match self.what {
            What::Staged => 0,
            What::Tracked | What::All => untracked(repo)?.len(),
        };
        Ok(match count {
            0 => String::new(),
            1 => " (1 new file is left out)".to_owned(),
            count => format!(" ({count} new files are left out)"),
        })
    }
}

/// A directory that only we can read, gone when we are.
fn scratch(job: &Job) -> Result<tempfile::TempDir, Trouble> {
    let dir = job.deps.state_dir.join("builtins");
    told::private_dir(&dir)
        .and_then(|()| tempfile::Builder::new().prefix("commit-").tempdir_in(&dir))
        .map_err(|error| format!("cannot work in `{}`: {error}", dir.display()).into())
}

fn write_tree(repo: &Repo<'_>) -> Result<Vec<u8>, Trouble> {
    let tree = repo.answer(&["write-tree"])?;
    tree.ok_or_else(|| Trouble::from("git cannot write the tree: are there conflicts?"))
}

fn untracked(repo: &Repo<'_>) -> Result<Vec<OsString>, Trouble> {
    use std::os::unix::ffi::OsStringExt;
    let list = repo.answer(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let list = list.unwrap_or_default();
    let names = list
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names
        .map(|name| OsString::from_vec(name.to_vec()))
        .collect())
}

/// The end of what a program said: there the reason is.
fn last_lines(said: &str) -> String {
    let said = redact_text(said);
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(15);
    words::lines(&lines[from..].join("\n"), 1500)
}
