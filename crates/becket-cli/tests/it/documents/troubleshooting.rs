//! The troubleshooting page quotes only messages that the program prints.

use std::path::PathBuf;

use super::{read, root};

/// Shorter fragments match anywhere.
const MIN_FRAGMENT: usize = 12;

#[test]
fn troubleshooting_quotes_only_messages_of_the_program() {
    let page = read(&root().join("docs/guides/troubleshooting.md"));
    let (_, part) = page
        .split_once("## Messages of becket doctor")
        .expect("the section of messages");
    let sources = sources();
    let mut checked = 0;
    for message in part.lines().filter_map(message) {
        for piece in message.split(['…', ';']).map(str::trim) {
            // Text of the page itself is in italics.
            if piece.len() >= MIN_FRAGMENT && !piece.contains('*') {
                assert!(
                    sources.contains(piece),
                    "no source contains `{piece}`: {message}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

/// The first cell of a row.
fn message(line: &str) -> Option<&str> {
    let message = line.strip_prefix("| ")?.split(" | ").next()?;
    let is_row = message != "message" && !message.starts_with("---");
    is_row.then_some(message)
}

/// All sources, with multi-line strings joined.
fn sources() -> String {
    let mut text = String::new();
    let mut dirs: Vec<PathBuf> = vec![root().join("crates")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("tests") {
                dirs.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                text += &joined(&read(&path));
            }
        }
    }
    text
}

fn joined(source: &str) -> String {
    let mut parts = source.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}
