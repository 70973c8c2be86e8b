//! One spelling for each path: absolute, without `.`, `..`, `~`, doubled slashes and second names.

use crate::command::UNKNOWN;

/// Longer paths are cut; no file system takes them.
const LONGEST: usize = 4096;

/// `text` as an absolute path, as far as text alone can tell.
///
/// What cannot be known stays as a component that holds [`UNKNOWN`]: a relative path in an unknown
/// directory starts with one. Windows' paths get forward slashes and a lower-case drive.
pub fn absolute(text: &str, cwd: Option<&str>, home: &str) -> String {
    let text = cut(text);
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
    // What starts with something unknown may be absolute as well.
    if text.starts_with(['/', UNKNOWN]) {
        return collapse(text, cwd);
    }
    match cwd {
        Some(cwd) => collapse(&format!("{cwd}/{text}"), Some(cwd)),
        None => collapse(&format!("{UNKNOWN}/{text}"), None),
    }
}

/// Whether a path is absolute, in Unix or Windows spelling, after [`absolute`].
pub(super) fn is_rooted(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// The directory that holds `path`.
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

/// What follows `directory` in `path`, without the slash; empty when they are the same. Letters
/// count alike in either case, because on many file systems they are.
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

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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

/// What `~REST` means.
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

/// Drops empty components and `.`, applies `..`, and replaces second names by first ones.
fn collapse(path: &str, cwd: Option<&str>) -> String {
    let mut rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => up(&mut parts, &mut rooted),
            part => parts.push(part),
        }
    }
    let mut out = String::with_capacity(path.len());
    for part in second_name(&parts, cwd, &mut out) {
        out.push('/');
        out.push_str(part);
    }
    if !rooted && out.starts_with('/') {
        // `c:/x` and an unknown start have no slash in front.
        out.remove(0);
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

fn up(parts: &mut Vec<&str>, rooted: &mut bool) {
    const NOWHERE: &str = "\u{FFFC}";
    match parts.last() {
        // The parent of something unknown is unknown, too, and nothing before it is certain.
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

/// Directories that have two names: writes the one that counts, gives what follows it.
fn second_name<'s, 'p>(parts: &'s [&'p str], cwd: Option<&str>, out: &mut String) -> &'s [&'p str] {
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
    fn every_spelling_of_a_path_becomes_one() {
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
    fn a_relative_path_in_an_unknown_directory_says_so() {
        assert_eq!(absolute("a/b", None, "/home/me"), "\u{FFFC}/a/b");
        assert_eq!(absolute("../b", None, "/home/me"), "\u{FFFC}/b");
        assert_eq!(absolute("/b", None, "/home/me"), "/b");
    }

    #[test]
    fn a_directory_holds_what_is_below_it_and_nothing_that_starts_alike() {
        assert_eq!(below("/a/b/c", "/a"), Some("b/c"));
        assert_eq!(below("/A/b", "/a/"), Some("b"));
        assert_eq!(below("/a", "/a"), Some(""));
        assert_eq!(below("/ab", "/a"), None);
        assert_eq!(below("/x", "/"), Some("x"));
    }
}
