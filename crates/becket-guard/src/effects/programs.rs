//! Which program does what to its operands.

use super::flags::{Grammar, Line, part};
use super::{Effect, Verb, copying, disk, readers, text, transfer};
use crate::command::{Invocation, Word};
use crate::paths::Scene;

/// What the program does to which paths, redirections left out.
pub(super) fn effects(command: &Invocation, scene: &Scene<'_>) -> Vec<Effect> {
    let program = command.program.as_str();
    if let Some(effects) = readers::effects(command) {
        return effects;
    }
    match program {
        "rm" | "unlink" | "rmdir" | "shred" | "srm" | "trash" | "trash-put" | "gio" | "rimraf"
        | "del-cli" => delete(command),
        "truncate" => every(
            command,
            "so",
            &["size=", "reference=", "io-blocks", "no-create"],
            Verb::Truncate,
        ),
        "tee" | "sponge" => tee(command),
        "touch" => every(
            command,
            "drt",
            &["date=", "reference=", "time=", "no-create"],
            Verb::Append,
        ),
        "vi" | "vim" | "nvim" | "ex" | "ed" | "nano" | "emacs" if is_scripted(command) => {
            every(command, "cSTu", &[], Verb::Write)
        }
        "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "brotli" | "gunzip" | "bunzip2" | "unxz"
        | "unzstd" => compress(command),
        "cp" | "mv" | "install" | "ln" | "gcp" | "gmv" | "link" | "ditto" => {
            copying::effects(command, scene)
        }
        "rsync" | "scp" | "rcp" => transfer::between_machines(command),
        "tar" | "gtar" | "bsdtar" | "zip" | "unzip" | "7z" | "7za" | "7zz" | "split" | "cpio" => {
            copying::archive(command)
        }
        "dd" => disk::dd(command),
        "find" | "gfind" => disk::find(command),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "ugrep" | "git-grep"
        | "sed" | "gsed" | "awk" | "gawk" | "mawk" | "nawk" | "jq" | "gojq" | "jaq" | "yq"
        | "perl" | "ruby" => text::effects(command),
        "curl" | "wget" | "wget2" | "http" | "https" | "xh" | "xhs" | "aria2c" | "openssl"
        | "gpg" | "gpg2" | "ssh-keygen" | "socat" => transfer::effects(command),
        "git" => git(command),
        "aws" | "gsutil" | "gcloud" | "rclone" | "mc" | "kubectl" | "docker" | "gh" | "az" => {
            to_cloud(command)
        }
        _ if disk::is_format(program) => disk::format(command),
        _ => used(command),
    }
}

fn every(
    command: &Invocation,
    short: &'static str,
    long: &'static [&'static str],
    verb: Verb,
) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            short,
            long,
            ..Grammar::PLAIN
        },
    );
    all(&line.operands, verb)
}

/// Git shows files of any commit, and keeps for ever what is added.
fn git(command: &Invocation) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            short: "Cc",
            long: &["git-dir=", "work-tree=", "patch"],
            ..Grammar::PLAIN
        },
    );
    let Some((verb, operands)) = line.operands.split_first() else {
        return Vec::new();
    };
    let verb = match verb.text.as_str() {
        "show" | "blame" | "cat-file" | "diff"
            if !line.has(&["stat", "name-only", "name-status"]) =>
        {
            Verb::Read
        }
        "log" if line.has(&["p", "patch", "u"]) => Verb::Read,
        "add" | "stage" => Verb::Commit,
        _ => return Vec::new(),
    };
    // `REVISION:PATH`
    let path = |word: &Word| match word.text.rsplit_once(':') {
        Some((_, path)) if verb == Verb::Read => part(word, path),
        _ => word.clone(),
    };
    operands
        .iter()
        .map(|word| Effect::new(verb, path(word)))
        .collect()
}

/// `aws s3 cp`, `gh gist create`, `docker cp`: copies that leave a file's place.
fn to_cloud(command: &Invocation) -> Vec<Effect> {
    let copies = command.words().take(4).any(|word| {
        matches!(
            word,
            "cp" | "mv" | "sync" | "copy" | "gist" | "upload" | "copyto" | "rsync"
        )
    });
    if !copies {
        return Vec::new();
    }
    let words = command
        .args
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    words
        .map(|word| Effect::new(Verb::CopyFrom, word.clone()))
        .collect()
}

/// What a program does with files that it is not known for.
fn used(command: &Invocation) -> Vec<Effect> {
    let is_path = |word: &&Word| !word.text.starts_with('-') && word.text.contains('/');
    let words = command.args.iter().filter(is_path);
    words
        .map(|word| Effect::new(Verb::Use, word.clone()))
        .collect()
}

/// The same done to each.
pub(super) fn all(words: &[Word], verb: Verb) -> Vec<Effect> {
    words
        .iter()
        .map(|word| Effect::new(verb, word.clone()))
        .collect()
}

fn delete(command: &Invocation) -> Vec<Effect> {
    const GRAMMAR: Grammar = Grammar {
        short: "",
        attached: "",
        long: &[
            "recursive",
            "force",
            "interactive",
            "one-file-system",
            "no-preserve-root",
            "preserve-root",
            "dir",
            "verbose",
            "remove",
            "iterations=",
            "size=",
            "random-source=",
            "zero",
            "exact",
        ],
        stops: false,
    };
    const SHRED: Grammar = Grammar {
        short: "ns",
        ..GRAMMAR
    };
    let program = command.program.as_str();
    let line = Line::of(command, if program == "shred" { &SHRED } else { &GRAMMAR });
    let mut operands = line.operands.as_slice();
    match program {
        "gio"
            if operands
                .first()
                .is_some_and(|word| matches!(word.text.as_str(), "trash" | "remove")) =>
        {
            operands = &operands[1..];
        }
        "gio" => return Vec::new(),
        "shred" => {
            let mut effects = all(operands, Verb::Truncate);
            effects.extend(all(operands, Verb::Delete));
            return effects;
        }
        _ => {}
    }
    let is_recursive = line.has(&["r", "R", "recursive"])
        || matches!(
            program,
            "trash" | "trash-put" | "rimraf" | "del-cli" | "gio"
        );
    all(
        operands,
        if is_recursive {
            Verb::DeleteRecursive
        } else {
            Verb::Delete
        },
    )
}

fn tee(command: &Invocation) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            long: &["append", "ignore-interrupts"],
            ..Grammar::PLAIN
        },
    );
    let verb = if line.has(&["a", "append"]) {
        Verb::Append
    } else {
        Verb::Truncate
    };
    all(&line.operands, verb)
}

/// An editor that is told what to do writes; one that opens a window waits for a person.
fn is_scripted(command: &Invocation) -> bool {
    command.words().any(|word| {
        matches!(word, "-c" | "-es" | "-Es" | "-s" | "--batch" | "--cmd") || word.starts_with('+')
    }) || matches!(command.program.as_str(), "ed" | "ex")
}

fn compress(command: &Invocation) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            short: "SoDTM",
            long: &["stdout", "decompress", "keep", "list", "test", "suffix="],
            ..Grammar::PLAIN
        },
    );
    if line.has(&["l", "list", "t", "test"]) {
        return Vec::new();
    }
    let shows = line.has(&["c", "stdout", "to-stdout"]);
    all(
        &line.operands,
        if shows { Verb::Read } else { Verb::CopyFrom },
    )
}
