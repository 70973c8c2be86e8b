//! Deleting whatever a search or a pattern comes upon. A slip in the pattern takes work with it that was never
//! committed, so it is asked about, unless what is looked for is refuse or lies where refuse lies.

use super::report::Report;
use super::{Effect, Verb, rules};
use crate::command::{Invocation, Script, UNKNOWN, Via, Word};
use crate::paths::{Area, Follow, Scene, name};
use crate::rule::Rule;

/// Endings of files that tools leave behind.
#[rustfmt::skip]
const REFUSE: &[&str] = &[
    "a", "bak", "beam", "cache", "class", "crash", "d", "dSYM", "egg-info", "elc", "gch", "gcda",
    "gcno", "gcov", "hi", "la", "lo", "log", "map", "o", "obj", "old", "orig", "out", "pch", "pid",
    "profdata", "profraw", "py[co]", "py[cod]", "pyc", "pyd", "pyo", "rej", "rlib", "so",
    "stackdump", "swo", "swp", "temp", "tmp", "tsbuildinfo",
];

/// Endings of what people write.
#[rustfmt::skip]
const WRITTEN: &[&str] = &[
    "c", "cc", "cpp", "cs", "css", "csv", "dart", "db", "ex", "exs", "go", "h", "hpp", "html",
    "ipynb", "java", "js", "json", "jsx", "kt", "lua", "md", "mjs", "parquet", "php", "proto", "py",
    "rb", "rs", "scala", "scss", "sh", "sql", "sqlite", "svelte", "swift", "tf", "toml", "ts", "tsx",
    "vue", "xlsx", "yaml", "yml",
];

/// Directories that searches are told to empty.
#[rustfmt::skip]
const OUTPUT: &[&str] = &[
    ".next", ".pytest_cache", ".turbo", "__pycache__", "build", "coverage", "dist", "node_modules",
    "obj", "out", "target", "tmp",
];

/// Adds what is wrong with deleting many files at once. `command` is the command as it was understood, `effects`
/// are those it has with the operands that it will be given.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    at: Option<usize>,
    effects: &[Effect],
    scene: &Scene<'_>,
    report: &mut Report<'_>,
) {
    let searches = command.more_operands || command.program == "find" || is_computed(command);
    let empties = matches!(command.program.as_str(), "" | "truncate" | "shred");
    // What git deletes, git has.
    for effect in effects.iter().filter(|_| command.program != "git") {
        let destroys = matches!(effect.verb, Verb::Delete | Verb::DeleteRecursive)
            || effect.verb == Verb::Truncate && empties;
        let told = searches || effect.target.glob && is_written(&effect.target.text);
        let rule = if destroys && told {
            taken(&effect.target, scene)
        } else {
            None
        };
        if let Some(rule) = rule
            && !(searches && looks_for_refuse(command, script, at))
        {
            report.command(rule);
            return;
        }
    }
}

/// A path that an interpreter's one-liner works out for itself, or that a loop takes from another command.
fn is_computed(command: &Invocation) -> bool {
    let one_liner = command
        .via
        .iter()
        .any(|via| matches!(via, Via::Interpreter(_)));
    let mut open = command.args.iter().filter(|word| !word.is_known());
    open.any(|word| one_liner || !word.from.is_empty())
}

/// The rule that deleting these would meet.
fn taken(target: &Word, scene: &Scene<'_>) -> Option<&'static Rule> {
    let last = name(&target.text);
    let is_open = target.glob || last.contains(UNKNOWN);
    if is_open && is_refuse(last) {
        return None;
    }
    let place = match target.text.rsplit_once('/') {
        Some((directory, _)) if is_open && !directory.is_empty() => directory,
        None if is_open && !target.text.starts_with(UNKNOWN) => ".",
        _ => target.text.as_str(),
    };
    let spots = scene.spots(target, Follow::Directories);
    if spots.iter().any(|spot| spot.area == Area::Build) {
        return None;
    }
    let places = scene.spots(&Word::literal(place), Follow::Directories);
    places.iter().find_map(|spot| match spot.area {
        Area::InProject | Area::ProjectRoot | Area::ProjectParent | Area::Unknown => {
            Some(&rules::DELETE_MANY)
        }
        Area::Home if !is_open => Some(&rules::DELETE_PERSONAL),
        _ => None,
    })
}

/// `*`, `*.rs`
fn is_written(pattern: &str) -> bool {
    let last = name(pattern);
    last == "*" && pattern.len() > 1
        || last
            .strip_prefix("*.")
            .is_some_and(|ending| WRITTEN.contains(&ending))
}

/// Whether those who find the files were told to find refuse.
fn looks_for_refuse(command: &Invocation, script: &Script, at: Option<usize>) -> bool {
    let finder = command.via.iter().rev().find_map(|via| match via {
        Via::Wrapper(name) => Some(name.as_str()),
        _ => None,
    });
    let before = &script.commands[..at.unwrap_or(0)];
    let giver = before
        .iter()
        .rev()
        .find(|other| Some(other.program.as_str()) == finder);
    let mut sources = script.origins(&command.sources);
    for word in &command.args {
        sources.extend(script.origins(&word.from));
    }
    if let Some(giver) = giver {
        sources.extend(script.origins(&giver.sources));
        sources.push(giver);
    }
    sources.push(command);
    sources.iter().any(|source| says_refuse(source))
}

fn says_refuse(command: &Invocation) -> bool {
    let words: Vec<&str> = command.words().collect();
    let is_find = command.program == "find";
    let is_grep = matches!(command.program.as_str(), "grep" | "rg");
    let searches = is_find || is_grep || matches!(command.program.as_str(), "fd" | "fdfind" | "ls");
    // Either this or that, or everything but this: nothing is said about the rest.
    let opens = words.iter().any(|word| match *word {
        "-o" | "-or" | "," => is_find,
        word => {
            is_grep && word.starts_with('-') && !word.starts_with("--") && word.contains('v')
                || word == "--invert-match"
        }
    });
    if opens {
        return false;
    }
    let harmless_kind = words
        .windows(2)
        .any(|pair| matches!(pair, ["-type" | "-xtype", "l"]));
    let of_output = |word: &&str| word.split('/').any(|part| OUTPUT.contains(&part));
    let extension = words
        .windows(2)
        .any(|pair| matches!(pair[0], "-e" | "--extension") && REFUSE.contains(&pair[1]));
    searches
        && (words.contains(&"-empty")
            || harmless_kind
            || extension
            || words
                .iter()
                .any(|word| !is_find && !word.starts_with('-') && is_refuse(word))
            || words.iter().enumerate().any(|(at, word)| {
                let negated = at > 0 && matches!(words[at - 1], "!" | "-not");
                let names_path = matches!(*word, "-path" | "-wholename" | "-ipath");
                names_path && !negated && words.get(at + 1).is_some_and(of_output)
            }))
}

/// Whether a name, a pattern or a regular expression is about what tools leave behind.
fn is_refuse(pattern: &str) -> bool {
    let plain: String = pattern
        .trim_matches(['^', '$', '"', '\''])
        .chars()
        .filter(|character| *character != '\\')
        .collect();
    let last = name(&plain);
    let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        last,
        ".DS_Store" | "Thumbs.db" | "desktop.ini" | "core" | "core.*" | "nohup.out"
    ) || last.ends_with('~')
        || OUTPUT.contains(&last)
        || REFUSE.contains(&ending)
        || last.starts_with("npm-debug")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuse_is_told_from_work() {
        for pattern in [
            "*.pyc",
            "*.o",
            "*~",
            ".DS_Store",
            "\\.orig$",
            "core.*",
            "*.py[co]",
        ] {
            assert!(is_refuse(pattern), "{pattern}");
        }
        for pattern in ["*.ts", "*", "main.rs", "notes", "*.csv", "*.d.ts"] {
            assert!(!is_refuse(pattern), "{pattern}");
        }
    }
}
