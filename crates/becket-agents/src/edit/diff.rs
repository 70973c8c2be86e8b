//! Showing a plan before it is carried out.

use similar::TextDiff;

/// A unified diff with three lines of context; empty when nothing differs.
pub fn diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header("before", "after")
        .to_string()
}
