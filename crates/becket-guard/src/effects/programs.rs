//! Which program does what to its operands.

use super::flags::{Grammar, Line, part};
use super::{Effect, Verb, copying, disk, readers, text, transfer};
use crate::command::{Invocation, UNKNOWN, Word};
use crate::paths::Scene;

/// What the program does to which paths, redirections left out.
pub(super) fn effects(command: &Invocation, scene: &Scene<'_>) -> Vec<Effect> {
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
        | "perl" | "ruby" => text::effects(command, scene),
        "curl" | "wget" | "wget2" | "http" | "https" | "xh" | "xhs" | "aria2c" | "openssl"
        | "gpg" | "gpg2" | "ssh-keygen" | "socat" => transfer::effects(command),
        "git" => git(command),
        "aws" | "gsutil" | "gcloud" | "rclone" | "mc" | "kubectl" | "docker" | "gh" | "az" => {
            to_cloud(command)
        }
        "sftp" | "ftp" | "lftp" | "croc" | "wormhole" | "magic-wormhole" | "transfer"
        | "ffsend" => transfer::handed_over(command),
        "serve" | "http-server" | "live-server" => {
            every(command, "plsc", &["listen="], Verb::CopyFrom)
        }
        "fallocate" => every(command, "lo", &["length=", "offset="], Verb::Append),
        "shuf" => outputs(command, &["o", "output"]),
        _ if disk::is_format(program) => disk::format(command),
        // Whatever it is called, something that is told `-rf` deletes.
        _ if program.contains(UNKNOWN) && is_forced_and_recursive(command) => delete(command),
        _ if is_web_server(command) => served(command),
        _ => used(command),
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

/// Files that an option names, which are written.
fn outputs(command: &Invocation, names: &[&str]) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            short: "o",
            long: &["output="],
            ..Grammar::PLAIN
        },
    );
    let files: Vec<Word> = line.values(names).cloned().collect();
    all(&files, Verb::Truncate)
}

/// `python -m http.server`
fn is_web_server(command: &Invocation) -> bool {
    command.program.starts_with("python") && command.words().any(|word| word == "http.server")
}

/// Everybody who can reach the port may take what is in the directory.
fn served(command: &Invocation) -> Vec<Effect> {
    let line = Line::of(
        command,
        &Grammar {
            short: "mdb",
            long: &["directory=", "bind="],
            ..Grammar::PLAIN
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
        "rm" if !line.has(&["cached", "n", "dry-run"]) => Verb::Delete,
        _ => return made(command).collect(),
    };
    // `REVISION:PATH`
    let path = |word: &Word| match word.text.rsplit_once(':') {
        Some((_, path)) if verb == Verb::Read => part(word, path),
        _ => word.clone(),
    };
    let effects = operands.iter().map(|word| Effect::new(verb, path(word)));
    effects.chain(made(command)).collect()
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
    let used = words.map(|word| Effect::new(Verb::Use, word.clone()));
    used.chain(made(command)).collect()
}

/// `-o file`, `--output=file`: what compilers and generators make, when it is plainly a path.
fn made(command: &Invocation) -> impl Iterator<Item = Effect> {
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
        plainly.then(|| Effect::new(Verb::Truncate, target))
    })
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
