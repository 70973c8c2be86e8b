//! Effects of copying, moving, linking, packing and unpacking.

use super::flags::{FlagGrammar, ParsedArgs, part};
use super::programs::all;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Word};
use crate::facts::PathKind;
use crate::paths::{PathContext, is_example, name};

const COPY: FlagGrammar = FlagGrammar {
    short: "tSmog",
    attached: "",
    long: &[
        "target-directory=",
        "suffix=",
        "no-clobber",
        "no-target-directory",
        "recursive",
        "archive",
        "force",
        "parents",
        "mode=",
        "owner=",
        "group=",
        "directory",
        "update",
        "backup",
        "symbolic",
        "interactive",
    ],
    stops: false,
};

/// `cp`, `mv`, `install`, `ln`.
pub(super) fn effects(command: &Invocation, context: &PathContext<'_>) -> Vec<PathEffect> {
    let program = command.program.trim_start_matches('g');
    let is_install = program == "install";
    // `-m`, `-o` and `-g` take a value with `install` only.
    let grammar = if is_install {
        COPY
    } else {
        FlagGrammar {
            short: "tS",
            ..COPY
        }
    };
    let line = ParsedArgs::of(command, &grammar);
    if is_install && line.has(&["d", "directory"]) {
        return Vec::new();
    }
    let named = line.values(&["t", "target-directory"]).next().cloned();
    let (sources, target) = match (named, line.operands.split_last()) {
        (Some(target), _) => (line.operands.as_slice(), target),
        // `ln -s FILE` creates the link in the working directory.
        (None, Some((only, []))) if program == "ln" => {
            (std::slice::from_ref(only), Word::literal("."))
        }
        (None, Some((last, sources))) => (sources, last.clone()),
        (None, None) => return Vec::new(),
    };
    let gentle = line.has(&["n", "no-clobber"]);
    let (from, onto) = match program {
        "mv" => (Verb::MoveFrom, Verb::MoveOnto),
        _ if gentle => (Verb::CopyFrom, Verb::CopyIfMissing),
        _ => (Verb::CopyFrom, Verb::CopyOnto),
    };
    if context.absolute(&target.text) == "/dev/null" {
        return all(
            sources,
            if program == "mv" {
                Verb::DeleteRecursive
            } else {
                Verb::Feed
            },
        );
    }
    let into = is_directory(&target, sources.len(), context);
    let mut effects = Vec::new();
    for source in sources {
        let target = if into {
            inside(&target, source)
        } else {
            target.clone()
        };
        effects.push(PathEffect {
            verb: from,
            target: source.clone(),
            onto: Some(target.clone()),
        });
        let onto = if onto == Verb::CopyOnto && is_example_of(source, &target) {
            Verb::CopyIfMissing
        } else {
            onto
        };
        let nothing_there =
            gentle || context.path_kind(&context.absolute(&target.text)) == Some(PathKind::Missing);
        if !(nothing_there && is_example_of(source, &target)) {
            effects.push(PathEffect::new(onto, target));
        }
    }
    effects
}

/// `cp .env.example .env` is a normal project setup step. The guard asks only if `.env` exists.
fn is_example_of(source: &Word, target: &Word) -> bool {
    let (from, to) = (name(&source.text), name(&target.text));
    let is_env = to.starts_with(".env") && from.starts_with(".env") && is_example(from);
    is_env
        || from
            .strip_prefix(to)
            .is_some_and(|rest| rest.starts_with('.') && is_example(rest))
}

fn is_directory(target: &Word, sources: usize, context: &PathContext<'_>) -> bool {
    let text = target.text.as_str();
    sources > 1
        || text.ends_with('/')
        || matches!(text, "." | ".." | "~")
        || context.path_kind(&context.absolute(text)) == Some(PathKind::Directory)
}

/// The path of `source` after it is copied into the directory `target`.
fn inside(target: &Word, source: &Word) -> Word {
    let name = name(source.text.trim_end_matches('/'));
    let mut word = part(
        target,
        &format!("{}/{name}", target.text.trim_end_matches('/')),
    );
    word.glob |= source.glob;
    word
}

/// `tar`, `zip`, `7z`, `split`, `cpio`.
pub(super) fn archive(command: &Invocation) -> Vec<PathEffect> {
    match command.program.as_str() {
        "tar" | "gtar" | "bsdtar" => tar(command),
        "unzip" => unzip(command),
        "cpio" => unpacked(command, &["-D", "--directory="]),
        "7z" | "7za" | "7zz"
            if command
                .words()
                .next()
                .is_some_and(|verb| matches!(verb, "x" | "e")) =>
        {
            unpacked(command, &["-o"])
        }
        program => pack(command, program),
    }
}

/// Effects on the directory that one of these flags names: the archive may contain any file.
fn unpacked(command: &Invocation, flags: &[&str]) -> Vec<PathEffect> {
    let directories = command.args.iter().enumerate().filter_map(|(at, word)| {
        let value = flags.iter().find_map(|flag| word.text.strip_prefix(flag))?;
        if value.is_empty() {
            return command.args.get(at + 1).cloned();
        }
        Some(part(word, value))
    });
    let directories: Vec<Word> = directories.collect();
    all(&directories, Verb::CopyOnto)
}

fn tar(command: &Invocation) -> Vec<PathEffect> {
    const GRAMMAR: FlagGrammar = FlagGrammar {
        short: "fCTXbgHIKLNV",
        attached: "",
        long: &[
            "file=",
            "directory=",
            "files-from=",
            "exclude-from=",
            "exclude=",
            "create",
            "extract",
            "get",
            "list",
            "append",
            "update",
            "delete",
            "to-stdout",
            "remove-files",
            "use-compress-program=",
            "transform=",
            "strip-components=",
            "absolute-names",
            "owner=",
            "group=",
            "mode=",
            "one-top-level",
            "xform=",
        ],
        stops: false,
    };
    // The first word may be a flag bundle without its dash.
    let mut args = command.args.clone();
    if let Some(first) = args.first_mut()
        && !first.text.starts_with('-')
        && first.text.chars().all(|c| c.is_ascii_alphabetic())
    {
        first.text.insert(0, '-');
    }
    let line = ParsedArgs::read(&args, &GRAMMAR);
    let directory = line.values(&["C", "directory"]).last();
    let here = |word: &Word| match directory {
        Some(dir) if !word.text.starts_with(['/', '~']) => {
            part(word, &format!("{}/{}", dir.text, word.text))
        }
        _ => word.clone(),
    };
    let mut effects = Vec::new();
    if line.has(&["c", "r", "u", "create", "append", "update"]) {
        let file = line.values(&["f", "file"]).last();
        for word in &line.operands {
            effects.push(PathEffect {
                verb: Verb::CopyFrom,
                target: here(word),
                onto: file.cloned(),
            });
            if line.has(&["remove-files"]) {
                effects.push(PathEffect::new(Verb::DeleteRecursive, here(word)));
            }
        }
        effects.extend(
            file.filter(|file| file.text != "-")
                .map(|file| PathEffect::new(Verb::Truncate, file.clone())),
        );
    } else if line.has(&["x", "extract", "get"]) && !line.has(&["O", "to-stdout"]) {
        let target = directory.cloned().unwrap_or_else(|| Word::literal("."));
        effects.push(PathEffect::new(Verb::CopyOnto, target));
        // Named members are extracted to their own paths, which may be protected.
        effects.extend(
            line.operands
                .iter()
                .map(|word| PathEffect::new(Verb::CopyOnto, here(word))),
        );
        if line.has(&["P", "absolute-names"]) {
            effects.push(PathEffect::new(Verb::CopyOnto, Word::literal("/etc")));
        }
    }
    effects
}

fn unzip(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "dxP",
            ..FlagGrammar::PLAIN
        },
    );
    if line.has(&["l", "t", "p", "c", "v", "Z", "z"]) {
        return Vec::new();
    }
    let target = line.values(&["d"]).next().cloned();
    all(
        &[target.unwrap_or_else(|| Word::literal("."))],
        Verb::CopyOnto,
    )
}

/// The archive comes first, then the members. `7z a` has a word before it; `split` reverses the order.
fn pack(command: &Invocation, program: &str) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: if program == "split" {
                "abClnt"
            } else {
                "xiPtb"
            },
            ..FlagGrammar::PLAIN
        },
    );
    let mut operands = line.operands.as_slice();
    if program == "split" {
        return operands.first().map_or_else(Vec::new, |word| {
            all(std::slice::from_ref(word), Verb::CopyFrom)
        });
    }
    if program.starts_with('7') {
        match operands.split_first() {
            Some((verb, rest)) if matches!(verb.text.as_str(), "a" | "u") => operands = rest,
            _ => return Vec::new(),
        }
    }
    let Some((archive, sources)) = operands.split_first() else {
        return Vec::new();
    };
    let mut effects = all(std::slice::from_ref(archive), Verb::Append);
    effects.extend(sources.iter().map(|word| PathEffect {
        verb: Verb::CopyFrom,
        target: word.clone(),
        onto: Some(archive.clone()),
    }));
    if line.has(&["m", "move", "sdel"]) && program == "zip" {
        effects.extend(all(sources, Verb::DeleteRecursive));
    }
    effects
}
