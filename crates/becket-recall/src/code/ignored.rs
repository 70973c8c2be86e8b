//! Whether the project says to ignore one file, for when only that file is looked at.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::walk::OWN_IGNORE;

/// As the walk over the whole project would decide: the nearest directory has the last word.
pub(super) fn is_ignored(root: &Path, file: &Path) -> bool {
    let mut dir = file.parent();
    while let Some(at) = dir.filter(|at| at.starts_with(root)) {
        for name in [OWN_IGNORE, ".ignore", ".gitignore"] {
            match said(&at.join(name), file) {
                Match::Ignore(()) => return true,
                Match::Whitelist(()) => return false,
                Match::None => {}
            }
        }
        dir = at.parent();
    }
    matches!(
        said(&root.join(".git/info/exclude"), file),
        Match::Ignore(())
    )
}

fn said(list: &Path, file: &Path) -> Match<()> {
    if !list.is_file() {
        return Match::None;
    }
    let (rules, _) = Gitignore::new(list);
    if !file.starts_with(rules.path()) {
        return Match::None;
    }
    rules.matched_path_or_any_parents(file, false).map(|_| ())
}
