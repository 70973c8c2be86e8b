//! The documentation as a whole: every page is in the table of contents, and every link resolves.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::markdown::{anchors, links};
use super::{read, root};

/// Directories without documentation of ours.
const FOREIGN: [&str; 5] = ["target", "node_modules", "dist", ".git", ".lab"];

/// Every page below a directory, relative to the root.
fn pages(below: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut dirs = vec![PathBuf::from(below)];
    while let Some(dir) = dirs.pop() {
        let Ok(entries) = std::fs::read_dir(root().join(&dir)) else {
            continue;
        };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name().into_string().expect("a name");
            let path = dir.join(&name);
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
                dirs.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|it| it == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let summary = read(&root().join("docs/SUMMARY.md"));
    // A planned chapter has no target.
    let listed: Vec<String> = links(&summary)
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    let distinct: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "a page is there twice");
    for page in pages("docs") {
        let name = page.strip_prefix("docs").expect("below docs");
        let name = name.to_str().expect("UTF-8").to_owned();
        let known = name == "SUMMARY.md" || listed.contains(&name);
        assert!(known, "docs/{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn every_link_resolves() {
    let mut dead = Vec::new();
    for page in pages("") {
        for link in links(&read(&root().join(&page))) {
            if let Some(why) = trouble(&page, &link) {
                dead.push(format!("{}: ({link}) {why}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// The problem with a link, if any; links to other hosts are not checked.
fn trouble(page: &Path, link: &str) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    if file.is_empty() && anchor.is_empty() {
        // Planned chapters.
        return (!page.ends_with("SUMMARY.md")).then_some("has no target");
    }
    let target = match file {
        "" => page.to_owned(),
        file => plain(&page.parent().expect("a directory").join(file)),
    };
    if page.starts_with("docs") && !target.starts_with("docs") {
        return Some("leads out of the book");
    }
    if page.starts_with("docs") && target.ends_with("README.md") && !page.ends_with("SUMMARY.md") {
        return Some("leads to a page that the book gives another name");
    }
    if !root().join(&target).exists() {
        return Some("does not exist");
    }
    let is_there = || {
        anchors(&read(&root().join(&target)))
            .iter()
            .any(|it| it == anchor)
    };
    (!anchor.is_empty() && !is_there()).then_some("has no such heading")
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
