//! `git-auto-stage`: stage the files that the agent changes, one by one.

use std::path::{Component, Path};

use becket_runner::HookOutput;
use becket_runner::process::Ending;

use super::repo::{GitRepo, LITERAL_PATHSPECS, RepoHooks};
use super::{repo_programs, secret};
use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::once_per_session;
use crate::options::{OptionResult, Options, ProjectTools};
use crate::project_files::{self, ProjectFile};
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "skip",
        value_type: "list of texts",
        default: "[]",
        about: "Globs of further files to skip, relative to the project.",
    },
    OptionDoc {
        name: "project_tools",
        value_type: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where filters that the repository configures may run.",
    },
];

/// Never staged, at any depth.
const SKIPPED_DIRECTORIES: [&str; 5] = ["node_modules", ".git", "dist", "build", "coverage"];
const SKIPPED_ENDINGS: [&str; 4] = [".log", ".tmp", ".swp", ".bak"];

pub(crate) struct AutoStage {
    skip: Vec<String>,
    tools: ProjectTools,
}

impl AutoStage {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        Ok(Self {
            skip: options.texts("skip")?.unwrap_or_default(),
            tools: ProjectTools::read(options)?,
        })
    }

    fn should_stage(&self, file: &ProjectFile) -> bool {
        let relative = file.relative();
        let text = relative.to_string_lossy();
        !is_skipped(relative)
            && !secret::is_sensitive(relative)
            && !self
                .skip
                .iter()
                .any(|glob| fast_glob::glob_match(glob, &*text))
    }
}

impl BlockingHook for AutoStage {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        for file in project_files::changed_files(job) {
            if self.should_stage(&file) {
                stage(job, &file, self.tools)?;
            }
        }
        Ok(HookOutput::allow())
    }
}

/// The skip list of Autohand's script.
fn is_skipped(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let directory = |part: Component<'_>| {
        SKIPPED_DIRECTORIES
            .iter()
            .any(|skipped| part.as_os_str() == *skipped)
    };
    let above = relative.parent().unwrap_or(Path::new(""));
    name.starts_with(".env")
        || SKIPPED_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || above.components().any(directory)
}

const UNTRUSTED: &str = "this repository configures a program that git would run, and the project is not trusted; run `becket trust` or set `project_tools = true`";

fn stage(job: &HookJob, file: &ProjectFile, tools: ProjectTools) -> Result<(), HookFailure> {
    // The file and its directory may be deleted.
    let dir = file.path.ancestors().skip(1).find(|dir| dir.is_dir());
    let Some(repo) = GitRepo::discover(job, dir.unwrap_or(&file.root))? else {
        return Ok(());
    };
    let Ok(relative) = file.path.strip_prefix(&repo.top) else {
        return Ok(());
    };
    // Staging would mark a conflict as resolved, or add the file to another commit.
    if repo.operation_in_progress().is_some() {
        return Ok(());
    }
    let args = |words: &[&str]| {
        let words = words.iter().map(Into::into);
        words
            .chain([relative.as_os_str().to_owned()])
            .collect::<Vec<_>>()
    };
    if file.path.symlink_metadata().is_err() {
        let known = repo.run(args(&["ls-files", "--error-unmatch", "--"]))?;
        if !matches!(known.ending, Ending::Exited(0)) {
            return Ok(());
        }
    } else if file.path.is_dir() && !file.path.is_symlink() {
        return Ok(());
    }
    if is_ignored(job, &repo, relative)? {
        return Ok(());
    }
    if !job.may_run_project_code(tools) && repo_programs::has_programs(&repo)? {
        if once_per_session::is_first_in_session(job, "programs") {
            return Err(UNTRUSTED.into());
        }
        return Ok(());
    }
    let add = repo.command(args(&["add", "--all", "--"]), RepoHooks::Skip);
    repo.write_index(&add)
}

/// `check-ignore` rejects literal pathspecs; with a leading `./`, no path is a pattern.
fn is_ignored(job: &HookJob, repo: &GitRepo<'_>, relative: &Path) -> Result<bool, HookFailure> {
    let path = Path::new(".").join(relative).into_os_string();
    let words = ["check-ignore", "--quiet", "--"].map(Into::into);
    let mut command = repo.command(words.into_iter().chain([path]), RepoHooks::Skip);
    command.env.push((LITERAL_PATHSPECS.into(), "0".into()));
    let finished = job.run(command)?;
    Ok(matches!(finished.ending, Ending::Exited(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_list_matches_autohand() {
        for (path, skipped) in [
            (".env", true),
            (".env.local", true),
            ("config/.env.example", true),
            ("debug.log", true),
            ("a/b.tmp", true),
            ("a/.b.rs.swp", true),
            ("x.bak", true),
            ("node_modules/x/index.js", true),
            ("packages/a/node_modules/x.js", true),
            (".git/config", true),
            ("dist/app.js", true),
            ("build/x.o", true),
            ("coverage/lcov.info", true),
            ("src/build.rs", false),
            ("src/dist.ts", false),
            ("src/builder/x.rs", false),
            ("changelog", false),
            ("src/a.rs", false),
        ] {
            assert_eq!(is_skipped(Path::new(path)), skipped, "{path}");
        }
    }
}
