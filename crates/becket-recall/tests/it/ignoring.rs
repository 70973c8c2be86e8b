//! Indexing one file follows the same ignore rules as walking the project.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use becket_recall::code::{FileOutcome, SkipReason, index, index_file};
use becket_recall::embed::BuiltinModel;
use becket_store::StoreWriter;
use becket_testkit::write_file;
use proptest::prelude::*;

const PROJECT: &str = "BECKET_TEST_PROJECT";

const DIRS: [&str; 6] = ["", "a/", "a/b/", "c/", "c/target/", "a/dist/"];
const LISTS: [&str; 4] = [
    ".gitignore",
    ".ignore",
    ".becketignore",
    ".git/info/exclude",
];
const LINES: [&str; 16] = [
    "x.py", "!x.py", "*.py", "!*.py", "a/", "/a", "b/", "!b/", "a/b/x.py", "**/y.py", "c/*",
    "!c/x.py", "*", "!*/", "# x.py", "/dist",
];

/// The files that a walk indexes.
fn by_walking(root: &Path) -> BTreeSet<String> {
    let mut writer = StoreWriter::in_memory().unwrap();
    index(&mut writer, root, &BuiltinModel, |_| {}).unwrap();
    let project = root.canonicalize().unwrap();
    let files = writer.reader().code_files(project.to_str().unwrap());
    files.unwrap().into_iter().map(|file| file.path).collect()
}

/// The files that single-file indexing accepts.
fn one_by_one(root: &Path, files: &[String]) -> BTreeSet<String> {
    let mut writer = StoreWriter::in_memory().unwrap();
    let mut is_taken = |file: &str| {
        let outcome = index_file(&mut writer, root, Path::new(file), &BuiltinModel).unwrap();
        outcome == FileOutcome::Changed
    };
    let taken = files.iter().filter(|file| is_taken(file));
    taken.cloned().collect()
}

fn lists() -> impl Strategy<Value = Vec<(&'static str, &'static str, Vec<&'static str>)>> {
    let lines = prop::collection::vec(prop::sample::select(LINES.to_vec()), 1..4);
    let list = (
        prop::sample::select(DIRS.to_vec()),
        prop::sample::select(LISTS.to_vec()),
        lines,
    );
    prop::collection::vec(list, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn single_file_and_walk_agree_on_ignored_files(
        lists in lists(),
        above in prop::sample::select(LINES.to_vec()),
        has_manifests in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        write_file(dir.path(), ".gitignore", above);
        let mut files = Vec::new();
        for at in DIRS {
            for name in ["x.py", "y.py"] {
                files.push(format!("{at}{name}"));
                write_file(&root, format!("{at}{name}"), "def f():\n    pass\n");
            }
        }
        if has_manifests {
            write_file(&root, "c/pom.xml", "");
        }
        for (at, list, lines) in &lists {
            write_file(&root, format!("{at}{list}"), lines.join("\n"));
        }
        let walked: BTreeSet<String> = by_walking(&root).into_iter().filter(|file| files.contains(file)).collect();
        prop_assert_eq!(one_by_one(&root, &files), walked);
    }
}

#[test]
fn nested_ignore_files_cannot_reinclude() {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        (".gitignore", "private/\n"),
        ("private/.gitignore", "!*.py\n"),
        ("private/diary.py", "secret = 1\n"),
        (".becketignore", "own_notes.py\n"),
        ("packages/b/.gitignore", "!own_notes.py\n"),
        ("packages/b/own_notes.py", "secret = 1\n"),
    ] {
        write_file(dir.path(), path, text);
    }
    let mut writer = StoreWriter::in_memory().unwrap();
    for file in ["private/diary.py", "packages/b/own_notes.py"] {
        let outcome = index_file(&mut writer, dir.path(), Path::new(file), &BuiltinModel).unwrap();
        assert_eq!(outcome, FileOutcome::Refused(SkipReason::Ignored), "{file}");
    }
}

#[test]
#[ignore = "run by a test, with a home of its own"]
fn with_a_global_gitignore() {
    let root = std::env::var(PROJECT).expect("a project");
    let root = Path::new(&root);
    let files = ["a.scratch.py", "a.py"].map(str::to_owned);
    let expected = BTreeSet::from(["a.py".to_owned()]);
    assert_eq!(by_walking(root), expected);
    assert_eq!(one_by_one(root, &files), expected);
}

#[test]
fn global_gitignore_applies_to_single_files() {
    let home = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    write_file(home.path(), ".config/git/ignore", "*.scratch.py\n");
    for file in ["a.scratch.py", "a.py"] {
        write_file(dir.path(), file, "def f():\n    pass\n");
    }
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["ignoring::with_a_global_gitignore", "--exact", "--ignored"])
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .env(PROJECT, dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn build_directory_names_are_skipped_only_with_a_manifest() {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("src/target/mod.rs", "pub fn aim() {}\n"),
        ("src/dist/normal.py", "def density(x):\n    return x\n"),
        ("Cargo.toml", "[package]\n"),
        ("target/debug/out.rs", "fn built() {}\n"),
        ("web/package.json", "{}\n"),
        ("web/dist/app.js", "let built = 1;\n"),
        ("vendor/x/lib.go", "package x\n"),
        (".venv/lib/site.py", "x = 1\n"),
    ] {
        write_file(dir.path(), path, text);
    }
    let mut writer = StoreWriter::in_memory().unwrap();
    let indexed = index(&mut writer, dir.path(), &BuiltinModel, |_| {}).unwrap();
    let expected = [
        "Cargo.toml",
        "src/dist/normal.py",
        "src/target/mod.rs",
        "web/package.json",
    ];
    assert_eq!(by_walking(dir.path()), expected.map(str::to_owned).into());
    let left_out = indexed.refused.get(&SkipReason::Vendored);
    assert_eq!(left_out, Some(&3), "target, web/dist and vendor");
    for file in ["target/debug/out.rs", "web/dist/app.js", "vendor/x/lib.go"] {
        let outcome = index_file(&mut writer, dir.path(), Path::new(file), &BuiltinModel).unwrap();
        assert_eq!(
            outcome,
            FileOutcome::Refused(SkipReason::Vendored),
            "{file}"
        );
    }
}
