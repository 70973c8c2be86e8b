//! Glob patterns: expands `.e*`, `~/.s?h/*` or `{a,b}` to the paths they may match.

use super::normalize::parent;
use crate::glob::matches_file_name;

/// Maximum number of brace alternatives to expand.
const MAX_ALTERNATIVES: usize = 256;
/// Maximum number of matched files to classify.
const MAX_FILES: usize = 4096;

/// Whether `text` contains glob characters.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether a component matches every visible or every hidden name: `*`, `**`, `.*`, `.[!.]*`, `.??*`.
pub(super) fn matches_all(component: &str) -> bool {
    matches!(component, ".[!.]*" | ".[^.]*" | "[!.]*" | "..?*")
        || (is_pattern(component)
            && component
                .strip_prefix('.')
                .unwrap_or(component)
                .chars()
                .all(|c| matches!(c, '*' | '?')))
}

/// Expands `a{b,c}d` to `abd` and `acd`, including nested and multiple groups, up to [`MAX_ALTERNATIVES`].
pub(super) fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match split_brace(&text) {
            Some(all) if done.len() + open.len() + all.len() <= MAX_ALTERNATIVES => {
                open.extend(all);
            }
            _ => done.push(text),
        }
    }
    done
}

fn split_brace(text: &str) -> Option<Vec<String>> {
    let start = text.find('{')?;
    let mut depth = 0usize;
    let mut cuts = vec![start];
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => cuts.push(at),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    cuts.push(at);
                    break;
                }
            }
            _ => {}
        }
    }
    if depth > 0 || cuts.len() < 3 {
        return None;
    }
    let (before, after) = (&text[..start], &text[cuts[cuts.len() - 1] + 1..]);
    let all = cuts
        .windows(2)
        .map(|cut| format!("{before}{}{after}", &text[cut[0] + 1..cut[1]]));
    Some(all.collect())
}

/// The expansion of a glob.
pub(super) struct GlobMatches {
    /// The matched paths.
    pub(super) paths: Vec<String>,
    /// Whether every directory on the way could be listed.
    pub(super) certain: bool,
    /// Whether the match limit was exceeded.
    pub(super) too_many: bool,
}

/// Expands an absolute `path` with globs by listing directories.
pub(super) fn expand(path: &str, names: impl Fn(&str) -> Vec<String>) -> GlobMatches {
    let mut found = vec![String::new()];
    let (mut certain, mut too_many) = (true, false);
    for part in path.split('/').skip(1) {
        if !is_pattern(part) {
            for path in &mut found {
                path.push('/');
                path.push_str(part);
            }
            continue;
        }
        let mut next = Vec::new();
        for directory in &found {
            let names = names(if directory.is_empty() { "/" } else { directory });
            certain &= !names.is_empty();
            let fitting = names.iter().filter(|name| matches_file_name(part, name));
            next.extend(fitting.map(|name| format!("{directory}/{name}")));
            if next.len() > MAX_FILES {
                (certain, too_many) = (false, true);
                break;
            }
        }
        next.truncate(MAX_FILES);
        found = next;
    }
    GlobMatches {
        paths: found,
        certain,
        too_many,
    }
}

/// Protected names that a narrow pattern is tried against.
#[rustfmt::skip]
const PROTECTED_NAMES: &[&str] = &[
    ".env", ".env.local", ".env.production", ".ssh", ".aws", ".gnupg", ".kube", ".azure", ".netrc",
    ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".vault-token", ".docker/config.json",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "credentials.json", "secrets.json", "x.pem", "x.key",
    "shadow", "environ", "becket.toml", "becket.local.toml", ".claude", ".git",
];

/// The protected paths that a pattern could match in a directory that cannot be listed. Only narrow patterns are
/// tried: `*` and `*.json` match too much to be meaningful.
pub(super) fn possible_protected_paths(path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for part in path.split('/').skip(1) {
        let parts: Vec<String> = if is_pattern(part) && is_narrow(part) {
            let worth = PROTECTED_NAMES
                .iter()
                .filter(|name| matches_file_name(part, name));
            worth.map(|name| (*name).to_owned()).collect()
        } else {
            vec![part.to_owned()]
        };
        let next = found
            .iter()
            .flat_map(|path| parts.iter().map(move |part| format!("{path}/{part}")));
        found = next.take(MAX_ALTERNATIVES).collect();
    }
    found.retain(|path| {
        !is_pattern(path) || is_pattern(super::normalize::name(path)) && !is_pattern(parent(path))
    });
    found
}

/// Whether a pattern is specific: it starts with two letters or with a dot and a letter, or has a telling suffix.
fn is_narrow(part: &str) -> bool {
    let wild = |c: char| matches!(c, '*' | '?' | '[');
    let head = part.split(wild).next().unwrap_or("");
    let tail = part
        .rsplit(|c: char| wild(c) || c == ']')
        .next()
        .unwrap_or("");
    let letters = part.chars().filter(char::is_ascii_alphanumeric).count();
    head.len() >= 2
        || matches!(tail, ".pem" | ".key" | "_rsa" | "_ed25519" | "rsa")
        || (head == "." && letters >= 1)
        || (letters >= 3 && !part.contains('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_braces_are_expanded() {
        let mut all = braces("a{b,c{d,e}}f");
        all.sort_unstable();
        assert_eq!(all, ["abf", "acdf", "acef"]);
        assert_eq!(braces("{a}"), ["{a}"]);
        assert_eq!(braces("a{b"), ["a{b"]);
        assert!(braces(&"{a,b}".repeat(40)).len() <= MAX_ALTERNATIVES + 40);
    }
}
