//! What the page about trouble says that the doctor says, it says.

use std::path::PathBuf;

use super::{read, root};

/// Pieces that are shorter stand everywhere.
const TELLING: usize = 12;

#[test]
fn every_message_that_troubleshooting_explains_is_one_of_the_programs() {
    let page = read(&root().join("docs/guides/troubleshooting.md"));
    let (_, part) = page
        .split_once("## What doctor says")
        .expect("the section of messages");
    let sources = sources();
    let mut told = 0;
    for message in part.lines().filter_map(message) {
        for piece in message.split(['…', ';']).map(str::trim) {
            // Words of the page's own are in italics.
            if piece.len() >= TELLING && !piece.contains('*') {
                assert!(sources.contains(piece), "nobody says `{piece}`: {message}");
                told += 1;
            }
        }
    }
    assert!(told > 30, "{told}");
}

/// The first cell of a row.
fn message(line: &str) -> Option<&str> {
    let message = line.strip_prefix("| ")?.split(" | ").next()?;
    let is_row = message != "message" && !message.starts_with("---");
    is_row.then_some(message)
}

/// All sources, with texts that go over several lines joined.
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
