//! Proves that a script only reads.
//!
//! Such a command needs no confirmation. The burden is on the proof: it fails on an unknown program or flag, a word
//! that is only known at run time, a redirection to a file, or a variable that changes the behaviour of programs.
//! Building and testing count as reading, because people do not want to confirm them; they run the project's own
//! code, which the agent edits anyway.

mod conditions;
mod git;
mod scripts;
mod table;

#[cfg(test)]
mod tests;

use crate::command::{Invocation, Launcher, RedirectKind, Script, Word};
use crate::facts::RunLocation;
use crate::programs::{self, HARMLESS_VARIABLES};

/// Returns whether a word of a command names a secret.
pub type IsSecret<'a> = &'a dyn Fn(&Word, &Invocation) -> bool;

/// Whether every command of `script` provably only reads, and reads nothing that `is_secret` reports.
pub fn is_proven_read_only(
    script: &Script,
    location: &RunLocation,
    is_secret: IsSecret<'_>,
) -> bool {
    script.doubts.is_empty()
        && !script.commands.is_empty()
        && script.commands.iter().enumerate().all(|(at, command)| {
            let wraps = wrapped(script, at);
            runs_locally_as_written(command)
                && writes_no_file(command)
                && reads_no_secret(command, is_secret)
                && only_reads(command, wraps, location)
        })
}

/// The command that the one at `at` wraps: the next command, with one more launcher.
fn wrapped(script: &Script, at: usize) -> Option<&Invocation> {
    let next = script.commands.get(at + 1)?;
    let deeper = next.via.len() > script.commands[at].via.len();
    (deeper && matches!(next.via.last(), Some(Launcher::Wrapper(_)))).then_some(next)
}

/// Whether the command runs on this machine, as this user, with a known directory, program and environment.
fn runs_locally_as_written(command: &Invocation) -> bool {
    let plainly = command
        .via
        .iter()
        .all(|via| matches!(via, Launcher::Wrapper(_)));
    let known = command.args.iter().all(Word::is_known);
    let written = command.path.as_deref().unwrap_or(&command.program);
    let from_system = is_system_program(written, &command.program);
    let harmless = command
        .env
        .iter()
        .all(|(name, value)| is_harmless_variable(name, value));
    plainly && known && from_system && harmless && command.cwd.is_some()
}

/// Whether the path names exactly that program, without a glob, an unknown part or different case.
fn is_system_program(path: &str, program: &str) -> bool {
    let directories = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/opt/homebrew/bin/",
        "/sbin/",
        "/usr/sbin/",
    ];
    let within = |directory: &&str| path.strip_prefix(*directory) == Some(program);
    path == program || directories.iter().any(within)
}

/// Variables that only change how output looks.
fn is_harmless_variable(name: &str, value: &Word) -> bool {
    match name {
        "PAGER" | "GIT_PAGER" | "GH_PAGER" | "MANPAGER" => {
            matches!(value.text.as_str(), "cat" | "")
        }
        _ => {
            let is_listed = programs::contains(HARMLESS_VARIABLES, name);
            (is_listed || name.starts_with("LC_")) && value.is_known()
        }
    }
}

fn writes_no_file(command: &Invocation) -> bool {
    command
        .redirects
        .iter()
        .all(|redirect| match redirect.kind {
            RedirectKind::Read => redirect.target.is_known(),
            RedirectKind::Truncate | RedirectKind::Append => matches!(
                redirect.target.text.as_str(),
                "/dev/null" | "/dev/stdout" | "/dev/stderr"
            ),
            RedirectKind::ReadWrite => false,
        })
}

/// Checks every word and every part of it that may be a path: `--file=x`, `HEAD:x`.
fn reads_no_secret(command: &Invocation, is_secret: IsSecret<'_>) -> bool {
    let words = command
        .args
        .iter()
        .chain(command.redirects.iter().map(|redirect| &redirect.target));
    words.into_iter().all(|word| {
        let parts = word.text.match_indices(['=', ':']).map(|(at, _)| Word {
            text: word.text[at + 1..].to_owned(),
            ..word.clone()
        });
        !is_secret(word, command) && !parts.into_iter().any(|part| is_secret(&part, command))
    })
}

fn only_reads(command: &Invocation, wraps: Option<&Invocation>, location: &RunLocation) -> bool {
    if command.more_operands && !table::prints_no_content(&command.program) {
        return false;
    }
    match command.program.as_str() {
        "git" => git::only_reads(command, location),
        program if table::is_wrapper(program) && wraps.is_some() => table::wraps_plainly(command),
        _ => table::only_reads(command),
    }
}
