//! Extracts the relevant line from a failed command.

use crate::text::{plain_line, truncate};
use crate::turn::RecordedStep;

/// The estimated cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureCause {
    /// Wrong usage: missing command, script, option, file or module.
    Usage,
    /// The checked code is wrong.
    Work,
}

/// A failure with an informative message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandFailure {
    pub(super) cause: FailureCause,
    /// The most informative line.
    pub(super) line: String,
    /// Equal for failures that differ only in numbers.
    pub(super) signature: String,
}

const MAX_LINE_CHARS: usize = 160;

/// Interruptions by people and guards are not failures of the command.
const STOPPED_PHRASES: &[&str] = &[
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

const USAGE_PHRASES: &[&str] = &[
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

const ERROR_WORDS: &[&str] = &[
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

/// Lines that report a failure without details.
const UNINFORMATIVE_PHRASES: &[&str] = &[
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

/// The failure of a step; `None` if it succeeded or has no informative message.
pub(super) fn parse_failure(step: &RecordedStep) -> Option<CommandFailure> {
    if step.success {
        return None;
    }
    let text = step.error.as_deref().or(step.output.as_deref())?;
    let lower = text.to_lowercase();
    if STOPPED_PHRASES.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let line = most_informative_line(text)?;
    let is_usage = |text: &str| USAGE_PHRASES.iter().any(|word| text.contains(word));
    Some(CommandFailure {
        cause: if is_usage(&line.to_lowercase()) {
            FailureCause::Usage
        } else {
            FailureCause::Work
        },
        signature: signature(&line),
        line,
    })
}

fn most_informative_line(text: &str) -> Option<String> {
    let lines = text
        .lines()
        .map(plain_line)
        .filter(|line| line.chars().any(char::is_alphabetic));
    let lines: Vec<String> = lines.filter(|line| !is_uninformative(line)).collect();
    let telling = lines.iter().find(|line| contains_any(line, ERROR_WORDS));
    let telling = telling.or_else(|| lines.iter().find(|line| contains_any(line, &["fail"])));
    telling
        .or(lines.first())
        .map(|line| truncate(line, MAX_LINE_CHARS))
}

/// A bare `Exit code 1` and similar lines.
fn is_uninformative(line: &str) -> bool {
    let is_bare = line.split(' ').count() <= 3 && contains_any(line, &["exit code"]);
    is_bare || contains_any(line, UNINFORMATIVE_PHRASES)
}

fn contains_any(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

/// Numbers and addresses differ between runs.
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

    fn failed(error: &str) -> Option<CommandFailure> {
        parse_failure(&RecordedStep {
            error: Some(error.into()),
            ..RecordedStep::default()
        })
    }

    #[test]
    fn most_informative_error_line_is_selected() {
        for (text, line, cause) in [
            (
                "Exit code 127\nbash: pnpm: command not found",
                "bash: pnpm: command not found",
                FailureCause::Usage,
            ),
            (
                "npm error Missing script: \"test\"\nnpm error A complete log of",
                "npm error Missing script: \"test\"",
                FailureCause::Usage,
            ),
            (
                "   Compiling shop v0.1.0\nerror[E0502]: cannot borrow `x`\n  --> src/a.rs:3",
                "error[E0502]: cannot borrow 'x'",
                FailureCause::Work,
            ),
            (
                "running 3 tests\nthread 'a' panicked at src/a.rs:3:5:\nassertion failed",
                "thread 'a' panicked at src/a.rs:3:5:",
                FailureCause::Work,
            ),
            (
                "Exit code 2\nsomething odd",
                "something odd",
                FailureCause::Work,
            ),
        ] {
            let found = failed(text).expect(text);
            assert_eq!((found.line.as_str(), found.cause), (line, cause));
        }
    }

    #[test]
    fn interrupted_and_uninformative_failures_are_ignored() {
        for text in [
            "",
            "Exit code 1",
            "Request interrupted by user",
            "The user doesn't want to proceed",
            "Command timed out after 2m",
        ] {
            assert_eq!(failed(text), None, "{text}");
        }
        let fine = RecordedStep {
            success: true,
            error: Some("warning: error".into()),
            ..RecordedStep::default()
        };
        assert_eq!(parse_failure(&fine), None);
    }

    #[test]
    fn numbers_do_not_change_a_failure_signature() {
        let one = failed("error at line 12: x").unwrap();
        let two = failed("error at line 345: x").unwrap();
        assert_eq!(one.signature, two.signature);
    }
}
