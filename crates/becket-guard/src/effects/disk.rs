//! Effects of disk tools, and of `find`, which acts on everything below a directory.

use super::flags::{FlagGrammar, ParsedArgs, part};
use super::programs::all;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Word};

/// `dd if=… of=…`
pub(super) fn dd(command: &Invocation) -> Vec<PathEffect> {
    let value = |key: &str| {
        command
            .args
            .iter()
            .find_map(|word| Some(part(word, word.text.strip_prefix(key)?)))
    };
    let output = value("of=");
    let mut effects = Vec::new();
    if let Some(input) = value("if=") {
        let verb = if output.is_some() {
            Verb::CopyFrom
        } else {
            Verb::Read
        };
        effects.push(PathEffect {
            verb,
            target: input,
            onto: output.clone(),
        });
    }
    effects.extend(output.map(|output| PathEffect::new(Verb::Truncate, output)));
    effects
}

/// Whether the program creates, erases or partitions file systems.
pub(super) fn is_format(program: &str) -> bool {
    program.starts_with("mkfs")
        || program.starts_with("newfs")
        || matches!(
            program,
            "mke2fs"
                | "mkswap"
                | "mkdosfs"
                | "mkntfs"
                | "wipefs"
                | "fdisk"
                | "sfdisk"
                | "gdisk"
                | "sgdisk"
                | "cfdisk"
                | "parted"
                | "blkdiscard"
                | "badblocks"
                | "hdparm"
                | "nwipe"
                | "format"
        )
}

/// Effects of a formatting program on its device, unless it only reads.
pub(super) fn format(command: &Invocation) -> Vec<PathEffect> {
    let has = |flags: &[&str]| command.words().any(|word| flags.contains(&word));
    let only_looks = match command.program.as_str() {
        "wipefs" => !has(&["-a", "--all", "-af", "-fa", "-o", "--offset"]),
        "fdisk" | "sfdisk" | "gdisk" | "cfdisk" => {
            has(&["-l", "--list", "-d", "--dump", "-J", "--json"])
        }
        "sgdisk" => has(&["-p", "--print", "-i", "--info", "-v", "--verify"]),
        "parted" => has(&["-l", "--list", "print"]),
        "badblocks" => !command.words().any(|word| word.starts_with("-w")),
        "hdparm" => !command
            .words()
            .any(|word| word.starts_with("--security") || word.starts_with("--trim")),
        "format" => !command
            .words()
            .any(|word| word.len() == 2 && word.ends_with(':')),
        "mke2fs" | "mkfs.ext2" | "mkfs.ext3" | "mkfs.ext4" if has(&["-n"]) => true,
        _ => has(&["--help", "-V", "--version"]),
    };
    if only_looks {
        return Vec::new();
    }
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "tLbiImNOTUEFCJcnsSo",
            long: &["type=", "label="],
            ..FlagGrammar::PLAIN
        },
    );
    if command.program == "parted" || line.operands.is_empty() {
        let device = line.operands.first().cloned();
        return all(
            &[device.unwrap_or_else(|| Word::literal("/dev/\u{FFFC}"))],
            Verb::Format,
        );
    }
    all(&line.operands, Verb::Format)
}

/// Effects of `find`'s own actions. The command after `-exec` is a separate invocation.
pub(super) fn find(command: &Invocation) -> Vec<PathEffect> {
    let mut effects = Vec::new();
    if command.words().any(|word| word == "-delete") {
        let verb = if is_narrowed(command) {
            Verb::Delete
        } else {
            Verb::DeleteRecursive
        };
        effects.extend(all(&search_results(command), verb));
    }
    let mut args = command.args.iter();
    while let Some(word) = args.next() {
        if matches!(
            word.text.as_str(),
            "-fprint" | "-fprint0" | "-fprintf" | "-fls"
        ) {
            effects.extend(
                args.next()
                    .map(|file| PathEffect::new(Verb::Truncate, file.clone())),
            );
        }
    }
    effects
}

/// Paths that `find` may return: its roots combined with the name it searches for.
pub(super) fn search_results(command: &Invocation) -> Vec<Word> {
    let is_expression = |word: &&Word| {
        word.text.starts_with('-') && word.text.len() > 1 || matches!(word.text.as_str(), "(" | "!")
    };
    let settings = ["-H", "-L", "-P", "-E", "-X", "-s", "-x"];
    let args = command
        .args
        .iter()
        .skip_while(|word| settings.contains(&word.text.as_str()));
    let mut roots: Vec<Word> = args
        .take_while(|word| !is_expression(word))
        .cloned()
        .collect();
    if roots.is_empty() {
        roots.push(Word::literal("."));
    }
    let names = names(command);
    if names.is_empty() {
        return roots;
    }
    let under = |root: &Word, name: &Word| Word {
        text: format!("{}/{}", root.text.trim_end_matches('/'), name.text),
        glob: true,
        ..root.clone()
    };
    roots
        .iter()
        .flat_map(|root| names.iter().map(move |name| under(root, name)))
        .collect()
}

/// The names searched for, except negated ones (`!`, `-not`).
fn names(command: &Invocation) -> Vec<Word> {
    let args = &command.args;
    let mut names = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let negated = at > 0 && matches!(args[at - 1].text.as_str(), "!" | "-not");
        if matches!(word.text.as_str(), "-name" | "-iname") && !negated {
            names.extend(
                args.get(at + 1)
                    .filter(|name| !matches!(name.text.as_str(), "*" | "*.*" | "?*"))
                    .cloned(),
            );
        }
    }
    names
}

/// Whether `find` selects files by more than their type.
fn is_narrowed(command: &Invocation) -> bool {
    let words: Vec<&str> = command.words().collect();
    let links = words.windows(2).any(|pair| pair == ["-type", "l"]);
    links
        || !names(command).is_empty()
        || command.words().any(|word| {
            matches!(
                word,
                "-empty"
                    | "-mtime"
                    | "-mmin"
                    | "-ctime"
                    | "-atime"
                    | "-newer"
                    | "-size"
                    | "-path"
                    | "-ipath"
                    | "-regex"
                    | "-iregex"
                    | "-user"
                    | "-links"
                    | "-xtype"
                    | "-wholename"
            )
        })
}
