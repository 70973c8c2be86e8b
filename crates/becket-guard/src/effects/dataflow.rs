//! Data flow between the commands of a script: whose output is whose input, and which command runs which.

use std::borrow::Cow;

use super::{ActionOrigin, disk};
use crate::command::{Invocation, Launcher, Script, Stdin, UNKNOWN, Word};

/// Programs that print or send their arguments.
#[rustfmt::skip]
const PRINTING_PROGRAMS: &[&str] = &[
    "cat", "curl", "echo", "eval", "gh", "git", "glab", "http", "https", "logger", "mail", "nc",
    "print", "printf", "ssh", "tee", "wget", "xh",
];

/// Maximum number of words taken from a known text; the rest is unknown.
const MAX_WORDS: usize = 256;

pub(super) fn index_of(command: &Invocation, script: &Script) -> Option<usize> {
    let commands = &script.commands;
    commands
        .iter()
        .position(|known| std::ptr::eq(known, command))
        .or_else(|| commands.iter().position(|known| known == command))
}

/// The command that reads the output of the command at `at`.
pub(super) fn reader_of(at: usize, script: &Script) -> Option<&Invocation> {
    let mut commands = script.commands.iter();
    commands.find(|command| command.sources.contains(&at))
}

/// Where the command's output goes: to a reader, or into another command's arguments, possibly only as variables.
pub(super) fn action_origin(command: &Invocation, script: &Script) -> ActionOrigin {
    let shows = |outer: &Invocation| PRINTING_PROGRAMS.contains(&outer.program.as_str());
    let sets = |outer: &Invocation| matches!(outer.program.as_str(), "export" | "env" | "declare");
    let consumers = || {
        let all = script.commands.iter();
        all.filter(|outer| captures_output(outer, command, script))
    };
    if !consumers().any(|outer| !shows(outer)) {
        return ActionOrigin::Shell;
    }
    if !consumers().any(sets) {
        return ActionOrigin::Captured;
    }
    // `export $(cat .env | xargs)` only sets variables; `export X=$(cat .env); echo $X` prints the value.
    let is_loaded = |inner: &Invocation| {
        consumers().any(|outer| sets(outer) && captures_output(outer, inner, script))
    };
    if consumers().any(|outer| shows(outer) && !is_loaded(outer)) {
        ActionOrigin::Captured
    } else {
        ActionOrigin::Loaded
    }
}

/// Whether the output of `inner` is part of the arguments or the environment of `outer`.
fn captures_output(outer: &Invocation, inner: &Invocation, script: &Script) -> bool {
    let values = outer.env.iter().map(|(_, value)| value);
    let mut words = outer.args.iter().chain(values);
    words.any(|word| {
        !word.from.is_empty()
            && script
                .origins(&word.from)
                .iter()
                .any(|source| std::ptr::eq(*source, inner))
    })
}

/// The command with the operands that `find`, `xargs` or `mktemp` supply, as far as they are known.
pub(super) fn with_known_operands<'c>(
    command: &'c Invocation,
    script: &Script,
    at: Option<usize>,
) -> Cow<'c, Invocation> {
    let is_open = command.more_operands
        || command.cwd.is_none()
        || command.args.iter().any(|word| !word.is_known());
    let before = &script.commands[..at.unwrap_or(0)];
    if !is_open || before.is_empty() {
        return Cow::Borrowed(command);
    }
    if let Some(words) = known_operands(command, before, script) {
        return Cow::Owned(with_operands(command, &words));
    }
    if before.iter().any(|command| command.program == "mktemp") {
        return Cow::Owned(with_mktemp_paths(command, before, script));
    }
    Cow::Borrowed(command)
}

fn known_operands(
    command: &Invocation,
    before: &[Invocation],
    script: &Script,
) -> Option<Vec<Word>> {
    let wrapper = command.via.iter().rev().find_map(|via| match via {
        Launcher::Wrapper(name) => name.split_whitespace().next(),
        _ => None,
    })?;
    let supplier = before
        .iter()
        .rev()
        .find(|command| command.program == wrapper)?;
    match wrapper {
        "find" => Some(disk::search_results(supplier)),
        "xargs" | "parallel" => match [&supplier.stdin, &command.stdin]
            .into_iter()
            .find(|stdin| **stdin != Stdin::Inherited)?
        {
            Stdin::Text(text) => {
                let mut words = text.split_whitespace();
                let mut operands: Vec<Word> =
                    words.by_ref().take(MAX_WORDS).map(Word::literal).collect();
                operands.extend(words.next().map(|_| Word::literal(UNKNOWN)));
                Some(operands)
            }
            Stdin::Pipe(at) => {
                let source = script.commands.get(*at)?;
                (source.program == "find").then(|| disk::search_results(source))
            }
            Stdin::Inherited => None,
        },
        _ => None,
    }
}

fn with_operands(command: &Invocation, words: &[Word]) -> Invocation {
    let mut args = Vec::new();
    let mut placed = false;
    for arg in &command.args {
        if arg.is_known() {
            args.push(arg.clone());
        } else {
            placed = true;
            args.extend(words.iter().cloned());
        }
    }
    if !placed {
        args.extend(words.iter().cloned());
    }
    Invocation {
        args,
        more_operands: false,
        ..command.clone()
    }
}

/// The output of `mktemp` is a temporary path; a directory that the script enters with it is temporary, too.
fn with_mktemp_paths(command: &Invocation, before: &[Invocation], script: &Script) -> Invocation {
    let mut command = command.clone();
    let is_made = |word: &Word| {
        let origins = script.origins(&word.from);
        origins.iter().any(|source| source.program == "mktemp")
    };
    let mut moves = before.iter().rev();
    let last_move = moves.find(|command| matches!(command.program.as_str(), "cd" | "pushd"));
    if last_move.is_some_and(|moved| moved.args.iter().any(is_made)) {
        command.cwd.get_or_insert_with(|| format!("/tmp/{UNKNOWN}"));
    }
    for arg in &mut command.args {
        if arg.text.starts_with(UNKNOWN) && is_made(arg) {
            arg.text = format!("/tmp/{}", arg.text);
        }
    }
    command
}
