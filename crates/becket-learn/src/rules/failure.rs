//! What a command that failed said about it.

use crate::text::{cut, plain};
use crate::turn::Step;

/// Why a command failed, by rule of thumb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// It is not how things are done here: no such command, script, option, file, module.
    Usage,
    /// What it looked at is wrong.
    Work,
}

/// A failure that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) cause: Cause,
    /// The line that says most.
    pub(super) line: String,
    /// The same for failures that differ in numbers only.
    pub(super) signature: String,
}

const MOST_LINE: usize = 160;

/// What people and guards did is not the command's failure.
const STOPPED: &[&str] = &[
    "interrupted",
    "user doesn't want",
    "user rejected",
    "user denied",
    "user has denied",
    "was blocked",
    "blocked by",
    "denied by",
    "hook error",
    "permission to use",
    "requires approval",
    "operation was aborted",
    "cancelled",
    "canceled",
    "timed out",
    "signal 9",
    "sigkill",
    "sigterm",
];

const USAGE: &[&str] = &[
    "command not found",
    ": not found",
    "missing script",
    "unknown option",
    "unknown command",
    "unknown flag",
    "unrecognized",
    "unrecognised",
    "unexpected argument",
    "no such command",
    "no such subcommand",
    "no module named",
    "no rule to make target",
    "no such file or directory",
    "cannot find module",
    "could not find `cargo.toml`",
    "could not find 'cargo.toml'",
    "package.json",
    "not installed",
    "invalid option",
    "illegal option",
    "is not a git",
    "externally-managed-environment",
    "did not match any packages",
    "no such service",
    "not recognized",
    "usage:",
    "unsupported engine",
    "requires python",
    "err_pnpm",
    "cannot open",
    "no tests found",
    "connection refused",
    "invalid choice",
    "no such option",
    "does not exist",
];

const TELLING: &[&str] = &[
    "error",
    "exception",
    "panicked",
    "not found",
    "cannot",
    "can't",
    "could not",
    "no such",
    "undefined",
    "missing",
    "refused",
    "denied",
    "unknown",
    "invalid",
    "unexpected",
    "unrecognized",
    "assert",
    "no rule",
    "no module",
    "already in use",
];

/// Lines that say that something failed and not what.
const EMPTY: &[&str] = &[
    "command failed",
    "error: test failed, to rerun",
    "npm err! a complete log",
    "npm error a complete log",
    "could not compile",
    "aborting due to",
    "for more information",
    "test result: failed",
    "elifecycle",
    "failures:",
    "process completed",
    "error: process didn't exit",
];

/// What a step's failure says; `None` if it did not fail or says nothing.
pub(super) fn failure(step: &Step) -> Option<Failure> {
    if step.success {
        return None;
    }
    let text = step.error.as_deref().or(step.output.as_deref())?;
    let lower = text.to_lowercase();
    if STOPPED.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let line = telling_line(text)?;
    let is_usage = |text: &str| USAGE.iter().any(|word| text.contains(word));
    Some(Failure {
        cause: if is_usage(&line.to_lowercase()) {
            Cause::Usage
        } else {
            Cause::Work
        },
        signature: signature(&line),
        line,
    })
}

fn telling_line(text: &str) -> Option<String> {
    let lines = text
        .lines()
        .map(plain)
        .filter(|line| line.chars().any(char::is_alphabetic));
    let lines: Vec<String> = lines.filter(|line| !is_empty(line)).collect();
    let telling = lines.iter().find(|line| has(line, TELLING));
    let telling = telling.or_else(|| lines.iter().find(|line| has(line, &["fail"])));
    telling.or(lines.first()).map(|line| cut(line, MOST_LINE))
}

/// `Exit code 1` alone, and its like.
fn is_empty(line: &str) -> bool {
    let is_bare = line.split(' ').count() <= 3 && has(line, &["exit code"]);
    is_bare || has(line, EMPTY)
}

fn has(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

/// Numbers and addresses differ from run to run.
fn signature(line: &str) -> String {
    let mut signature = String::new();
    for c in line.to_lowercase().chars() {
        match c {
            c if c.is_ascii_digit() => {
                if !signature.ends_with('#') {
                    signature.push('#');
                }
            }
            c => signature.push(c),
        }
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(error: &str) -> Option<Failure> {
        failure(&Step {
            error: Some(error.into()),
            ..Step::default()
        })
    }

    #[test]
    fn the_line_that_says_most_is_taken() {
        for (text, line, cause) in [
            (
                "Exit code 127\nbash: pnpm: command not found",
                "bash: pnpm: command not found",
                Cause::Usage,
            ),
            (
                "npm error Missing script: \"test\"\nnpm error A complete log of",
                "npm error Missing script: \"test\"",
                Cause::Usage,
            ),
            (
                "   Compiling shop v0.1.0\nerror[E0502]: cannot borrow `x`\n  --> src/a.rs:3",
                "error[E0502]: cannot borrow 'x'",
                Cause::Work,
            ),
            (
                "running 3 tests\nthread 'a' panicked at src/a.rs:3:5:\nassertion failed",
                "thread 'a' panicked at src/a.rs:3:5:",
                Cause::Work,
            ),
            ("Exit code 2\nsomething odd", "something odd", Cause::Work),
        ] {
            let found = failed(text).expect(text);
            assert_eq!((found.line.as_str(), found.cause), (line, cause));
        }
    }

    #[test]
    fn what_was_stopped_or_says_nothing_is_no_failure() {
        for text in [
            "",
            "Exit code 1",
            "Request interrupted by user",
            "The user doesn't want to proceed",
            "Command timed out after 2m",
        ] {
            assert_eq!(failed(text), None, "{text}");
        }
        let fine = Step {
            success: true,
            error: Some("warning: error".into()),
            ..Step::default()
        };
        assert_eq!(failure(&fine), None);
    }

    #[test]
    fn failures_that_differ_in_numbers_are_the_same() {
        let one = failed("error at line 12: x").unwrap();
        let two = failed("error at line 345: x").unwrap();
        assert_eq!(one.signature, two.signature);
    }
}
