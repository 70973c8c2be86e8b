//! The parser against the real shell: what one takes, the other takes.

use std::io::Write;
use std::process::{Command, Stdio};

use becket_guard::shell;

use crate::understood::corpus;

/// Whether bash takes the text; `None` when there is no bash.
fn bash_takes(text: &str) -> Option<bool> {
    let mut child = Command::new("bash")
        .args(["--norc", "-n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    Some(child.wait().ok()?.success())
}

/// Texts that bash 5.2 refuses or takes for reasons of its own.
fn is_special(text: &str) -> bool {
    // The next version of bash runs a command there, and so do other shells.
    text.contains("${ ")
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped has to say so")]
fn the_parser_takes_what_bash_takes_and_refuses_what_bash_refuses() {
    let mut wrong = String::new();
    for (text, _) in corpus() {
        if is_special(&text) {
            continue;
        }
        let Some(takes) = bash_takes(&text) else {
            eprintln!("skipped: there is no bash here");
            return;
        };
        let problems = shell::parse(&text).problems;
        if takes != problems.is_empty() {
            wrong.push_str(&format!(
                "\n{text}\n  bash takes it: {takes}, problems: {problems:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
