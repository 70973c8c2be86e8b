//! Paths as text: joined to a directory, dots taken out.

use crate::command::UNKNOWN;

/// The absolute path that `path` means in `cwd`. `None` when that depends on something unknown.
pub(super) fn absolute(cwd: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with(UNKNOWN) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { cwd? };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut joined = String::with_capacity(base.len() + path.len() + 1);
    for part in &parts {
        joined.push('/');
        joined.push_str(part);
    }
    if joined.is_empty() {
        joined.push('/');
    }
    Some(joined)
}

/// The last part of a path, for either kind of slash.
pub(super) fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit(['/', '\\']).next().unwrap_or(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_and_the_unknown_stays_unknown() {
        assert_eq!(
            absolute(Some("/w/p"), "../a/./b").as_deref(),
            Some("/w/a/b")
        );
        assert_eq!(absolute(Some("/"), "..").as_deref(), Some("/"));
        assert_eq!(absolute(None, "a"), None);
        assert_eq!(absolute(None, "/a//b/").as_deref(), Some("/a/b"));
        assert_eq!(absolute(Some("/w"), "\u{FFFC}/b"), None);
    }
}
