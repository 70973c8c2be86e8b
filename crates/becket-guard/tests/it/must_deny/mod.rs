//! Commands that the guard has to deny in every spelling.
//!
//! `bases` lists the commands and files, `spell` the equivalent spellings. Every base is checked in every spelling.

mod bases;
mod spell;

use becket_guard::judge::{self, Judgement};
use becket_guard::{NoFacts, Policy, RunLocation};
use becket_model::Verdict;
use serde_json::{Value, json};

use bases::{COMMANDS, FILES, LINES, PATHS};

/// Minimum number of spellings per base.
const FEWEST: usize = 10;

fn location() -> RunLocation {
    RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn judged(text: &str) -> Judgement {
    judge::command(text, &Policy::default(), &location(), &NoFacts)
}

/// The spellings that are not denied.
fn missed(spellings: &[String]) -> Vec<String> {
    let judged = spellings.iter().map(|text| (text, judged(text)));
    let passed = judged.filter(|(_, judgement)| judgement.verdict < Verdict::Deny);
    passed
        .map(|(text, judgement)| {
            format!("{text}\n    {:?} {:?}", judgement.verdict, judgement.reason)
        })
        .collect()
}

fn all_are_denied(bases: impl Iterator<Item = (String, Vec<String>)>) {
    let (mut all, mut count) = (Vec::new(), 0);
    for (base, spellings) in bases {
        assert!(
            spellings.len() >= FEWEST,
            "{base}: {} spellings",
            spellings.len()
        );
        count += spellings.len();
        all.extend(missed(&spellings));
    }
    assert!(
        all.is_empty(),
        "{} of {count} pass:\n{}",
        all.len(),
        all.join("\n")
    );
}

#[test]
fn destructive_commands_are_denied_in_every_spelling() {
    all_are_denied(COMMANDS.iter().map(|words| {
        let mut spellings = spell::words(words);
        spellings.extend(spell::line(&words.join(" ")));
        (words.join(" "), spellings)
    }));
}

#[test]
fn downloads_into_a_shell_and_fork_bombs_are_denied_in_every_spelling() {
    all_are_denied(
        LINES
            .iter()
            .map(|line| ((*line).to_owned(), spell::line(line))),
    );
}

#[test]
fn protected_files_are_neither_written_nor_deleted_by_a_tool_in_any_spelling() {
    let mut passed = Vec::new();
    for file in FILES.iter().chain(PATHS) {
        let paths = spell::path(file);
        assert!(paths.len() >= FEWEST, "{file}");
        for path in &paths {
            for (tool, input) in calls(path) {
                let judgement =
                    judge::tool(tool, &input, &Policy::default(), &location(), &NoFacts);
                if judgement.verdict < Verdict::Deny {
                    passed.push(format!("{tool} {input}: {:?}", judgement.verdict));
                }
            }
        }
    }
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

/// Ways to write or delete a file without a shell.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let envelope =
        |what: &str| format!("*** Begin Patch\n*** {what} File: {path}\n+x\n*** End Patch");
    vec![
        ("Write", json!({ "file_path": path, "content": "x" })),
        (
            "Edit",
            json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
        ),
        (
            "MultiEdit",
            json!({ "file_path": path, "edits": [{ "old_string": "a", "new_string": "b" }] }),
        ),
        ("Delete", json!({ "file_path": path })),
        ("ApplyPatch", json!({ "patch": envelope("Add") })),
        ("ApplyPatch", json!({ "patch": envelope("Update") })),
        ("ApplyPatch", json!({ "patch": envelope("Delete") })),
        (
            "mcp__fs__write_file",
            json!({ "path": path, "content": "x" }),
        ),
        ("mcp__fs__edit_file", json!({ "path": path, "edits": [] })),
        ("mcp__fs__delete_file", json!({ "path": path })),
        (
            "mcp__fs__move_file",
            json!({ "source": "x", "destination": path }),
        ),
    ]
}

#[test]
fn protected_files_are_not_read_written_or_deleted_by_a_command_in_any_spelling() {
    for (verb, rest) in bases::ON_FILES {
        all_are_denied(bases::UNMISTAKABLE.iter().map(|file| {
            let words: Vec<&str> = std::iter::once(*verb)
                .chain(rest.iter().copied())
                .chain([*file])
                .collect();
            let mut spellings = spell::words(&words);
            spellings.extend(spell::line(&words.join(" ")));
            (words.join(" "), spellings)
        }));
    }
    all_are_denied(bases::UNMISTAKABLE.iter().map(|file| {
        let lines = [format!("echo x > {file}"), format!("cat < {file}")];
        (
            format!("> {file}"),
            lines.iter().flat_map(|line| spell::line(line)).collect(),
        )
    }));
}
