//! Lexical path operations: joining and removing dots.

use crate::command::UNKNOWN;

/// The absolute path of `path` in `cwd`; `None` if it depends on an unknown part.
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

/// The last component of a path, with either kind of slash.
pub(super) fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit(['/', '\\']).next().unwrap_or(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_removed_and_unknown_paths_stay_unknown() {
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
