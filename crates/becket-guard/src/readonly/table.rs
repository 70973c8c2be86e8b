//! Matches command lines against the table of read-only commands (`data/read-only.toml`).

use super::conditions;
use crate::command::{Invocation, Word};
use crate::packs::args::{Args, FlagStyle};
use crate::programs::{self, PRINTS_NO_CONTENT, READ_ONLY_WRAPPERS};

/// A read-only way to call a program.
struct ReadOnlyCommand {
    name: &'static str,
    /// Pattern for its subcommands.
    path: &'static str,
    /// Flags that keep it read-only; `-abc` lists three. `*` allows all flags.
    flags: &'static str,
    /// The flags among them that take the next word.
    values: &'static str,
    style: FlagStyle,
    /// Additional condition.
    fits: fn(&Args<'_>) -> bool,
}

include!(concat!(env!("OUT_DIR"), "/read_only.rs"));

/// Programs that report on files without printing their content; they may receive any file.
pub(super) fn prints_no_content(program: &str) -> bool {
    programs::contains(PRINTS_NO_CONTENT, program)
}

/// Programs that run another one, which follows them in the script.
pub(super) fn is_wrapper(program: &str) -> bool {
    programs::contains(READ_ONLY_WRAPPERS, program)
}

/// Whether the wrapper does nothing except run the other command.
pub(super) fn wraps_plainly(command: &Invocation) -> bool {
    let texts: Vec<&str> = command.words().collect();
    match command.program.as_str() {
        "bash" | "sh" | "zsh" | "dash" => {
            matches!(texts.as_slice(), ["-c" | "-lc" | "-ec" | "-euc", _])
        }
        "env" => texts.first().is_some_and(|first| !first.starts_with('-')),
        "xargs" => leading_flags(&texts).all(|flag| {
            let letters = flag.trim_start_matches('-');
            matches!(
                letters.chars().next(),
                Some('0' | 'n' | 'r' | 'I' | 'L' | 'P' | 'd')
            ) && !flag.starts_with("--")
        }),
        "time" => leading_flags(&texts).all(|flag| flag == "-p"),
        _ => leading_flags(&texts)
            .all(|flag| !flag.starts_with("-o") && !flag.starts_with("--output")),
    }
}

fn leading_flags<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    texts
        .iter()
        .copied()
        .take_while(|text| text.starts_with('-'))
}

/// Whether the table contains this command line.
pub(super) fn only_reads(command: &Invocation) -> bool {
    let args = without_toolchain(command);
    let program = command.program.as_str();
    let from = READ_ONLY.partition_point(|known| known.name < program);
    READ_ONLY[from..]
        .iter()
        .take_while(|known| known.name == program)
        .any(|known| known.allows(args))
}

/// `cargo +nightly check`.
fn without_toolchain(command: &Invocation) -> &[Word] {
    match command.args.split_first() {
        Some((first, rest)) if command.program == "cargo" && first.text.starts_with('+') => rest,
        _ => &command.args,
    }
}

impl ReadOnlyCommand {
    fn allows(&self, words: &[Word]) -> bool {
        let args = Args::read(words, self.values, self.style);
        let any = self.flags == "*";
        args.surely_matches(self.path)
            && (any
                || args
                    .flags
                    .iter()
                    .all(|flag| allowed(self.flags, self.style, flag.name)))
            && (any || words.iter().all(|word| self.is_clear(word)))
            && (self.fits)(&args)
    }

    /// A glob at the start of a word may expand to a flag, and `--o` may abbreviate any flag.
    fn is_clear(&self, word: &Word) -> bool {
        let becomes_flag = word.glob && word.text.starts_with(['*', '?', '[']);
        let name = word
            .text
            .strip_prefix("--")
            .map(|name| name.split('=').next().unwrap_or(name));
        let cut_short = self.style == FlagStyle::Gnu && name.is_some_and(|name| name.len() == 1);
        !becomes_flag && !cut_short
    }
}

/// Whether `name` is in a list such as `-abc --long`. A number (`-20`) is a line count.
pub(super) fn allowed(flags: &str, style: FlagStyle, name: &str) -> bool {
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    flags.split_ascii_whitespace().any(|known| {
        let long = known.starts_with("--") || style == FlagStyle::SingleDash;
        if long {
            known.trim_start_matches('-') == name
        } else {
            name.chars().count() == 1 && known[1..].contains(name)
        }
    })
}
