//! Git, and the version control systems beside it.
//!
//! [`check`] finds the subcommand behind git's own flags and aliases; most subcommands are a table, those whose
//! operands decide have a file of their own.

mod alias;
mod checkout;
mod config;
mod nested;
mod other;
mod push;
pub(super) mod rules;
mod table;

pub use nested::shell_of_git;

use super::args::{Args, Style};
use super::tool::{Call, Scene, report};
use crate::command::{UNKNOWN, Word};
use crate::rule::{Finding, Rule};
use rules::{ALIAS, CONFIG_EXECUTES, EXECUTES, HOOKS_OFF, UNKNOWN_COMMAND};

pub(super) use other::TOOLS;

/// Aliases of aliases are followed this far.
const DEEPEST_ALIAS: usize = 5;

pub(super) fn check(scene: &Scene<'_>, call: Call<'_>, found: &mut Vec<Finding>) {
    match call.program {
        "git" | "hub" | "lab" => check_git(scene, call, 0, found),
        program => {
            // `git-push` and `git-filter-repo` are the same programs by their own names.
            if let Some(subcommand) = program.strip_prefix("git-") {
                let git = Globals::default();
                judge(scene, call, &git, subcommand, call.args, found);
            }
        }
    }
}

fn check_git(scene: &Scene<'_>, call: Call<'_>, depth: usize, found: &mut Vec<Finding>) {
    let (globals, rest) = Globals::read(call.args);
    let settings = globals.settings.iter().copied();
    for (key, value) in settings.chain(config::from_environment(scene.command)) {
        if let Some(rule) = config::judge_setting(key, value) {
            report(rule, scene.command, call, found);
        }
    }
    if config::hooks_switched_off(scene.command) {
        report(&HOOKS_OFF, scene.command, call, found);
    }
    if globals.other_programs {
        report(&CONFIG_EXECUTES, scene.command, call, found);
    }
    let Some((subcommand, args)) = rest.split_first() else {
        return;
    };
    let name = subcommand.text.as_str();
    if name.contains(UNKNOWN) {
        return report(&UNKNOWN_COMMAND, scene.command, call, found);
    }
    match alias::expansion(scene, &globals, name) {
        Some(alias::Expansion::Shell) => report(&ALIAS, scene.command, call, found),
        Some(alias::Expansion::Words(expansion)) if depth < DEEPEST_ALIAS => {
            let globals = &call.args[..call.args.len() - rest.len()];
            let words = [globals, &expansion, args].concat();
            let expanded = Call {
                program: "git",
                args: &words,
            };
            check_git(scene, expanded, depth + 1, found);
        }
        Some(alias::Expansion::Words(_)) => report(&UNKNOWN_COMMAND, scene.command, call, found),
        None => judge(scene, call, &globals, name, args, found),
    }
}

fn judge(
    scene: &Scene<'_>,
    call: Call<'_>,
    globals: &Globals<'_>,
    subcommand: &str,
    words: &[Word],
    found: &mut Vec<Finding>,
) {
    let args = Args::read(words, table::values_of(subcommand), Style::Abbreviating)
        .with_more(scene.command.more_operands);
    if args.asks_for_help() {
        return;
    }
    let rule: Option<&'static Rule> = match subcommand {
        "push" => push::judge(&args).or_else(|| push::to_new_remote(scene, &args)),
        "clean" if globals.cleans_unforced() && !(args.has("n") || args.has("dry-run")) => {
            Some(&rules::CLEAN)
        }
        "checkout" => checkout::judge(scene, globals.directory(scene).as_deref(), &args),
        "config" => config::judge(&args),
        _ => table::judge(subcommand, &args),
    };
    let skipped_hooks = table::skips_hooks(subcommand, &args);
    let executes = runs_program(subcommand, &args);
    let set_by_clone = clone_setting(subcommand, &args);
    let made_from = template(subcommand, &args);
    for rule in [rule, skipped_hooks, executes, set_by_clone, made_from]
        .into_iter()
        .flatten()
    {
        report(rule, scene.command, call, found);
    }
}

/// `git clone -c key=value` writes the setting into the new clone.
fn clone_setting(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    if subcommand != "clone" {
        return None;
    }
    args.values_of(&["c", "config"])
        .find_map(config::judge_pair)
}

/// Hooks come out of the template that a repository is made from.
fn template(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    let makes = matches!(subcommand, "clone" | "init");
    let given = args.values_of(&["template"]).any(|path| !path.is_empty());
    (makes && given).then_some(&CONFIG_EXECUTES)
}

/// A transport that is a program of the caller's choice.
fn runs_program(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    let transfers = matches!(
        subcommand,
        "clone"
            | "fetch"
            | "pull"
            | "push"
            | "ls-remote"
            | "archive"
            | "remote"
            | "submodule"
            | "fetch-pack"
    );
    let program = ["upload-pack", "receive-pack", "exec", "u"]
        .iter()
        .any(|flag| {
            args.flags.iter().any(|given| {
                given.name == *flag
                    && (*flag != "u" || subcommand == "clone")
                    && given.value.is_some_and(|value| !value.starts_with("git-"))
            })
        });
    let external = args
        .texts()
        .any(|text| text.starts_with("ext::") || text.starts_with("fd::"));
    (transfers && (program || external)).then_some(&EXECUTES)
}

/// What stands between `git` and the subcommand.
#[derive(Default)]
pub(super) struct Globals<'a> {
    /// `-c key=value`.
    settings: Vec<(&'a str, &'a str)>,
    /// `-C`, in order; each is relative to the one before.
    directories: Vec<&'a str>,
    /// `--exec-path=` says where git's own programs are.
    other_programs: bool,
}

impl<'a> Globals<'a> {
    /// The flags, and the words from the subcommand on.
    fn read(words: &'a [Word]) -> (Self, &'a [Word]) {
        let mut globals = Self::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if !text.starts_with('-') {
                break;
            }
            let next = words.get(at + 1).map(|word| word.text.as_str());
            at += 1;
            match text {
                "-c" => {
                    globals.settings.extend(next.map(pair));
                    at += 1;
                }
                "-C" => {
                    globals.directories.extend(next);
                    at += 1;
                }
                "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--config-env"
                | "--attr-source" => at += 1,
                _ if text.starts_with("--config-env=") => {
                    globals.settings.push(pair(&text["--config-env=".len()..]));
                }
                _ if text.starts_with("--exec-path=") => globals.other_programs = true,
                _ => {}
            }
        }
        (globals, words.get(at..).unwrap_or_default())
    }
}

impl Globals<'_> {
    /// `-c clean.requireForce=false`
    fn cleans_unforced(&self) -> bool {
        self.settings
            .iter()
            .any(|(key, value)| config::unforces_clean(key, value))
    }

    /// The directory in which git would work, if it is known.
    fn directory(&self, scene: &Scene<'_>) -> Option<String> {
        let mut directory = scene.command.cwd.clone();
        for part in &self.directories {
            directory = match directory {
                _ if part.starts_with('/') => Some((*part).to_owned()),
                Some(before) if is_plain_path(part) => Some(format!("{before}/{part}")),
                _ => None,
            };
        }
        directory
    }
}

/// Facts are asked with paths that have no `.` and `..`.
fn is_plain_path(path: &str) -> bool {
    !path.contains(UNKNOWN)
        && !path
            .split('/')
            .any(|part| matches!(part, "" | "." | ".." | "~"))
}

/// `key=value`; a key alone is true.
fn pair(setting: &str) -> (&str, &str) {
    setting.split_once('=').unwrap_or((setting, "true"))
}

/// Branches that everybody builds on.
fn is_protected(branch: &str) -> bool {
    let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    let name = name.strip_prefix("heads/").unwrap_or(name);
    matches!(
        name,
        "main"
            | "master"
            | "trunk"
            | "develop"
            | "production"
            | "prod"
            | "staging"
            | "release"
            | "stable"
            | "gh-pages"
    ) || name.starts_with("release/")
        || name.starts_with("releases/")
}
