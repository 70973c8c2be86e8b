//! Patterns: what `.e*`, `~/.s?h/*` or `{a,b}` could reach.

use super::normal::parent;

/// A pattern with more alternatives than this is not taken apart further.
const MOST: usize = 256;
/// More files than this are not looked at one by one.
const MOST_FILES: usize = 4096;

/// Whether `text` holds a pattern's characters.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether a component matches every visible name, or every hidden one: `*`, `**`, `.*`, `.[!.]*`, `.??*`.
pub(super) fn matches_all(component: &str) -> bool {
    matches!(component, ".[!.]*" | ".[^.]*" | "[!.]*" | "..?*")
        || (is_pattern(component)
            && component
                .strip_prefix('.')
                .unwrap_or(component)
                .chars()
                .all(|c| matches!(c, '*' | '?')))
}

/// Whether `pattern` matches `name` whole, as a shell would; letters count alike in either case.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // The usual two-finger walk: on a mismatch the latest star takes one more.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
            continue;
        }
        if let Some(next) = one(&pattern, p, name[n]) {
            p = next;
            n += 1;
            continue;
        }
        let Some((at, taken)) = star else {
            return false;
        };
        p = at + 1;
        n = taken + 1;
        star = Some((at, n));
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Matches one character; gives where the pattern goes on.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '[' => match set(pattern, at, c) {
            Some((end, is_in)) => is_in.then_some(end),
            None => (c == '[').then_some(at + 1),
        },
        p => p.eq_ignore_ascii_case(&c).then_some(at + 1),
    }
}

/// `[abc]`, `[a-z]`, `[!x]`: where it ends and whether `c` is in it.
fn set(pattern: &[char], at: usize, c: char) -> Option<(usize, bool)> {
    let mut i = at + 1;
    let negated = matches!(pattern.get(i), Some('!' | '^'));
    if negated {
        i += 1;
    }
    let first = i;
    let mut is_in = false;
    loop {
        let from = *pattern.get(i)?;
        if from == ']' && i > first {
            return Some((i + 1, is_in != negated));
        }
        let to = match (pattern.get(i + 1), pattern.get(i + 2)) {
            (Some('-'), Some(to)) if *to != ']' => {
                i += 2;
                *to
            }
            _ => from,
        };
        is_in |= (from..=to).contains(&c.to_ascii_lowercase())
            || (from..=to).contains(&c.to_ascii_uppercase());
        i += 1;
    }
}

/// `a{b,c}d` as `abd` and `acd`; nested and several, up to a bound.
pub(super) fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match split_brace(&text) {
            Some(all) if done.len() + open.len() + all.len() <= MOST => open.extend(all),
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

/// What a pattern came to.
pub(super) struct Expanded {
    /// The paths it matches.
    pub(super) paths: Vec<String>,
    /// Whether every directory on the way could be looked into.
    pub(super) certain: bool,
    /// Whether it matches more than was looked at.
    pub(super) too_many: bool,
}

/// Expands `path`, absolute and with patterns in it, by looking into directories.
pub(super) fn expand(path: &str, names: impl Fn(&str) -> Vec<String>) -> Expanded {
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
            let fitting = names.iter().filter(|name| matches(part, name));
            next.extend(fitting.map(|name| format!("{directory}/{name}")));
            if next.len() > MOST_FILES {
                (certain, too_many) = (false, true);
                break;
            }
        }
        next.truncate(MOST_FILES);
        found = next;
    }
    Expanded {
        paths: found,
        certain,
        too_many,
    }
}

/// Names worth protecting, as examples of what a narrow pattern could mean.
#[rustfmt::skip]
const WORTH: &[&str] = &[
    ".env", ".env.local", ".env.production", ".ssh", ".aws", ".gnupg", ".kube", ".azure", ".netrc",
    ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".vault-token", ".docker/config.json",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "credentials.json", "secrets.json", "x.pem", "x.key",
    "shadow", "environ", "becket.toml", "becket.local.toml", ".claude", ".git",
];

/// The paths of protected things that a pattern could match where nobody can look. Only narrow patterns are
/// asked about: `*` and `*.json` match too much to mean anything.
pub(super) fn could_mean(path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for part in path.split('/').skip(1) {
        let parts: Vec<String> = if is_pattern(part) && is_narrow(part) {
            let worth = WORTH.iter().filter(|name| matches(part, name));
            worth.map(|name| (*name).to_owned()).collect()
        } else {
            vec![part.to_owned()]
        };
        let next = found
            .iter()
            .flat_map(|path| parts.iter().map(move |part| format!("{path}/{part}")));
        found = next.take(MOST).collect();
    }
    found.retain(|path| {
        !is_pattern(path) || is_pattern(super::normal::name(path)) && !is_pattern(parent(path))
    });
    found
}

/// Whether a pattern says enough to mean something: two letters or a dot and a letter in front, or a telling end.
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
    fn patterns_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".env", true),
            (".e*", ".env", true),
            (".E*", ".env", true),
            ("?nv", "env", true),
            ("?env", ".env", false),
            (".[de]nv", ".env", true),
            (".[!e]nv", ".env", false),
            (".[a-f]nv", ".env", true),
            ("*.pem", "a.pem", true),
            ("a*b*c", "aXbXbc", true),
            ("a*b", "ac", false),
            ("[", "[", true),
            ("", "", true),
            ("***", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn braces_open_whatever_their_nesting() {
        let mut all = braces("a{b,c{d,e}}f");
        all.sort_unstable();
        assert_eq!(all, ["abf", "acdf", "acef"]);
        assert_eq!(braces("{a}"), ["{a}"]);
        assert_eq!(braces("a{b"), ["a{b"]);
        assert!(braces(&"{a,b}".repeat(40)).len() <= MOST + 40);
    }

    #[test]
    fn a_hard_pattern_takes_no_longer_than_its_size_allows() {
        let pattern = "a*".repeat(200);
        assert!(!matches(&pattern, &"a".repeat(199)));
    }
}
