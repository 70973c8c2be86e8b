//! Glob matching (`*`, `?`, `[…]`) in time proportional to the product of both lengths.

/// What a pattern is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobTarget {
    /// Text in a shell: case counts, and a backslash makes the next character literal.
    Text,
    /// A file name, which a file system may compare without case. A backslash is literal.
    FileName,
}

/// Whether the pattern matches the whole text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_slice(&pattern, &text)
}

/// Whether the pattern matches the whole text, as characters.
pub(crate) fn matches_slice(pattern: &[char], text: &[char]) -> bool {
    matches_target(pattern, text, GlobTarget::Text)
}

/// Whether the pattern matches the file name. A leading dot has to be written out.
pub(crate) fn matches_file_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    matches_target(&pattern, &name, GlobTarget::FileName)
}

fn matches_target(pattern: &[char], text: &[char], target: GlobTarget) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        let step = (t < text.len())
            .then(|| one(&pattern[p..], text[t], target))
            .flatten();
        if let Some(used) = step {
            p += used;
            t += 1;
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        match star {
            Some((after, from)) if from < text.len() => {
                p = after;
                t = from + 1;
                star = Some((after, from + 1));
            }
            _ => return false,
        }
    }
}

/// The number of pattern characters that match this one character.
fn one(pattern: &[char], character: char, target: GlobTarget) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '\\' if target == GlobTarget::Text && pattern.len() > 1 => {
            (pattern[1] == character).then_some(2)
        }
        '[' => match set(pattern, character, target) {
            Some((used, true)) => Some(used),
            Some((_, false)) => None,
            None => (character == '[').then_some(1),
        },
        literal => target.contains(*literal, *literal, character).then_some(1),
    }
}

/// `[a-z]`: the length of the set, and whether it contains the character.
fn set(pattern: &[char], character: char, target: GlobTarget) -> Option<(usize, bool)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let mut at = 1 + usize::from(negated);
    let first = at;
    let mut found = false;
    loop {
        let start = *pattern.get(at)?;
        if start == ']' && at > first {
            return Some((at + 1, found != negated));
        }
        let range =
            pattern.get(at + 1) == Some(&'-') && pattern.get(at + 2).is_some_and(|end| *end != ']');
        if range {
            found |= target.contains(start, pattern[at + 2], character);
            at += 3;
        } else {
            found |= target.contains(start, start, character);
            at += 1;
        }
    }
}

impl GlobTarget {
    /// Whether the character is in a range.
    fn contains(self, from: char, to: char, character: char) -> bool {
        let range = from..=to;
        match self {
            Self::Text => range.contains(&character),
            Self::FileName => {
                range.contains(&character.to_ascii_lowercase())
                    || range.contains(&character.to_ascii_uppercase())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_like_the_shell() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("r?", "rm", true),
            ("r?", "r", false),
            ("su*o", "sudo", true),
            ("[a-r]m", "rm", true),
            ("[!a-q]m", "rm", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("[", "[", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} against {text}");
        }
    }

    #[test]
    fn file_names_match_without_case_and_hidden_ones_only_by_a_dot() {
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
            ("[A-F]nv", "env", true),
            ("ENV", "env", true),
            ("\\\\*", "*", false),
            ("a\\\\b*", "a\\\\bc", true),
            ("", "", true),
            ("***", "", true),
        ] {
            assert_eq!(
                matches_file_name(pattern, name),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn glob_matching_is_not_exponential() {
        let pattern = "a*".repeat(200);
        assert!(!matches(&pattern, &"a".repeat(199)));
    }
}
