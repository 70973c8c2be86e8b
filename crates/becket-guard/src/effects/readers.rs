//! Programs that print file contents.

use super::flags::{FlagGrammar, ParsedArgs};
use super::{PathEffect, Verb};
use crate::command::Invocation;

/// Effects of a program that prints its operands; `None` if it is not one.
pub(super) fn effects(command: &Invocation) -> Option<Vec<PathEffect>> {
    let grammar = reader(&command.program)?;
    Some(read(command, &grammar))
}

/// Whether the program prints what it reads.
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

/// Whether the program reveals only the size or a checksum of its input.
pub(super) fn hides_content(program: &str) -> bool {
    matches!(
        program,
        "wc" | "cksum" | "file" | "true" | ":" | "test" | "[" | "stat"
    ) || program.ends_with("sum")
}

/// Programs that print the content of their operands, with the flags that take a value.
fn reader(program: &str) -> Option<FlagGrammar> {
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
    Some(FlagGrammar {
        short,
        attached: "",
        long,
        stops: false,
    })
}

fn read(command: &Invocation, grammar: &FlagGrammar) -> Vec<PathEffect> {
    let line = ParsedArgs::of(command, grammar);
    let program = command.program.as_str();
    if program == "cut" && shows_names_only(&line) {
        return Vec::new();
    }
    // `diff -q` and `cmp` report whether files differ, not their content.
    let is_quiet = matches!(program, "diff" | "gdiff") && line.has(&["q", "brief"])
        || program == "cmp" && !line.has(&["l", "b", "verbose", "print-bytes"]);
    let mut effects: Vec<PathEffect> = if is_quiet {
        Vec::new()
    } else {
        let operands = line.operands.iter().filter(|word| word.text != "-");
        operands
            .map(|word| PathEffect::new(Verb::Read, word.clone()))
            .collect()
    };
    if program == "sort" {
        let outputs = line.values(&["o", "output"]);
        effects.extend(outputs.map(|word| PathEffect::new(Verb::Truncate, word.clone())));
    }
    if program == "uniq" && line.operands.len() == 2 {
        effects[1].verb = Verb::Truncate;
    }
    effects
}

/// `cut -d= -f1` prints the names in an environment file, not the values.
fn shows_names_only(line: &ParsedArgs<'_>) -> bool {
    let first = |names: &[&str], expected: &str| {
        let mut values = line.values(names);
        values.next().is_some_and(|word| word.text == expected) && values.next().is_none()
    };
    first(&["d", "delimiter"], "=") && first(&["f", "fields"], "1") && !line.has(&["complement"])
}
