//! Messages derived from changes.

use super::*;

fn change(how: ChangeKind, path: &str, added: &[&str], removed: &[&str]) -> FileChange {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    FileChange {
        kind: how,
        path: path.into(),
        old_path: (how == ChangeKind::Renamed).then(|| "src/old.rs".into()),
        added: lines(added),
        removed: lines(removed),
    }
}

fn subject(changes: &[FileChange]) -> String {
    message(changes)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn subject_is_derived_from_paths_and_hunks() {
    use ChangeKind::{Added, Deleted, Modified, Renamed};
    for (changes, expected) in [
        (
            vec![change(Modified, "README.md", &["x"], &[])],
            "docs: update README.md",
        ),
        (
            vec![change(Added, "src/parser.rs", &["fn parse() {}"], &[])],
            "feat: add parser.rs",
        ),
        (
            vec![change(
                Modified,
                "crates/core/src/date.rs",
                &["    pub fn parse_date(s: &str) {"],
                &[],
            )],
            "feat(core): add parse_date to date.rs",
        ),
        (
            vec![change(
                Modified,
                "src/a.py",
                &["def run(a, b):"],
                &["def run(a):"],
            )],
            "chore: update a.py",
        ),
        (
            vec![change(
                Modified,
                "pkg/srv/x.go",
                &["func (s *Server) Close() error {"],
                &[],
            )],
            "feat(srv): add Close to x.go",
        ),
        (
            vec![change(Renamed, "src/new.rs", &[], &[])],
            "refactor: rename old.rs to new.rs",
        ),
        (
            vec![change(Deleted, "src/x.rs", &[], &["x"])],
            "chore: remove x.rs",
        ),
        (
            vec![
                change(Modified, "tests/a.rs", &[], &[]),
                change(Added, "tests/b.rs", &[], &[]),
            ],
            "test: update a.rs and b.rs",
        ),
        (
            vec![
                change(Modified, "Cargo.toml", &[], &[]),
                change(Modified, "Cargo.lock", &[], &[]),
            ],
            "build: update Cargo.toml and Cargo.lock",
        ),
        (
            vec![change(Modified, ".github/workflows/ci.yml", &[], &[])],
            "ci(workflows): update ci.yml",
        ),
    ] {
        assert_eq!(subject(&changes), expected);
    }
}

#[test]
fn many_files_are_counted_and_a_subject_stays_short() {
    let changes: Vec<FileChange> = (0..30)
        .map(|n| {
            change(
                ChangeKind::Added,
                &format!("web/{}{n}.ts", "long".repeat(12)),
                &[],
                &[],
            )
        })
        .collect();
    let text = message(&changes);
    let subject = text.lines().next().expect("a subject");
    assert!(subject.chars().count() <= MAX_SUBJECT, "{subject}");
    assert!(subject.starts_with("feat(web): add long"), "{subject}");
    assert!(text.ends_with("and 10 more files\n"), "{text}");
}

#[test]
fn file_names_cannot_inject_lines_into_the_message() {
    let text = message(&[change(
        ChangeKind::Added,
        "a\nSigned-off-by: x\u{1b}.rs",
        &[],
        &[],
    )]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(!text.contains('\u{1b}'));
}
