//! `git-auto-stage`: stages the files that the agent changes, each by itself.

use std::path::{Component, Path};

use becket_runner::HookOutput;
use becket_runner::process::Ending;

use super::repo::{Hooks, LITERAL, Repo};
use super::{own, secret};
use crate::hook::{Job, Trouble, Work};
use crate::options::{Options, ProjectTools, Read};
use crate::places::{self, ProjectFile};
use crate::registry::OptionDoc;
use crate::told;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "skip",
        holds: "list of texts",
        default: "[]",
        about: "Globs of further files to leave alone, relative to the project.",
    },
    OptionDoc {
        name: "project_tools",
        holds: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where filters that a repository itself configures may run.",
    },
];

/// Never staged, wherever they lie.
const SKIPPED_DIRECTORIES: [&str; 5] = ["node_modules", ".git", "dist", "build", "coverage"];
const SKIPPED_ENDINGS: [&str; 4] = [".log", ".tmp", ".swp", ".bak"];

pub(crate) struct Stage {
    skip: Vec<String>,
    tools: ProjectTools,
}

impl Stage {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        Ok(Self {
            skip: options.texts("skip")?.unwrap_or_default(),
            tools: ProjectTools::read(options)?,
        })
    }

    fn wants(&self, file: &ProjectFile) -> bool {
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

impl Work for Stage {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        for file in places::changed(job) {
            if self.wants(&file) {
                stage(job, &file, self.tools)?;
            }
        }
        Ok(HookOutput::allow())
    }
}

/// The list of Autohand's script.
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

const UNTRUSTED: &str = "this repository's own configuration names a program that git would run, and the project is not trusted; see `becket trust`, or set `project_tools = true`";

fn stage(job: &Job, file: &ProjectFile, tools: ProjectTools) -> Result<(), Trouble> {
    // A file may be gone, and its directory with it.
    let dir = file.path.ancestors().skip(1).find(|dir| dir.is_dir());
    let Some(repo) = Repo::around(job, dir.unwrap_or(&file.root))? else {
        return Ok(());
    };
    let Ok(relative) = file.path.strip_prefix(&repo.top) else {
        return Ok(());
    };
    // To stage a file then would call its conflict settled, or slip it into another commit.
    if repo.under_way().is_some() {
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
    if !job.may_run_project_code(tools) && own::has_programs(&repo)? {
        if told::first_time(job, "programs") {
            return Err(UNTRUSTED.into());
        }
        return Ok(());
    }
    let add = repo.command(args(&["add", "--all", "--"]), Hooks::Skip);
    repo.write_index(&add)
}

/// `check-ignore` refuses to take paths literally; with `./` before it no path is a pattern to it.
fn is_ignored(job: &Job, repo: &Repo<'_>, relative: &Path) -> Result<bool, Trouble> {
    let path = Path::new(".").join(relative).into_os_string();
    let words = ["check-ignore", "--quiet", "--"].map(Into::into);
    let mut command = repo.command(words.into_iter().chain([path]), Hooks::Skip);
    command.env.push((LITERAL.into(), "0".into()));
    let finished = job.run(command)?;
    Ok(matches!(finished.ending, Ending::Exited(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skip_list_is_autohands() {
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
