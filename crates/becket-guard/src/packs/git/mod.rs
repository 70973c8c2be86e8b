//! Git and other version control systems.
//!
//! [`check`] finds the subcommand behind git's global flags and aliases. A table covers most subcommands; those
//! that depend on their operands have their own files.

mod alias;
mod checkout;
mod config;
mod push;
mod shell_commands;
mod subcommands;

pub use shell_commands::git_shell_commands;

use super::args::{Args, FlagStyle};
use super::tool::{CommandContext, ProgramCall, report};
use crate::command::{UNKNOWN, Word};
use crate::rule::{Finding, Rule};
use crate::rules;

/// Maximum depth of aliases that expand to aliases.
const MAX_ALIAS_DEPTH: usize = 5;

pub(super) fn check(context: &CommandContext<'_>, call: ProgramCall<'_>, found: &mut Vec<Finding>) {
    match call.program {
        "git" | "hub" | "lab" => check_git(context, call, 0, found),
        program => {
            // `git-push` and `git-filter-repo` are separate executables for the same commands.
            if let Some(subcommand) = program.strip_prefix("git-") {
                let git = GitGlobals::default();
                judge(context, call, &git, subcommand, call.args, found);
            }
        }
    }
}

fn check_git(
    context: &CommandContext<'_>,
    call: ProgramCall<'_>,
    depth: usize,
    found: &mut Vec<Finding>,
) {
    let (globals, rest) = GitGlobals::read(call.args);
    let settings = globals.settings.iter().copied();
    for (key, value) in settings.chain(config::from_environment(context.command)) {
        if let Some(rule) = config::judge_setting(key, value) {
            report(rule, context.command, call, found);
        }
    }
    if config::hooks_switched_off(context.command) {
        report(&rules::GUARD_GIT_HOOKS_OFF, context.command, call, found);
    }
    if globals.other_programs {
        report(&rules::GIT_CONFIG_EXECUTES, context.command, call, found);
    }
    let Some((subcommand, args)) = rest.split_first() else {
        return;
    };
    let name = subcommand.text.as_str();
    if name.contains(UNKNOWN) {
        return report(&rules::GIT_UNKNOWN_COMMAND, context.command, call, found);
    }
    match alias::expansion(context, &globals, name) {
        Some(alias::AliasExpansion::Shell) => {
            report(&rules::GIT_ALIAS, context.command, call, found);
        }
        Some(alias::AliasExpansion::Words(expansion)) if depth < MAX_ALIAS_DEPTH => {
            let globals = &call.args[..call.args.len() - rest.len()];
            let words = [globals, &expansion, args].concat();
            let expanded = ProgramCall {
                program: "git",
                args: &words,
            };
            check_git(context, expanded, depth + 1, found);
        }
        Some(alias::AliasExpansion::Words(_)) => {
            report(&rules::GIT_UNKNOWN_COMMAND, context.command, call, found);
        }
        None => judge(context, call, &globals, name, args, found),
    }
}

fn judge(
    context: &CommandContext<'_>,
    call: ProgramCall<'_>,
    globals: &GitGlobals<'_>,
    subcommand: &str,
    words: &[Word],
    found: &mut Vec<Finding>,
) {
    let args = Args::read(
        words,
        subcommands::values_of(subcommand),
        FlagStyle::Abbreviating,
    )
    .with_unknown_operands(context.command.more_operands);
    if args.is_help_request() {
        return;
    }
    let rule: Option<&'static Rule> = match subcommand {
        "push" => push::judge(&args).or_else(|| push::to_new_remote(context, &args)),
        "clean"
            if globals.has_force_check_disabled() && !(args.has("n") || args.has("dry-run")) =>
        {
            Some(&rules::GIT_CLEAN)
        }
        "checkout" => checkout::judge(context, globals.directory(context).as_deref(), &args),
        "config" => config::judge(&args),
        _ => subcommands::judge(subcommand, &args),
    };
    let skipped_hooks = subcommands::skips_hooks(subcommand, &args);
    let executes = runs_program(subcommand, &args);
    let set_by_clone = clone_setting(subcommand, &args);
    let made_from = template(subcommand, &args);
    for rule in [rule, skipped_hooks, executes, set_by_clone, made_from]
        .into_iter()
        .flatten()
    {
        report(rule, context.command, call, found);
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

/// A new repository takes its hooks from the template.
fn template(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    let makes = matches!(subcommand, "clone" | "init");
    let given = args.values_of(&["template"]).any(|path| !path.is_empty());
    (makes && given).then_some(&rules::GIT_CONFIG_EXECUTES)
}

/// A caller-chosen program used as a transport.
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
    (transfers && (program || external)).then_some(&rules::GIT_EXECUTES)
}

/// The options between `git` and the subcommand.
#[derive(Default)]
pub(super) struct GitGlobals<'a> {
    /// `-c key=value`.
    settings: Vec<(&'a str, &'a str)>,
    /// `-C`, in order; each is relative to the one before.
    directories: Vec<&'a str>,
    /// `--exec-path=` replaces git's own programs.
    other_programs: bool,
}

impl<'a> GitGlobals<'a> {
    /// Parses the global flags; returns them and the words from the subcommand on.
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

impl GitGlobals<'_> {
    /// `-c clean.requireForce=false`
    fn has_force_check_disabled(&self) -> bool {
        self.settings
            .iter()
            .any(|(key, value)| config::disables_force_check(key, value))
    }

    /// The directory in which git works, if it is known.
    fn directory(&self, context: &CommandContext<'_>) -> Option<String> {
        let mut directory = context.command.cwd.clone();
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

/// Fact lookups need paths without `.` and `..`.
fn is_plain_path(path: &str) -> bool {
    !path.contains(UNKNOWN)
        && !path
            .split('/')
            .any(|part| matches!(part, "" | "." | ".." | "~"))
}

/// Splits `key=value`; a key without a value is true.
fn pair(setting: &str) -> (&str, &str) {
    setting.split_once('=').unwrap_or((setting, "true"))
}

/// Branches that other people build on.
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
