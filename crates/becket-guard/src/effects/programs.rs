//! The effects of each program on its operands.

use super::flags::{FlagGrammar, ParsedArgs, part};
use super::{PathEffect, Verb, copying, disk, readers, text_tools, transfer};
use crate::command::{Invocation, UNKNOWN, Word};
use crate::paths::PathContext;

/// The effects of a program on paths, without redirections.
pub(super) fn effects(command: &Invocation, context: &PathContext<'_>) -> Vec<PathEffect> {
    let program = command.program.as_str();
    if let Some(effects) = readers::effects(command) {
        return effects;
    }
    match program {
        "rm" | "unlink" | "rmdir" | "shred" | "srm" | "wipe" | "trash" | "trash-put" | "gio"
        | "rimraf" | "del-cli" => delete(command),
        "sudoedit" => every(command, "uCg", &["user="], Verb::Write),
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
            copying::effects(command, context)
        }
        "rsync" | "scp" | "rcp" => transfer::copied_between_hosts(command),
        "tar" | "gtar" | "bsdtar" | "zip" | "unzip" | "7z" | "7za" | "7zz" | "split" | "cpio" => {
            copying::archive(command)
        }
        "dd" => disk::dd(command),
        "find" | "gfind" => disk::find(command),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "ugrep" | "git-grep"
        | "sed" | "gsed" | "awk" | "gawk" | "mawk" | "nawk" | "jq" | "gojq" | "jaq" | "yq"
        | "perl" | "ruby" => text_tools::effects(command, context),
        "curl" | "wget" | "wget2" | "http" | "https" | "xh" | "xhs" | "aria2c" | "openssl"
        | "gpg" | "gpg2" | "ssh-keygen" | "socat" => transfer::effects(command),
        "git" => git(command),
        "aws" | "gsutil" | "gcloud" | "rclone" | "mc" | "kubectl" | "docker" | "gh" | "az" => {
            cloud_copy(command)
        }
        "sftp" | "ftp" | "lftp" | "croc" | "wormhole" | "magic-wormhole" | "transfer"
        | "ffsend" => transfer::sent_files(command),
        "serve" | "http-server" | "live-server" => {
            every(command, "plsc", &["listen="], Verb::CopyFrom)
        }
        "fallocate" => every(command, "lo", &["length=", "offset="], Verb::Append),
        "shuf" => outputs(command, &["o", "output"]),
        _ if disk::is_format(program) => disk::format(command),
        // A program with an unknown name that receives `-rf` deletes.
        _ if program.contains(UNKNOWN) && is_forced_and_recursive(command) => delete(command),
        _ if is_web_server(command) => served_files(command),
        _ => unknown_program_effects(command),
    }
}

fn is_forced_and_recursive(command: &Invocation) -> bool {
    command.words().any(|word| {
        word.strip_prefix('-').is_some_and(|letters| {
            letters.len() <= 4
                && letters.contains('f')
                && letters.contains(['r', 'R'])
                && letters.chars().all(|letter| "rRfvidI".contains(letter))
        })
    })
}

/// Output files named by these options.
fn outputs(command: &Invocation, names: &[&str]) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "o",
            long: &["output="],
            ..FlagGrammar::PLAIN
        },
    );
    let files: Vec<Word> = line.values(names).cloned().collect();
    all(&files, Verb::Truncate)
}

/// `python -m http.server`
fn is_web_server(command: &Invocation) -> bool {
    command.program.starts_with("python") && command.words().any(|word| word == "http.server")
}

/// Every host that can reach the port can read the directory.
fn served_files(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "mdb",
            long: &["directory=", "bind="],
            ..FlagGrammar::PLAIN
        },
    );
    let directories: Vec<Word> = line.values(&["d", "directory"]).cloned().collect();
    all(&directories, Verb::CopyFrom)
}

fn every(
    command: &Invocation,
    short: &'static str,
    long: &'static [&'static str],
    verb: Verb,
) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short,
            long,
            ..FlagGrammar::PLAIN
        },
    );
    all(&line.operands, verb)
}

/// Git prints files of any commit, and keeps added files in its history.
fn git(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "Cc",
            long: &["git-dir=", "work-tree=", "patch"],
            ..FlagGrammar::PLAIN
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
        "rm" if !line.has(&["cached", "n", "dry-run"]) => Verb::Delete,
        _ => return output_files(command).collect(),
    };
    // `REVISION:PATH`
    let path = |word: &Word| match word.text.rsplit_once(':') {
        Some((_, path)) if verb == Verb::Read => part(word, path),
        _ => word.clone(),
    };
    let effects = operands
        .iter()
        .map(|word| PathEffect::new(verb, path(word)));
    effects.chain(output_files(command)).collect()
}

/// Copies that leave the machine or the container: `aws s3 cp`, `gh gist create`, `docker cp`.
fn cloud_copy(command: &Invocation) -> Vec<PathEffect> {
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
        .map(|word| PathEffect::new(Verb::CopyFrom, word.clone()))
        .collect()
}

/// Effects of an unknown program on the files it receives.
fn unknown_program_effects(command: &Invocation) -> Vec<PathEffect> {
    let is_path = |word: &&Word| !word.text.starts_with('-') && word.text.contains('/');
    let words = command.args.iter().filter(is_path);
    let unknown_program_effects = words.map(|word| PathEffect::new(Verb::Use, word.clone()));
    unknown_program_effects
        .chain(output_files(command))
        .collect()
}

/// Output of compilers and generators (`-o file`, `--output=file`), if the value is clearly a path.
fn output_files(command: &Invocation) -> impl Iterator<Item = PathEffect> {
    let is_flag = |text: &str| {
        matches!(
            text,
            "-o" | "--output" | "--out" | "--outfile" | "--output-file"
        )
    };
    let args = command.args.iter().enumerate();
    args.filter_map(move |(at, word)| {
        let target = match word.text.split_once('=') {
            Some((flag, value)) if flag.len() > 2 && is_flag(flag) => part(word, value),
            None if is_flag(&word.text) => command.args.get(at + 1)?.clone(),
            _ => return None,
        };
        let plainly = target.text.contains('/') || target.text.starts_with('.');
        plainly.then(|| PathEffect::new(Verb::Truncate, target))
    })
}

/// The same effect on each word.
pub(super) fn all(words: &[Word], verb: Verb) -> Vec<PathEffect> {
    words
        .iter()
        .map(|word| PathEffect::new(verb, word.clone()))
        .collect()
}

fn delete(command: &Invocation) -> Vec<PathEffect> {
    const GRAMMAR: FlagGrammar = FlagGrammar {
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
    const SHRED: FlagGrammar = FlagGrammar {
        short: "ns",
        ..GRAMMAR
    };
    let program = command.program.as_str();
    let line = ParsedArgs::of(command, if program == "shred" { &SHRED } else { &GRAMMAR });
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

fn tee(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            long: &["append", "ignore-interrupts"],
            ..FlagGrammar::PLAIN
        },
    );
    let verb = if line.has(&["a", "append"]) {
        Verb::Append
    } else {
        Verb::Truncate
    };
    all(&line.operands, verb)
}

/// Whether an editor runs a script and therefore writes; an interactive editor waits for a person.
fn is_scripted(command: &Invocation) -> bool {
    command.words().any(|word| {
        matches!(word, "-c" | "-es" | "-Es" | "-s" | "--batch" | "--cmd") || word.starts_with('+')
    }) || matches!(command.program.as_str(), "ed" | "ex")
}

fn compress(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "SoDTM",
            long: &["stdout", "decompress", "keep", "list", "test", "suffix="],
            ..FlagGrammar::PLAIN
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
