//! `git push`: overwriting, deleting and uploading.

use super::super::args::Args;
use super::super::tool::CommandContext;
use super::is_protected;
use crate::rule::Rule;
use crate::rules;

pub(super) fn judge(args: &Args<'_>) -> Option<&'static Rule> {
    if args.has("n") || args.has("dry-run") {
        return None;
    }
    if args.has("mirror") {
        return Some(&rules::GIT_PUSH_MIRROR);
    }
    let refspecs = || args.texts().skip(1);
    forced(args, refspecs())
        .or_else(|| deleted(args, refspecs()))
        .or_else(|| leased(args, refspecs()))
        .or_else(|| {
            args.operand(0)
                .is_some_and(is_url)
                .then_some(&rules::GIT_PUSH_TO_URL)
        })
}

/// The remote branch that a refspec changes.
fn destination(refspec: &str) -> &str {
    let refspec = refspec.strip_prefix('+').unwrap_or(refspec);
    refspec.split_once(':').map_or(refspec, |(_, to)| to)
}

fn forced<'a>(
    args: &Args<'_>,
    mut refspecs: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'static Rule> {
    let everything = exactly(args, "f") || exactly(args, "force");
    let plus = refspecs.clone().any(|refspec| refspec.starts_with('+'));
    if !everything && !plus {
        return None;
    }
    let main = refspecs.any(|refspec| {
        (everything || refspec.starts_with('+')) && is_protected(destination(refspec))
    });
    Some(if main {
        &rules::GIT_PUSH_FORCE_MAIN
    } else {
        &rules::GIT_PUSH_FORCE
    })
}

/// `--force` is a prefix of `--force-with-lease`, so only the exact flag counts; git itself rejects `--forc` as
/// ambiguous.
fn exactly(args: &Args<'_>, name: &str) -> bool {
    args.flags
        .iter()
        .any(|flag| flag.name == name && flag.value != Some("false"))
}

fn deleted<'a>(
    args: &Args<'_>,
    refspecs: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'static Rule> {
    let all = args.has("d") || args.has("delete");
    let mut gone = refspecs
        .filter(|refspec| all || (refspec.starts_with(':') && refspec.len() > 1))
        .map(destination)
        .peekable();
    if gone.peek().is_none() {
        let prunes = args.flags.iter().any(|flag| flag.name == "prune");
        return (all || prunes).then_some(&rules::GIT_PUSH_DELETE);
    }
    Some(if gone.any(is_protected) {
        &rules::GIT_PUSH_DELETE_MAIN
    } else {
        &rules::GIT_PUSH_DELETE
    })
}

fn leased<'a>(
    args: &Args<'_>,
    mut refspecs: impl Iterator<Item = &'a str>,
) -> Option<&'static Rule> {
    let lease = args
        .flags
        .iter()
        .any(|flag| flag.name.starts_with("force-w"));
    (lease && refspecs.any(|refspec| is_protected(destination(refspec))))
        .then_some(&rules::GIT_PUSH_LEASE_MAIN)
}

/// A push to a remote that the same text has just added goes to an unreviewed address.
pub(super) fn to_new_remote(
    context: &CommandContext<'_>,
    args: &Args<'_>,
) -> Option<&'static Rule> {
    let remote = args.operand(0)?;
    let adds = |words: &[&str]| match words {
        ["remote", "add", rest @ ..] => {
            let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
            operands.next() == Some(&remote) && operands.next().is_some_and(|url| is_url(url))
        }
        _ => false,
    };
    let mut commands = context.script.commands.iter();
    commands
        .any(|command| command.program == "git" && adds(&command.words().collect::<Vec<_>>()))
        .then_some(&rules::GIT_PUSH_TO_URL)
}

fn is_url(remote: &str) -> bool {
    if remote.contains("://") {
        return !remote.starts_with("file://");
    }
    // `host:path` and `user@host:path`; a colon after a slash belongs to a path.
    remote
        .split_once(':')
        .is_some_and(|(host, path)| !host.is_empty() && !host.contains('/') && !path.is_empty())
}
