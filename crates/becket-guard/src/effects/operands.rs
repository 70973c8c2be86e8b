//! How the commands of a script hang together: whose output is whose input, who runs whom.

use std::borrow::Cow;

use super::{Origin, disk};
use crate::command::{Invocation, Script, Stdin, UNKNOWN, Via, Word};

/// Programs whose arguments are seen afterwards, here or elsewhere.
#[rustfmt::skip]
const SHOWING: &[&str] = &[
    "cat", "curl", "echo", "eval", "gh", "git", "glab", "http", "https", "logger", "mail", "nc",
    "print", "printf", "ssh", "tee", "wget", "xh",
];

/// Words that come out of a known text; what follows them is unknown.
const MOST_WORDS: usize = 256;

/// Where `command` is in its script.
pub(super) fn index_of(command: &Invocation, script: &Script) -> Option<usize> {
    let commands = &script.commands;
    commands
        .iter()
        .position(|known| std::ptr::eq(known, command))
        .or_else(|| commands.iter().position(|known| known == command))
}

/// The command that reads the output of the one at `at`.
pub(super) fn reader_of(at: usize, script: &Script) -> Option<&Invocation> {
    let mut commands = script.commands.iter();
    commands.find(|command| command.sources.contains(&at))
}

/// Where what the command prints goes: to whoever looks, or into another command's arguments, which may be nothing
/// but variables.
pub(super) fn origin(command: &Invocation, script: &Script) -> Origin {
    let shows = |outer: &Invocation| SHOWING.contains(&outer.program.as_str());
    let sets = |outer: &Invocation| matches!(outer.program.as_str(), "export" | "env" | "declare");
    let takers = || {
        let all = script.commands.iter();
        all.filter(|outer| takes(outer, command, script))
    };
    if !takers().any(|outer| !shows(outer)) {
        return Origin::Shell;
    }
    if !takers().any(sets) {
        return Origin::Captured;
    }
    // `export $(cat .env | xargs)` echoes into the export; `export X=$(cat .env); echo $X` shows it after all.
    let is_loaded =
        |inner: &Invocation| takers().any(|outer| sets(outer) && takes(outer, inner, script));
    if takers().any(|outer| shows(outer) && !is_loaded(outer)) {
        Origin::Captured
    } else {
        Origin::Loaded
    }
}

/// Whether what `inner` prints is part of the arguments or the environment of `outer`.
fn takes(outer: &Invocation, inner: &Invocation, script: &Script) -> bool {
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

/// The command with operands that `find`, `xargs` or `mktemp` give it, where those can be told.
pub(super) fn filled_in<'c>(
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
    if let Some(words) = given_operands(command, before, script) {
        return Cow::Owned(with_operands(command, &words));
    }
    if before.iter().any(|command| command.program == "mktemp") {
        return Cow::Owned(in_temporary(command, before, script));
    }
    Cow::Borrowed(command)
}

fn given_operands(
    command: &Invocation,
    before: &[Invocation],
    script: &Script,
) -> Option<Vec<Word>> {
    let wrapper = command.via.iter().rev().find_map(|via| match via {
        Via::Wrapper(name) => name.split_whitespace().next(),
        _ => None,
    })?;
    let giver = before
        .iter()
        .rev()
        .find(|command| command.program == wrapper)?;
    match wrapper {
        "find" => Some(disk::found_by(giver)),
        "xargs" | "parallel" => match [&giver.stdin, &command.stdin]
            .into_iter()
            .find(|stdin| **stdin != Stdin::Inherited)?
        {
            Stdin::Text(text) => {
                let mut words = text.split_whitespace();
                let mut operands: Vec<Word> =
                    words.by_ref().take(MOST_WORDS).map(Word::literal).collect();
                operands.extend(words.next().map(|_| Word::literal(UNKNOWN)));
                Some(operands)
            }
            Stdin::Pipe(at) => {
                let source = script.commands.get(*at)?;
                (source.program == "find").then(|| disk::found_by(source))
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

/// What `mktemp` printed is a temporary path, and so is the directory that the script went to with it.
fn in_temporary(command: &Invocation, before: &[Invocation], script: &Script) -> Invocation {
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
