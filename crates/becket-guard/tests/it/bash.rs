//! Compares the parser with bash: both accept and reject the same texts.

use std::io::Write;
use std::process::{Command, Stdio};

use becket_guard::shell;

use crate::analysis_corpus::corpus;

/// Whether bash accepts the text; `None` if bash is not installed.
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

/// Texts that bash 5.2 accepts or rejects for reasons of its own.
fn is_special(text: &str) -> bool {
    // Newer versions of bash, and other shells, run a command there.
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
        let errors = shell::parse(&text).errors;
        if takes != errors.is_empty() {
            wrong.push_str(&format!(
                "\n{text}\n  bash takes it: {takes}, problems: {errors:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
