//! Derives a commit message from paths and hunks, deterministically and without a language model.

use std::path::Path;

use super::change::{ChangeKind, FileChange};
use crate::display_text;

/// Maximum length of a subject.
const MAX_SUBJECT: usize = 72;
/// Maximum number of files in the body.
const MAX_LISTED_FILES: usize = 20;

/// The subject and the body.
pub(super) fn message(changes: &[FileChange]) -> String {
    let scope = scope(changes).map(|scope| format!("({scope})"));
    let kind = commit_type(changes);
    let subject = format!(
        "{kind}{}: {}",
        scope.unwrap_or_default(),
        describe_changes(changes)
    );
    let subject = display_text::one_line(&subject, MAX_SUBJECT - 1);
    let body = body(changes);
    format!("{subject}\n\n{body}\n")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileCategory {
    Docs,
    Test,
    Ci,
    Build,
    Source,
    Other,
}

const BUILD_FILES: [&str; 18] = [
    "cargo.toml",
    "cargo.lock",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "go.mod",
    "go.sum",
    "makefile",
    "cmakelists.txt",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "gemfile",
    "gemfile.lock",
    "dockerfile",
    "build.gradle",
    "pom.xml",
];
/// Extensions of source code.
const SOURCE_EXTENSIONS: [&str; 30] = [
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "go", "java", "kt", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "swift", "scala", "ex", "exs", "zig", "dart", "sh", "lua", "vue",
    "svelte", "sql",
];

fn categorize(path: &str) -> FileCategory {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let within = |dirs: &[&str]| {
        lower
            .split('/')
            .rev()
            .skip(1)
            .any(|part| dirs.contains(&part))
    };
    if lower.starts_with(".github/")
        || lower.starts_with(".circleci/")
        || within(&[".ci"])
        || name == ".gitlab-ci.yml"
    {
        return FileCategory::Ci;
    }
    if within(&["tests", "test", "__tests__", "spec", "testdata", "fixtures"])
        || stem.ends_with("_test")
        || stem.starts_with("test_")
        || matches!(stem.rsplit_once('.'), Some((_, "test" | "spec")))
    {
        return FileCategory::Test;
    }
    if matches!(ending, "md" | "rst" | "adoc")
        || within(&["docs", "doc"])
        || matches!(stem, "readme" | "changelog" | "license")
    {
        return FileCategory::Docs;
    }
    if BUILD_FILES.contains(&name) {
        return FileCategory::Build;
    }
    if SOURCE_EXTENSIONS.contains(&ending) {
        FileCategory::Source
    } else {
        FileCategory::Other
    }
}

fn commit_type(changes: &[FileChange]) -> &'static str {
    let all = |sort_wanted: FileCategory| {
        changes
            .iter()
            .all(|change| categorize(&change.path) == sort_wanted)
    };
    for (sort, word) in [
        (FileCategory::Docs, "docs"),
        (FileCategory::Test, "test"),
        (FileCategory::Ci, "ci"),
        (FileCategory::Build, "build"),
    ] {
        if all(sort) {
            return word;
        }
    }
    let source = || {
        changes
            .iter()
            .filter(|change| categorize(&change.path) == FileCategory::Source)
    };
    let grows =
        |change: &FileChange| change.kind == ChangeKind::Added || !definitions(change).is_empty();
    if source().any(grows) {
        "feat"
    } else if source().next().is_some()
        && source().all(|change| change.kind == ChangeKind::Renamed && change.added.is_empty())
    {
        "refactor"
    } else {
        "chore"
    }
}

/// The scope: the deepest directory that all files share, ignoring generic names.
fn scope(changes: &[FileChange]) -> Option<String> {
    const SAY_NOTHING: [&str; 8] = [
        "src", "lib", "crates", "packages", "tests", "test", "app", "docs",
    ];
    let dirs = |change: &FileChange| -> Vec<String> {
        let parent = Path::new(&change.path).parent().unwrap_or(Path::new(""));
        let parts = parent.components();
        parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let mut shared = dirs(changes.first()?);
    for change in changes {
        let other = dirs(change);
        let same = shared
            .iter()
            .zip(&other)
            .take_while(|(a, b)| a == b)
            .count();
        shared.truncate(same);
    }
    let said = shared
        .iter()
        .rev()
        .find(|part| !SAY_NOTHING.contains(&part.as_str()))?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    (said.chars().all(plain) && said.chars().count() <= 24).then(|| said.clone())
}

fn describe_changes(changes: &[FileChange]) -> String {
    let name = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        display_text::one_line(name, 40)
    };
    if let [change] = changes {
        let defined = definitions(change);
        return match change.kind {
            ChangeKind::Added => format!("add {}", name(&change.path)),
            ChangeKind::Deleted => format!("remove {}", name(&change.path)),
            ChangeKind::Renamed => {
                let from = change.old_path.as_deref().unwrap_or_default();
                format!("rename {} to {}", name(from), name(&change.path))
            }
            ChangeKind::Modified if !defined.is_empty() => {
                format!("add {} to {}", join_names(&defined), name(&change.path))
            }
            ChangeKind::Modified => format!("update {}", name(&change.path)),
        };
    }
    let verb = match changes.first().map(|change| change.kind) {
        Some(first) if changes.iter().all(|change| change.kind == first) => match first {
            ChangeKind::Added => "add",
            ChangeKind::Deleted => "remove",
            ChangeKind::Renamed => "rename",
            ChangeKind::Modified => "update",
        },
        _ => "update",
    };
    let names: Vec<String> = changes.iter().map(|change| name(&change.path)).collect();
    format!("{verb} {}", join_names(&names))
}

/// `a`, `a and b`, `a, b and 3 more`
fn join_names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

/// Names that the change adds.
fn definitions(change: &FileChange) -> Vec<String> {
    if categorize(&change.path) != FileCategory::Source {
        return Vec::new();
    }
    let before: Vec<&str> = change
        .removed
        .iter()
        .filter_map(|line| defined_name(line))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for name in change.added.iter().filter_map(|line| defined_name(line)) {
        if !before.contains(&name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The name that a line defines, in common languages.
fn defined_name(line: &str) -> Option<&str> {
    const BEFORE: [&str; 14] = [
        "pub",
        "pub(crate)",
        "pub(super)",
        "export",
        "default",
        "async",
        "static",
        "const",
        "public",
        "private",
        "protected",
        "abstract",
        "final",
        "unsafe",
    ];
    const DEFINES: [&str; 9] = [
        "fn",
        "def",
        "func",
        "function",
        "class",
        "struct",
        "enum",
        "trait",
        "interface",
    ];
    let mut rest = line.trim();
    let mut keyword = loop {
        let (word, after) = rest.split_once(' ')?;
        rest = after.trim_start();
        if !BEFORE.contains(&word) {
            break word;
        }
    };
    if !DEFINES.contains(&keyword) {
        return None;
    }
    // In Go, the receiver comes before the name.
    if keyword == "func" && rest.starts_with('(') {
        rest = rest.split_once(')')?.1.trim_start();
        keyword = "fn";
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let name = &rest[..end];
    let fine = !keyword.is_empty() && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (fine && name.len() <= 48).then_some(name)
}

fn body(changes: &[FileChange]) -> String {
    let mut lines: Vec<String> = changes
        .iter()
        .take(MAX_LISTED_FILES)
        .map(|change| {
            let sign = match change.kind {
                ChangeKind::Added => 'A',
                ChangeKind::Modified => 'M',
                ChangeKind::Deleted => 'D',
                ChangeKind::Renamed => 'R',
            };
            let path = display_text::one_line(&change.path, 120);
            format!(
                "{sign} {path} (+{} -{})",
                change.added.len(),
                change.removed.len()
            )
        })
        .collect();
    if changes.len() > MAX_LISTED_FILES {
        lines.push(format!(
            "and {} more files",
            changes.len() - MAX_LISTED_FILES
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
