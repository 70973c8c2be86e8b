//! Which program does what to its operands.

use super::flags::{Grammar, Line};
use super::{Effect, Verb, copying, disk, text, transfer};
use crate::command::{Invocation, Word};
use crate::paths::Scene;

/// What the program does to which paths, redirections left out.
pub(super) fn effects(command: &Invocation, scene: &Scene<'_>) -> Vec<Effect> {
    let program = command.program.as_str();
    if let Some(grammar) = reader(program) {
        return read(command, &grammar);
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
        _ if disk::is_format(program) => disk::format(command),
        _ => Vec::new(),
    }
}

/// Whether what the program reads is shown.
pub(super) fn is_reader(program: &str) -> bool {
    reader(program).is_some()
        || matches!(
            program,
            "grep"
                | "egrep"
                | "fgrep"
                | "rg"
                | "sed"
                | "awk"
                | "gawk"
                | "jq"
                | "yq"
                | "tee"
                | "tr"
                | "perl"
                | "read"
                | "mapfile"
                | "xargs"
                | "readarray"
                | "ruby"
        )
}

/// Whether the program tells nothing of what it reads but its size or its sum.
pub(super) fn is_blind(program: &str) -> bool {
    matches!(
        program,
        "wc" | "cksum" | "file" | "true" | ":" | "test" | "[" | "stat"
    ) || program.ends_with("sum")
}

/// Programs that show their operands' content, and which of their flags take a value.
fn reader(program: &str) -> Option<Grammar> {
    let (short, long): (&str, &[&str]) = match program {
        "cat" | "tac" | "gcat" | "rev" | "more" | "most" | "zcat" | "gzcat" | "bzcat" | "xzcat"
        | "zstdcat" | "zless" | "zmore" | "vimdiff" | "mdcat" | "glow" | "ccat" | "lolcat"
        | "dog" | "get-content" | "Get-Content" | "gc" | "look" | "csvlook" | "csvcut" | "xsv"
        | "mlr" | "jless" | "fx" | "yj" | "dasel" => ("", &[]),
        "less" | "view" => ("bhjkopPtTxyz", &[]),
        "head" | "tail" | "ghead" | "gtail" => (
            "nc",
            &[
                "lines=",
                "bytes=",
                "pid=",
                "sleep-interval=",
                "follow",
                "retry",
                "quiet",
                "silent",
                "verbose",
            ],
        ),
        "bat" | "batcat" => (
            "lHrm",
            &[
                "language=",
                "highlight-line=",
                "line-range=",
                "map-syntax=",
                "style=",
                "theme=",
                "paging=",
                "color=",
                "plain",
                "number",
                "tabs=",
                "wrap=",
                "decorations=",
                "diff",
            ],
        ),
        "xxd" => ("clsogRn", &[]),
        "hexdump" | "hd" => ("nsef", &[]),
        "hexyl" => ("nlscb", &["length=", "skip=", "color="]),
        "od" => (
            "AjNStw",
            &[
                "address-radix=",
                "skip-bytes=",
                "read-bytes=",
                "format=",
                "width=",
            ],
        ),
        "base64" | "base32" | "basenc" | "gbase64" => ("w", &["wrap=", "decode", "ignore-garbage"]),
        "strings" => ("ntTe", &["bytes=", "radix=", "encoding="]),
        "nl" => (
            "bdfhilnsvw",
            &[
                "body-numbering=",
                "number-format=",
                "number-width=",
                "number-separator=",
            ],
        ),
        "sort" | "gsort" => (
            "kotST",
            &[
                "key=",
                "field-separator=",
                "output=",
                "buffer-size=",
                "parallel=",
                "temporary-directory=",
            ],
        ),
        "uniq" => ("fsw", &["skip-fields=", "skip-chars=", "check-chars="]),
        "cut" | "gcut" => (
            "bcdf",
            &[
                "bytes=",
                "characters=",
                "delimiter=",
                "fields=",
                "output-delimiter=",
                "only-delimited",
            ],
        ),
        "paste" => ("d", &["delimiters=", "serial"]),
        "fold" | "fmt" => ("wpg", &["width="]),
        "pr" => ("DhlNoSwW", &[]),
        "column" => (
            "tsocNHREW",
            &["separator=", "output-separator=", "table-columns="],
        ),
        "expand" | "unexpand" => ("t", &["tabs="]),
        "diff" | "gdiff" | "colordiff" | "sdiff" | "diff3" | "delta" | "difft" => (
            "CUWxXFIS",
            &[
                "context=",
                "unified=",
                "width=",
                "exclude=",
                "exclude-from=",
                "label=",
                "brief",
                "recursive",
                "quiet",
            ],
        ),
        "cmp" | "comm" | "join" => ("1int2jaovte", &[]),
        "iconv" => ("fto", &["from-code=", "to-code=", "output="]),
        "pygmentize" | "highlight" => ("lfoOS", &[]),
        _ => return None,
    };
    Some(Grammar {
        short,
        attached: "",
        long,
        stops: false,
    })
}

fn read(command: &Invocation, grammar: &Grammar) -> Vec<Effect> {
    let line = Line::of(command, grammar);
    let program = command.program.as_str();
    if program == "cut" && shows_names_only(&line) {
        return Vec::new();
    }
    // `diff -q` and `cmp` tell that files differ, not how.
    let is_quiet =
        matches!(program, "diff" | "gdiff") && line.has(&["q", "brief"]) || program == "cmp";
    let mut effects: Vec<Effect> = if is_quiet {
        Vec::new()
    } else {
        let operands = line.operands.iter().filter(|word| word.text != "-");
        operands
            .map(|word| Effect::new(Verb::Read, word.clone()))
            .collect()
    };
    if program == "sort" {
        let outputs = line.values(&["o", "output"]);
        effects.extend(outputs.map(|word| Effect::new(Verb::Truncate, word.clone())));
    }
    if program == "uniq" && line.operands.len() == 2 {
        effects[1].verb = Verb::Truncate;
    }
    effects
}

/// `cut -d= -f1` shows the names in a file of variables and none of the values.
fn shows_names_only(line: &Line<'_>) -> bool {
    let first = |names: &[&str], expected: &str| {
        let mut values = line.values(names);
        values.next().is_some_and(|word| word.text == expected) && values.next().is_none()
    };
    first(&["d", "delimiter"], "=") && first(&["f", "fields"], "1") && !line.has(&["complement"])
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
