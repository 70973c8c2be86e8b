//! Finds the files that a patch touches, in the two patch formats that agents use.

use crate::effects::Verb;

/// The effect of a patch on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchStep {
    pub(super) verb: Verb,
    pub(super) path: String,
}

/// Line prefixes that name a file. Content lines that look the same only make the guard stricter.
const MARKS: &[(&str, Verb)] = &[
    ("*** Add File: ", Verb::Truncate),
    ("*** Update File: ", Verb::Write),
    ("*** Delete File: ", Verb::Delete),
    ("*** Move to: ", Verb::MoveOnto),
    ("rename from ", Verb::MoveFrom),
    ("rename to ", Verb::MoveOnto),
    ("copy from ", Verb::CopyFrom),
    ("copy to ", Verb::CopyOnto),
];

/// All effects of the patch, in order.
pub(super) fn steps(patch: &str) -> Vec<PatchStep> {
    let mut steps = Vec::new();
    let mut old: Option<&str> = None;
    for line in patch.lines() {
        let line = line.trim();
        let marked = MARKS
            .iter()
            .find_map(|(mark, verb)| Some((*verb, line.strip_prefix(mark)?)));
        if let Some((verb, path)) = marked {
            steps.push(step(verb, path));
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = Some(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            match (file_of(path), old.take().map(file_of)) {
                (None, Some(Some(old))) => steps.push(step(Verb::Delete, old)),
                (Some(new), Some(None)) => steps.push(step(Verb::Truncate, new)),
                (Some(new), _) => steps.push(step(Verb::Write, new)),
                (None, _) => {}
            }
        }
    }
    steps
}

fn step(verb: Verb, path: &str) -> PatchStep {
    PatchStep {
        verb,
        path: path.trim().trim_matches('"').to_owned(),
    }
}

/// The file of a header line; `None` for `/dev/null`.
fn file_of(header: &str) -> Option<&str> {
    let path = header
        .split('\t')
        .next()
        .unwrap_or(header)
        .trim()
        .trim_matches('"');
    let path = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path);
    (path != "/dev/null").then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(patch: &str) -> Vec<(Verb, String)> {
        steps(patch)
            .into_iter()
            .map(|step| (step.verb, step.path))
            .collect()
    }

    #[test]
    fn both_patch_formats_list_their_files() {
        let envelope = "*** Begin Patch\n*** Add File: a\n+x\n  *** Update File: b c\n*** Move to: d\n*** Delete File: e\n*** End Patch";
        let expected = [
            (Verb::Truncate, "a"),
            (Verb::Write, "b c"),
            (Verb::MoveOnto, "d"),
            (Verb::Delete, "e"),
        ];
        assert_eq!(
            read(envelope),
            expected.map(|(verb, path)| (verb, path.to_owned()))
        );
        let unified = "--- a/x\t2026\n+++ b/x\t2026\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new\n--- a/gone\n+++ /dev/null\nrename from p\nrename to q\n--- plain\r\n+++ plain\r\n";
        let expected = [
            (Verb::Write, "x"),
            (Verb::Truncate, "new"),
            (Verb::Delete, "gone"),
            (Verb::MoveFrom, "p"),
            (Verb::MoveOnto, "q"),
            (Verb::Write, "plain"),
        ];
        assert_eq!(
            read(unified),
            expected.map(|(verb, path)| (verb, path.to_owned()))
        );
    }
}
