//! Programs that print file contents (`data/readers.toml`).

use super::flags::{FlagGrammar, ParsedArgs};
use super::{PathEffect, Verb};
use crate::command::Invocation;
use crate::programs::{self, PRINTS_INPUT};

/// Effects of a program that prints its operands; `None` if it is not one.
pub(super) fn effects(command: &Invocation) -> Option<Vec<PathEffect>> {
    let grammar = reader(&command.program)?;
    Some(read(command, grammar))
}

/// Whether the program prints what it reads.
pub(super) fn is_reader(program: &str) -> bool {
    reader(program).is_some() || programs::contains(PRINTS_INPUT, program)
}

/// Whether the program reveals only the size or a checksum of its input.
pub(super) fn hides_content(program: &str) -> bool {
    matches!(
        program,
        "wc" | "cksum" | "file" | "true" | ":" | "test" | "[" | "stat"
    ) || program.ends_with("sum")
}

/// A program that prints the content of its operands.
struct FileReader {
    name: &'static str,
    /// The flags that take a value.
    grammar: FlagGrammar,
}

include!(concat!(env!("OUT_DIR"), "/readers.rs"));

fn reader(program: &str) -> Option<&'static FlagGrammar> {
    let at = READERS
        .binary_search_by(|known| known.name.cmp(program))
        .ok()?;
    Some(&READERS[at].grammar)
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
    // `uniq INPUT OUTPUT`, where `-` is a standard stream and no file.
    if program == "uniq"
        && let [_, output] = &line.operands[..]
        && output.text != "-"
        && let Some(written) = effects.last_mut()
    {
        written.verb = Verb::Truncate;
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
