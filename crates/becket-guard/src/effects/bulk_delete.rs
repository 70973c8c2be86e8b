//! Rules about deleting everything that a search or a glob matches.
//!
//! A mistake in the pattern also deletes uncommitted work, so the guard asks, unless the search is limited to build
//! artifacts or to directories that contain them.

use super::report::FindingReport;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Launcher, Script, UNKNOWN, Word};
use crate::paths::{FollowLinks, PathArea, PathContext, name};
use crate::rule::Rule;
use crate::rules;

/// Extensions of files that tools generate.
#[rustfmt::skip]
const ARTIFACT_ENDINGS: &[&str] = &[
    "a", "bak", "beam", "cache", "class", "crash", "d", "dSYM", "egg-info", "elc", "gch", "gcda",
    "gcno", "gcov", "hi", "la", "lo", "log", "map", "o", "obj", "old", "orig", "out", "pch", "pid",
    "profdata", "profraw", "py[co]", "py[cod]", "pyc", "pyd", "pyo", "rej", "rlib", "so",
    "stackdump", "swo", "swp", "temp", "tmp", "tsbuildinfo",
];

/// Extensions of files that people write.
#[rustfmt::skip]
const SOURCE_ENDINGS: &[&str] = &[
    "c", "cc", "cpp", "cs", "css", "csv", "dart", "db", "ex", "exs", "go", "h", "hpp", "html",
    "ipynb", "java", "js", "json", "jsx", "kt", "lua", "md", "mjs", "parquet", "php", "proto", "py",
    "rb", "rs", "scala", "scss", "sh", "sql", "sqlite", "svelte", "swift", "tf", "toml", "ts", "tsx",
    "vue", "xlsx", "yaml", "yml",
];

/// Output directories that are commonly searched in order to empty them.
#[rustfmt::skip]
const OUTPUT_DIRECTORIES: &[&str] = &[
    ".next", ".pytest_cache", ".turbo", "__pycache__", "build", "coverage", "dist", "node_modules",
    "obj", "out", "target", "tmp",
];

/// Checks deletion of many files at once. `command` is the command as analyzed; `effects` are its effects with the
/// operands filled in.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    at: Option<usize>,
    effects: &[PathEffect],
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    let searches = command.more_operands || command.program == "find" || is_computed(command);
    let empties = matches!(command.program.as_str(), "" | "truncate" | "shred");
    // Files that git deletes are in its history.
    for effect in effects.iter().filter(|_| command.program != "git") {
        let destroys = matches!(effect.verb, Verb::Delete | Verb::DeleteRecursive)
            || effect.verb == Verb::Truncate && empties;
        let is_broad = searches || effect.target.glob && is_source_pattern(&effect.target.text);
        let rule = if destroys && is_broad {
            bulk_delete_rule(&effect.target, context)
        } else {
            None
        };
        if let Some(rule) = rule
            && !(searches && searches_for_artifacts(command, script, at))
        {
            report.add_command(rule);
            return;
        }
    }
}

/// Whether a path is computed by an interpreter's one-liner, or taken by a loop from another command's output.
fn is_computed(command: &Invocation) -> bool {
    let one_liner = command
        .via
        .iter()
        .any(|via| matches!(via, Launcher::Interpreter(_)));
    let mut open = command.args.iter().filter(|word| !word.is_known());
    open.any(|word| one_liner || !word.from.is_empty())
}

/// The rule that deleting `target` matches.
fn bulk_delete_rule(target: &Word, context: &PathContext<'_>) -> Option<&'static Rule> {
    let last = name(&target.text);
    let is_open = target.glob || last.contains(UNKNOWN);
    if is_open && is_artifact(last) {
        return None;
    }
    let base = match target.text.rsplit_once('/') {
        Some((directory, _)) if is_open && !directory.is_empty() => directory,
        None if is_open && !target.text.starts_with(UNKNOWN) => ".",
        _ => target.text.as_str(),
    };
    let candidates = context.classify_word(target, FollowLinks::InDirectories);
    if candidates
        .iter()
        .any(|classified| classified.area == PathArea::Build)
    {
        return None;
    }
    let directories = context.classify_word(&Word::literal(base), FollowLinks::InDirectories);
    directories
        .iter()
        .find_map(|classified| match classified.area {
            PathArea::InProject
            | PathArea::ProjectRoot
            | PathArea::ProjectParent
            | PathArea::Unknown => Some(&rules::CORE_DELETE_MANY),
            PathArea::Home if !is_open => Some(&rules::CORE_DELETE_PERSONAL),
            _ => None,
        })
}

/// `*`, `*.rs`
fn is_source_pattern(pattern: &str) -> bool {
    let last = name(pattern);
    last == "*" && pattern.len() > 1
        || last
            .strip_prefix("*.")
            .is_some_and(|ending| SOURCE_ENDINGS.contains(&ending))
}

/// Whether the commands that supply the file names search for artifacts.
fn searches_for_artifacts(command: &Invocation, script: &Script, at: Option<usize>) -> bool {
    let finder = command.via.iter().rev().find_map(|via| match via {
        Launcher::Wrapper(name) => Some(name.as_str()),
        _ => None,
    });
    let before = &script.commands[..at.unwrap_or(0)];
    let supplier = before
        .iter()
        .rev()
        .find(|other| Some(other.program.as_str()) == finder);
    let mut sources = script.origins(&command.sources);
    for word in &command.args {
        sources.extend(script.origins(&word.from));
    }
    if let Some(supplier) = supplier {
        sources.extend(script.origins(&supplier.sources));
        sources.push(supplier);
    }
    sources.push(command);
    sources.iter().any(|source| names_artifacts(source))
}

fn names_artifacts(command: &Invocation) -> bool {
    let words: Vec<&str> = command.words().collect();
    let is_find = command.program == "find";
    let is_grep = matches!(command.program.as_str(), "grep" | "rg");
    let searches = is_find || is_grep || matches!(command.program.as_str(), "fd" | "fdfind" | "ls");
    // `-o` of `find` and an inverted search (`grep -v`) also return files that do not match the pattern.
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
    let is_output = |word: &&str| {
        word.split('/')
            .any(|part| OUTPUT_DIRECTORIES.contains(&part))
    };
    let extension = words
        .windows(2)
        .any(|pair| matches!(pair[0], "-e" | "--extension") && ARTIFACT_ENDINGS.contains(&pair[1]));
    searches
        && (words.contains(&"-empty")
            || harmless_kind
            || extension
            || words
                .iter()
                .any(|word| !is_find && !word.starts_with('-') && is_artifact(word))
            || words.iter().enumerate().any(|(at, word)| {
                let negated = at > 0 && matches!(words[at - 1], "!" | "-not");
                let names_path = matches!(*word, "-path" | "-wholename" | "-ipath");
                names_path && !negated && words.get(at + 1).is_some_and(is_output)
            }))
}

/// Whether a name, a glob or a regular expression matches generated files.
fn is_artifact(pattern: &str) -> bool {
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
        || OUTPUT_DIRECTORIES.contains(&last)
        || ARTIFACT_ENDINGS.contains(&ending)
        || last.starts_with("npm-debug")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_distinguished_from_sources() {
        for pattern in [
            "*.pyc",
            "*.o",
            "*~",
            ".DS_Store",
            "\\.orig$",
            "core.*",
            "*.py[co]",
        ] {
            assert!(is_artifact(pattern), "{pattern}");
        }
        for pattern in ["*.ts", "*", "main.rs", "notes", "*.csv", "*.d.ts"] {
            assert!(!is_artifact(pattern), "{pattern}");
        }
    }
}
