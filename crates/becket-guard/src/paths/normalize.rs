//! Normalizes paths: absolute, without `.`, `..`, `~`, doubled slashes and alias directories.

use becket_base::text::prefix_bytes;

use crate::command::UNKNOWN;

/// Longer paths are truncated; no file system accepts them.
const MAX_PATH: usize = 4096;

/// `text` as an absolute path, as far as text alone determines it.
///
/// Unknown parts stay as components that contain [`UNKNOWN`]; a relative path in an unknown directory starts with
/// one. Windows paths get forward slashes and a lower-case drive.
pub fn absolute(text: &str, cwd: Option<&str>, home: &str) -> String {
    let text = prefix_bytes(text, MAX_PATH);
    if let Some(windows) = windows(text) {
        return collapse(&windows, cwd);
    }
    if let Some(rest) = text.strip_prefix('~') {
        return collapse(&from_tilde(rest, cwd, home), cwd);
    }
    for variable in ["$HOME", "${HOME}", "%USERPROFILE%", "$env:USERPROFILE"] {
        if let Some(rest) = text.strip_prefix(variable)
            && (rest.is_empty() || rest.starts_with(['/', '\\']))
        {
            return collapse(&format!("{home}{}", rest.replace('\\', "/")), cwd);
        }
    }
    // A path with an unknown start may be absolute.
    if text.starts_with(['/', UNKNOWN]) {
        return collapse(text, cwd);
    }
    match cwd {
        Some(cwd) => collapse(&format!("{cwd}/{text}"), Some(cwd)),
        None => collapse(&format!("{UNKNOWN}/{text}"), None),
    }
}

/// Whether a path is absolute, in Unix or Windows notation, after [`absolute`].
pub(super) fn is_rooted(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// The parent directory of `path`.
pub(super) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => &path[..at],
    }
}

/// The last component.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The part of `path` after `directory`, without the slash; empty if they are equal. Ignores case, because many
/// file systems do.
pub(super) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let directory = directory.trim_end_matches('/');
    let head = path.get(..directory.len())?;
    if !head.eq_ignore_ascii_case(directory) {
        return None;
    }
    let rest = &path[directory.len()..];
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', rest @ ..] if drive.is_ascii_alphabetic() && matches!(rest, [] | [b'/' | b'\\', ..]))
}

fn windows(text: &str) -> Option<String> {
    if has_drive(text) {
        let (drive, rest) = text.split_at(1);
        return Some(drive.to_ascii_lowercase() + &rest.replace('\\', "/"));
    }
    None
}

/// Expands `~REST`.
fn from_tilde(rest: &str, cwd: Option<&str>, home: &str) -> String {
    let (user, rest) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    match user {
        "" => format!("{home}{rest}"),
        "+" => format!("{}{rest}", cwd.map_or(UNKNOWN.to_string(), str::to_owned)),
        "root" => format!("/root{rest}"),
        user if name(home) == user => format!("{home}{rest}"),
        user if user
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) =>
        {
            format!("{}/{user}{rest}", parent(home))
        }
        user => format!("{UNKNOWN}{user}{rest}"),
    }
}

/// Drops empty components and `.`, applies `..`, and replaces alias directories by their canonical names.
fn collapse(path: &str, cwd: Option<&str>) -> String {
    let mut rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => pop_component(&mut parts, &mut rooted),
            part => parts.push(part),
        }
    }
    let mut out = String::with_capacity(path.len());
    for part in canonical_directory(&parts, cwd, &mut out) {
        out.push('/');
        out.push_str(part);
    }
    if !rooted && out.starts_with('/') {
        // `c:/x` and an unknown start have no leading slash.
        out.remove(0);
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

fn pop_component(parts: &mut Vec<&str>, rooted: &mut bool) {
    const NOWHERE: &str = "\u{FFFC}";
    match parts.last() {
        // The parent of an unknown component is unknown, and so is everything before it.
        Some(last) if last.contains(UNKNOWN) => {
            parts.clear();
            parts.push(NOWHERE);
            *rooted = false;
        }
        // `c:/..` is `c:/`.
        Some(last) if !*rooted && parts.len() == 1 && last.ends_with(':') => {}
        Some(_) => {
            parts.pop();
        }
        None => {}
    }
}

/// Directories with two names: writes the canonical one and returns the remaining components.
fn canonical_directory<'s, 'p>(
    parts: &'s [&'p str],
    cwd: Option<&str>,
    out: &mut String,
) -> &'s [&'p str] {
    match parts {
        ["proc", _, "cwd", rest @ ..] => {
            let cwd = cwd.map_or(UNKNOWN.to_string(), str::to_owned);
            out.push_str(cwd.trim_end_matches('/'));
            rest
        }
        ["private", "tmp" | "var" | "etc", ..] => &parts[1..],
        ["proc", _, "root", rest @ ..]
        | ["proc", _, "task", _, "root", rest @ ..]
        | ["System", "Volumes", "Data", rest @ ..]
        | rest => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_spellings_normalize_to_one() {
        for (text, expected) in [
            ("a", "/w/p/a"),
            (".", "/w/p"),
            ("./", "/w/p"),
            ("..", "/w"),
            ("../..", "/"),
            ("../../../..", "/"),
            ("a//b/./c/../d/", "/w/p/a/b/d"),
            ("/", "/"),
            ("//", "/"),
            ("/.", "/"),
            ("/etc/../etc//passwd", "/etc/passwd"),
            ("~", "/home/me"),
            ("~/", "/home/me"),
            ("~/.ssh/../.aws", "/home/me/.aws"),
            ("~me/x", "/home/me/x"),
            ("~you/x", "/home/you/x"),
            ("~root/.ssh", "/root/.ssh"),
            ("~+/x", "/w/p/x"),
            ("$HOME/.env", "/home/me/.env"),
            ("${HOME}", "/home/me"),
            ("$HOMEX/a", "/w/p/$HOMEX/a"),
            ("/proc/self/cwd/.env", "/w/p/.env"),
            ("/proc/1234/root/etc/shadow", "/etc/shadow"),
            ("/private/tmp/x", "/tmp/x"),
            ("/private/etc/hosts", "/etc/hosts"),
            ("/private/x", "/private/x"),
            ("C:\\Windows\\System32", "c:/Windows/System32"),
            ("c:/", "c:"),
            ("C:\\a\\..\\..", "c:"),
            ("\u{FFFC}/x", "\u{FFFC}/x"),
            ("a/\u{FFFC}", "/w/p/a/\u{FFFC}"),
            ("/tmp/\u{FFFC}/../y", "\u{FFFC}/y"),
        ] {
            assert_eq!(absolute(text, Some("/w/p"), "/home/me"), expected, "{text}");
        }
    }

    #[test]
    fn relative_path_in_unknown_directory_stays_unknown() {
        assert_eq!(absolute("a/b", None, "/home/me"), "\u{FFFC}/a/b");
        assert_eq!(absolute("../b", None, "/home/me"), "\u{FFFC}/b");
        assert_eq!(absolute("/b", None, "/home/me"), "/b");
    }

    #[test]
    fn directory_contains_children_but_not_siblings_with_the_same_prefix() {
        assert_eq!(below("/a/b/c", "/a"), Some("b/c"));
        assert_eq!(below("/A/b", "/a/"), Some("b"));
        assert_eq!(below("/a", "/a"), Some(""));
        assert_eq!(below("/ab", "/a"), None);
        assert_eq!(below("/x", "/"), Some("x"));
    }
}
