//! Effects of programs whose first operand is a pattern or a program and whose other operands are files.

use super::flags::{FlagGrammar, ParsedArgs, ParsedFlag};
use super::programs::all;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Word};
use crate::facts::PathKind;
use crate::paths::PathContext;

/// The effects on the files.
pub(super) fn effects(command: &Invocation, context: &PathContext<'_>) -> Vec<PathEffect> {
    match command.program.as_str() {
        "sed" | "gsed" => sed(command),
        "awk" | "gawk" | "mawk" | "nawk" => awk(command),
        "jq" | "gojq" | "jaq" | "yq" => jq(command),
        "perl" | "ruby" => one_liner(command),
        _ => grep(command, context),
    }
}

const GREP: FlagGrammar = FlagGrammar {
    short: "efmABCdD",
    attached: "",
    long: &[
        "regexp=",
        "file=",
        "max-count=",
        "after-context=",
        "before-context=",
        "context=",
        "include=",
        "exclude=",
        "exclude-dir=",
        "exclude-from=",
        "binary-files=",
        "devices=",
        "directories=",
        "label=",
        "quiet",
        "silent",
        "count",
        "files-with-matches",
        "files-without-match",
        "recursive",
        "ignore-case",
        "line-number",
        "only-matching",
        "color",
        "colour",
        "null",
        "invert-match",
        "word-regexp",
        "extended-regexp",
        "fixed-strings",
        "perl-regexp",
    ],
    stops: false,
};

const RG: FlagGrammar = FlagGrammar {
    short: "efmABCtTgjMrdE",
    attached: "",
    long: &[
        "regexp=",
        "file=",
        "max-count=",
        "after-context=",
        "before-context=",
        "context=",
        "type=",
        "type-not=",
        "glob=",
        "iglob=",
        "threads=",
        "max-columns=",
        "replace=",
        "max-depth=",
        "encoding=",
        "sort=",
        "sortr=",
        "color=",
        "colors=",
        "quiet",
        "count",
        "files-with-matches",
        "files-without-match",
        "files",
        "pre=",
        "ignore-file=",
        "max-filesize=",
        "engine=",
        "hidden",
        "no-ignore",
    ],
    stops: false,
};

fn grep(command: &Invocation, context: &PathContext<'_>) -> Vec<PathEffect> {
    let is_grep = command.program.ends_with("grep") && command.program != "ugrep";
    let line = ParsedArgs::of(command, if is_grep { &GREP } else { &RG });
    let tells_no_text = line.has(&[
        "q",
        "quiet",
        "silent",
        "c",
        "count",
        "l",
        "files-with-matches",
        "files-without-match",
        "files",
        "L",
    ]);
    let mut effects = Vec::new();
    // A file of patterns is read in any case, and its lines are printed where they match.
    effects.extend(
        line.values(&["f", "file"])
            .map(|word| PathEffect::new(Verb::Feed, word.clone())),
    );
    if tells_no_text {
        return effects;
    }
    let has_pattern = line.has(&["e", "regexp", "f", "file"]);
    let files = line.operands.iter().skip(usize::from(!has_pattern));
    effects.extend(
        files
            .clone()
            .map(|word| PathEffect::new(Verb::Read, word.clone())),
    );
    let passes_over_nothing = if is_grep {
        line.has(&["r", "R", "recursive", "dereference-recursive"])
    } else {
        line.flags.iter().filter(|flag| flag.name == "u").count() > 1
            || line.has(&["hidden"]) && line.has(&["no-ignore"])
    };
    let patterns = line
        .values(&["e", "regexp"])
        .chain(line.operands.first().filter(|_| !has_pattern));
    let limits = line.has(&["include", "exclude", "g", "glob", "iglob", "t", "type"]);
    if passes_over_nothing
        && !limits
        && patterns.into_iter().any(|word| asks_for_values(&word.text))
    {
        // A search of the whole project also reads the files that hold the values.
        let roots = files.filter(|word| matches!(word.text.as_str(), "." | "./" | "*"));
        if context.path_kind(&context.absolute(".env")) == Some(PathKind::File) {
            effects.extend(
                roots.map(|word| PathEffect::new(Verb::Feed, super::flags::part(word, ".env"))),
            );
        }
    }
    // `rg -g .env KEY` searches a file that it would otherwise ignore.
    let globs = line.values(&["g", "glob", "iglob", "include"]);
    let positive = globs
        .filter(|word| !word.text.starts_with('!') && !matches!(word.text.as_str(), "*" | "**"));
    effects.extend(positive.map(|word| {
        let mut target = word.clone();
        target.glob = true;
        PathEffect::new(Verb::Read, target)
    }));
    effects
}

/// Whether a pattern is the name of a secret rather than prose about one.
fn asks_for_values(pattern: &str) -> bool {
    let name: String = pattern
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .collect();
    let upper = name.chars().all(|c| !c.is_ascii_lowercase());
    upper && crate::redact::names_secret(&name)
}

fn sed(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "efl",
            attached: "i",
            long: &[
                "expression=",
                "file=",
                "in-place",
                "quiet",
                "silent",
                "null-data",
                "regexp-extended",
                "line-length=",
            ],
            stops: false,
        },
    );
    let in_place = line.has(&["i", "in-place", "I"]);
    let has_script = line.has(&["e", "f", "expression", "file"]);
    let mut files = line.operands.as_slice();
    // BSD's `sed -i '' s/a/b/ file`.
    if in_place && files.first().is_some_and(|word| word.text.is_empty()) {
        files = &files[1..];
    }
    let scripts: Vec<Word> = if has_script {
        line.values(&["e", "expression"]).cloned().collect()
    } else {
        files.first().cloned().into_iter().collect()
    };
    if !has_script && !files.is_empty() {
        files = &files[1..];
    }
    let mut effects = all(files, if in_place { Verb::Write } else { Verb::Read });
    effects.extend(scripts.iter().filter_map(written_by_sed));
    effects
}

/// `sed 'w file'`, `sed '1w file'`, `sed '/x/w file'`, `sed 's/a/b/w file'`: the file name extends to the end of
/// the line.
fn written_by_sed(script: &Word) -> Option<PathEffect> {
    let (before, file) = script
        .text
        .lines()
        .find_map(|line| line.split_once("w ").or_else(|| line.split_once("W ")))?;
    let is_command = before.is_empty()
        || before.ends_with(|c: char| c.is_ascii_digit() || "/$,;{ gpI|#!".contains(c));
    let is_whole = before
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '$' | ','));
    let is_path = is_whole || file.starts_with(['/', '~', '.']);
    (is_command && is_path)
        .then(|| PathEffect::new(Verb::Truncate, super::flags::part(script, file.trim())))
}

fn awk(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "FvfieElW",
            long: &[
                "field-separator=",
                "assign=",
                "file=",
                "include=",
                "source=",
                "exec=",
            ],
            ..FlagGrammar::PLAIN
        },
    );
    let has_program = line.has(&["f", "file", "E", "exec", "e", "source"]);
    let in_place = line
        .values(&["i", "include"])
        .any(|word| word.text == "inplace");
    let files = line.operands.iter().skip(usize::from(!has_program));
    let verb = if in_place { Verb::Write } else { Verb::Read };
    // `NAME=value` between files is an assignment.
    let files = files.filter(|word| !word.text.contains('=') || word.text.contains('/'));
    files
        .map(|word| PathEffect::new(verb, word.clone()))
        .collect()
}

fn jq(command: &Invocation) -> Vec<PathEffect> {
    let mut effects = Vec::new();
    let mut operands = Vec::new();
    let mut has_filter = false;
    let mut in_place = false;
    let mut args = command.args.iter();
    while let Some(word) = args.next() {
        match word.text.as_str() {
            "--arg" | "--argjson" => drop(args.nth(1)),
            "--slurpfile" | "--rawfile" => {
                effects.extend(
                    args.nth(1)
                        .map(|file| PathEffect::new(Verb::Read, file.clone())),
                );
            }
            "--indent" | "--tab-width" | "-p" | "-o" | "--input-format" | "--output-format"
            | "-L" => drop(args.next()),
            "-f" | "--from-file" => {
                has_filter = true;
                args.next();
            }
            "--args" | "--jsonargs" => break,
            "-i" | "--inplace" => in_place = command.program == "yq",
            "-n" | "--null-input" => {}
            text if text.starts_with('-') && text.len() > 1 => {}
            _ => operands.push(word.clone()),
        }
    }
    let is_verb = |text: &str| matches!(text, "eval" | "e" | "eval-all" | "ea");
    let mut files = operands.as_slice();
    if command.program == "yq" && files.first().is_some_and(|word| is_verb(&word.text)) {
        files = &files[1..];
    }
    if !has_filter && !files.is_empty() {
        // `yq file.yml` accepts a file without an expression.
        if !(command.program == "yq" && files.len() == 1) {
            files = &files[1..];
        }
    }
    effects.extend(all(files, if in_place { Verb::Write } else { Verb::Read }));
    effects
}

/// `perl -pi -e …`, `perl -ne …`. Whole scripts are not handled here.
fn one_liner(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "eEIF",
            attached: "i0lMmCDx",
            ..FlagGrammar::PLAIN
        },
    );
    let in_place = line
        .flags
        .iter()
        .any(|ParsedFlag { name, .. }| *name == "i");
    if !line.has(&["e", "E"]) || !(in_place || line.has(&["n", "p"])) {
        return Vec::new();
    }
    all(
        &line.operands,
        if in_place { Verb::Write } else { Verb::Read },
    )
}
