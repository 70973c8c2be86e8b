//! The proof that a script only reads.
//!
//! A person need not be asked about such a command. The burden is on the proof: an unknown program, an unknown
//! flag, a word that only running would tell, a redirection to a file, a variable that changes what programs do,
//! and there is none. Building and testing count as reading, because that is what everyone wants not to be asked
//! about; they run the project's own code, which the agent is working on anyway.

mod git;
mod readers;
mod scripts;
mod table;

#[cfg(test)]
mod tests;

use crate::command::{Invocation, RedirectKind, Script, Via, Word};
use crate::facts::Place;

/// Whether a word of a command names something secret.
pub type IsSecret<'a> = &'a dyn Fn(&Word, &Invocation) -> bool;

/// Whether every command of `script` provably only reads, and reads nothing that `is_secret` says is secret.
pub fn proven(script: &Script, place: &Place, is_secret: IsSecret<'_>) -> bool {
    script.doubts.is_empty()
        && !script.commands.is_empty()
        && script.commands.iter().enumerate().all(|(at, command)| {
            let wraps = wrapped(script, at);
            runs_as_it_seems(command)
                && writes_no_file(command)
                && reads_no_secret(command, is_secret)
                && only_reads(command, wraps, place)
        })
}

/// The command that the one at `at` wraps: it follows, and has one more hand in running it.
fn wrapped(script: &Script, at: usize) -> Option<&Invocation> {
    let next = script.commands.get(at + 1)?;
    let deeper = next.via.len() > script.commands[at].via.len();
    (deeper && matches!(next.via.last(), Some(Via::Wrapper(_)))).then_some(next)
}

/// Nothing about it is hidden: here, as this user, with a known directory, program and environment.
fn runs_as_it_seems(command: &Invocation) -> bool {
    let plainly = command.via.iter().all(|via| matches!(via, Via::Wrapper(_)));
    let known = command.args.iter().all(Word::is_known);
    let written = command.path.as_deref().unwrap_or(&command.program);
    let from_system = is_system_program(written, &command.program);
    let harmless = command
        .env
        .iter()
        .all(|(name, value)| is_harmless_variable(name, value));
    plainly && known && from_system && harmless && command.cwd.is_some()
}

/// Whether the path names that very program, and not one that a pattern, a gap or other letters only suggest.
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

/// Variables that change how output looks, and nothing else.
fn is_harmless_variable(name: &str, value: &Word) -> bool {
    match name {
        "PAGER" | "GIT_PAGER" | "GH_PAGER" | "MANPAGER" => {
            matches!(value.text.as_str(), "cat" | "")
        }
        "LANG"
        | "LANGUAGE"
        | "TZ"
        | "TERM"
        | "COLUMNS"
        | "LINES"
        | "NO_COLOR"
        | "FORCE_COLOR"
        | "CLICOLOR"
        | "CI"
        | "RUST_BACKTRACE"
        | "RUST_LOG"
        | "CARGO_TERM_COLOR"
        | "PYTHONUNBUFFERED"
        | "PYTHONDONTWRITEBYTECODE"
        | "GIT_OPTIONAL_LOCKS"
        | "GIT_TERMINAL_PROMPT" => value.is_known(),
        _ => name.starts_with("LC_") && value.is_known(),
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

/// Every word counts, and every part of it that may be a path: `--file=x`, `HEAD:x`.
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

fn only_reads(command: &Invocation, wraps: Option<&Invocation>, place: &Place) -> bool {
    if command.more_operands && !table::prints_no_content(&command.program) {
        return false;
    }
    match command.program.as_str() {
        "git" => git::only_reads(command, place),
        program if table::is_wrapper(program) && wraps.is_some() => table::wraps_plainly(command),
        _ => table::only_reads(command),
    }
}
