//! Every row of the threat table names tests, and the tests exist.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{read, root};

#[test]
fn every_threat_names_tests_that_exist() {
    let page = read(&root().join("docs/concepts/security.md"));
    let known = tests();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let last = cells.last().expect("a cell").trim();
        if cells.len() < 3 || last == "test" || last.starts_with("---") {
            continue;
        }
        rows += 1;
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test is named in: {line}");
        for name in named {
            assert!(known.contains(name), "there is no test `{name}`: {line}");
        }
    }
    assert!(rows > 20, "{rows}");
}

/// The names of all tests in the workspace.
fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut dirs: Vec<PathBuf> = vec![root().join("crates"), root().join("lab")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                names.extend(tests_in(&read(&path)));
            }
        }
    }
    names
}

fn tests_in(source: &str) -> Vec<String> {
    let parts = source.split("#[test]").skip(1);
    let name = |part: &str| {
        let rest = part.split_once("fn ")?.1;
        Some(rest.split_once('(')?.0.trim().to_owned())
    };
    parts.filter_map(name).collect()
}
