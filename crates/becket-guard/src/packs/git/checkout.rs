//! `git checkout` is two commands: one switches branches and never loses work, the other overwrites files.

use super::super::args::Args;
use super::super::tool::CommandContext;
use super::is_plain_path;
use crate::facts::PathKind;
use crate::rule::Rule;
use crate::rules;

pub(super) fn judge(
    context: &CommandContext<'_>,
    directory: Option<&str>,
    args: &Args<'_>,
) -> Option<&'static Rule> {
    if args.has("f") || args.has("force") {
        return Some(&rules::GIT_DISCARD);
    }
    if args.has("p") || args.has("patch") {
        return None;
    }
    let makes_branch = ["b", "orphan", "t", "track", "d", "detach"]
        .iter()
        .any(|flag| args.has(flag));
    if args.has("B") {
        return (args.operands.len() > 1).then_some(&rules::GIT_BRANCH_MOVE);
    }
    if makes_branch {
        return None;
    }
    // Choosing a side of a conflict is safe: the other side stays in the commits.
    if args.has("ours") || args.has("theirs") || args.has("merge") || args.has("conflict") {
        return None;
    }
    overwrites_files(context, directory, args).then_some(&rules::GIT_DISCARD)
}

fn overwrites_files(
    context: &CommandContext<'_>,
    directory: Option<&str>,
    args: &Args<'_>,
) -> bool {
    if args
        .flags
        .iter()
        .any(|flag| flag.name.starts_with("pathspec-from-file"))
    {
        return true;
    }
    match (args.separator, args.operands.as_slice()) {
        (Some(before), operands) => before < operands.len(),
        (None, []) => false,
        (None, [one]) => context.command.more_operands || is_path(context, directory, one.text),
        (None, [_, _, ..]) => true,
    }
}

fn is_path(context: &CommandContext<'_>, directory: Option<&str>, operand: &str) -> bool {
    let looks = matches!(operand, "." | ".." | "*" | ":/" | ":" | ":/*")
        || operand.starts_with("./")
        || operand.starts_with("../")
        || operand.starts_with(":(")
        || operand.contains('*');
    looks || is_file(context, directory, operand)
}

/// Git rejects a name that is both a branch and a file, so the name of an existing file means the file.
fn is_file(context: &CommandContext<'_>, directory: Option<&str>, operand: &str) -> bool {
    if !context.command.is_local() || !is_plain_path(operand.trim_start_matches('/')) {
        return false;
    }
    let path = match directory {
        _ if operand.starts_with('/') => operand.to_owned(),
        Some(directory) => format!("{}/{operand}", directory.trim_end_matches('/')),
        None => return false,
    };
    context.facts.path_kind(&path) == Some(PathKind::File)
}
