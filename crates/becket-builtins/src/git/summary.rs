//! A commit message without a language model: made from the paths and hunks of the change, the same
//! every time.

use std::path::Path;

use super::change::{Change, How};
use crate::words;

/// How long a subject may be.
const SUBJECT: usize = 72;
/// How many files a body lists.
const LISTED: usize = 20;

/// The message, subject and body.
pub(super) fn message(changes: &[Change]) -> String {
    let scope = scope(changes).map(|scope| format!("({scope})"));
    let kind = kind(changes);
    let subject = format!("{kind}{}: {}", scope.unwrap_or_default(), what(changes));
    let subject = words::one_line(&subject, SUBJECT - 1);
    let body = body(changes);
    format!("{subject}\n\n{body}\n")
}

/// What sort of file it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Docs,
    Test,
    Ci,
    Build,
    Source,
    Other,
}

/// Files that say how the project is built.
const BUILD: [&str; 18] = [
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
/// Endings of source code.
const SOURCE: [&str; 30] = [
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "go", "java", "kt", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "swift", "scala", "ex", "exs", "zig", "dart", "sh", "lua", "vue",
    "svelte", "sql",
];

fn sort(path: &str) -> Sort {
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
        return Sort::Ci;
    }
    if within(&["tests", "test", "__tests__", "spec", "testdata", "fixtures"])
        || stem.ends_with("_test")
        || stem.starts_with("test_")
        || matches!(stem.rsplit_once('.'), Some((_, "test" | "spec")))
    {
        return Sort::Test;
    }
    if matches!(ending, "md" | "rst" | "adoc")
        || within(&["docs", "doc"])
        || matches!(stem, "readme" | "changelog" | "license")
    {
        return Sort::Docs;
    }
    if BUILD.contains(&name) {
        return Sort::Build;
    }
    if SOURCE.contains(&ending) {
        Sort::Source
    } else {
        Sort::Other
    }
}

fn kind(changes: &[Change]) -> &'static str {
    let all = |sort_wanted: Sort| {
        changes
            .iter()
            .all(|change| sort(&change.path) == sort_wanted)
    };
    for (sort, word) in [
        (Sort::Docs, "docs"),
        (Sort::Test, "test"),
        (Sort::Ci, "ci"),
        (Sort::Build, "build"),
    ] {
        if all(sort) {
            return word;
        }
    }
    let source = || {
        changes
            .iter()
            .filter(|change| sort(&change.path) == Sort::Source)
    };
    let grows = |change: &Change| change.how == How::Added || !definitions(change).is_empty();
    if source().any(grows) {
        "feat"
    } else if source().next().is_some()
        && source().all(|change| change.how == How::Renamed && change.added.is_empty())
    {
        "refactor"
    } else {
        "chore"
    }
}

/// The part of the project that all files lie in: the deepest directory they share, by the name that
/// says something.
fn scope(changes: &[Change]) -> Option<String> {
    const SAY_NOTHING: [&str; 8] = [
        "src", "lib", "crates", "packages", "tests", "test", "app", "docs",
    ];
    let dirs = |change: &Change| -> Vec<String> {
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

fn what(changes: &[Change]) -> String {
    let name = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        words::one_line(name, 40)
    };
    if let [change] = changes {
        let defined = definitions(change);
        return match change.how {
            How::Added => format!("add {}", name(&change.path)),
            How::Deleted => format!("remove {}", name(&change.path)),
            How::Renamed => {
                let from = change.from.as_deref().unwrap_or_default();
                format!("rename {} to {}", name(from), name(&change.path))
            }
            How::Modified if !defined.is_empty() => {
                format!("add {} to {}", listed(&defined), name(&change.path))
            }
            How::Modified => format!("update {}", name(&change.path)),
        };
    }
    let verb = match changes.first().map(|change| change.how) {
        Some(first) if changes.iter().all(|change| change.how == first) => match first {
            How::Added => "add",
            How::Deleted => "remove",
            How::Renamed => "rename",
            How::Modified => "update",
        },
        _ => "update",
    };
    let names: Vec<String> = changes.iter().map(|change| name(&change.path)).collect();
    format!("{verb} {}", listed(&names))
}

/// `a`, `a and b`, `a, b and 3 more`
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

/// Names that the change defines and did not define before.
fn definitions(change: &Change) -> Vec<String> {
    if sort(&change.path) != Sort::Source {
        return Vec::new();
    }
    let before: Vec<&str> = change
        .removed
        .iter()
        .filter_map(|line| defined(line))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for name in change.added.iter().filter_map(|line| defined(line)) {
        if !before.contains(&name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The name that a line defines, in most languages that have a word for it.
fn defined(line: &str) -> Option<&str> {
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
    // Go names the receiver first.
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

fn body(changes: &[Change]) -> String {
    let mut lines: Vec<String> = changes
        .iter()
        .take(LISTED)
        .map(|change| {
            let sign = match change.how {
                How::Added => 'A',
                How::Modified => 'M',
                How::Deleted => 'D',
                How::Renamed => 'R',
            };
            let path = words::one_line(&change.path, 120);
            format!(
                "{sign} {path} (+{} -{})",
                change.added.len(),
                change.removed.len()
            )
        })
        .collect();
    if changes.len() > LISTED {
        lines.push(format!("and {} more files", changes.len() - LISTED));
    }
    lines.join("\n")
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
