//! Shows an edit as a diff before it is applied.

use similar::TextDiff;

/// A unified diff with three lines of context; empty if nothing differs.
pub fn diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header("before", "after")
        .to_string()
}
