//! Git subcommands that are judged by their flags.

use super::super::args::Args;
use super::super::tool::{PatternRule, fine, on};
use super::is_protected;
use crate::rule::Rule;
use crate::rules;

/// A subcommand with its patterns.
struct GitSubcommand {
    name: &'static str,
    /// Flags that take the next word; `-u?` takes only an attached value.
    values: &'static str,
    /// The patterns, in order.
    cases: &'static [PatternRule],
}

include!(concat!(env!("OUT_DIR"), "/git_subcommands.rs"));

fn find(name: &str) -> Option<&'static GitSubcommand> {
    let at = SUBCOMMANDS.binary_search_by(|known| known.name.cmp(name));
    at.ok().map(|at| &SUBCOMMANDS[at])
}

/// Flags of the subcommand that take the next word.
pub(super) fn values_of(subcommand: &str) -> &'static str {
    find(subcommand).map_or("", |known| known.values)
}

pub(super) fn judge(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    if subcommand == "branch" {
        return branch(args);
    }
    find(subcommand)?
        .cases
        .iter()
        .find(|case| case.matches(args))
        .and_then(PatternRule::rule)
}

/// `-d` refuses to delete unmerged commits; `-D`, or `-d` with `-f`, does not.
fn branch(args: &Args<'_>) -> Option<&'static Rule> {
    let force = args.has("f") || args.has("force");
    let deletes = args.has("d") || args.has("delete");
    // The next fetch restores a remote-tracking branch.
    if args.has("r") || args.has("remotes") {
        return None;
    }
    if args.has("D") || (deletes && force) {
        let main = args.texts().any(is_protected);
        return Some(if main {
            &rules::GIT_BRANCH_DELETE_MAIN
        } else {
            &rules::GIT_BRANCH_DELETE
        });
    }
    let renames = ["m", "move", "c", "copy", "M", "C"]
        .iter()
        .any(|flag| args.has(flag));
    (force && !deletes && !renames).then_some(&rules::GIT_BRANCH_MOVE)
}

/// `-n` skips hooks for `commit` only.
pub(super) fn skips_hooks(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    let known = matches!(
        subcommand,
        "commit" | "push" | "merge" | "rebase" | "am" | "pull" | "cherry-pick" | "revert"
    );
    let long = args
        .flags
        .iter()
        .any(|flag| flag.name.len() >= "no-v".len() && "no-verify".starts_with(flag.name));
    (known && (long || (subcommand == "commit" && args.has("n"))))
        .then_some(&rules::GUARD_NO_VERIFY)
}
