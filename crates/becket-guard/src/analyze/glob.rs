//! Glob matching (`*`, `?`, `[…]`) in time proportional to the product of both lengths.

/// Whether the pattern matches the whole text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_slice(&pattern, &text)
}

pub(super) fn matches_slice(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        let step = (t < text.len())
            .then(|| one(&pattern[p..], text[t]))
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
fn one(pattern: &[char], character: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '\\' if pattern.len() > 1 => (pattern[1] == character).then_some(2),
        '[' => match set(pattern, character) {
            Some((used, true)) => Some(used),
            Some((_, false)) => None,
            None => (character == '[').then_some(1),
        },
        literal => (*literal == character).then_some(1),
    }
}

/// `[a-z]`: the length of the set, and whether it contains the character.
fn set(pattern: &[char], character: char) -> Option<(usize, bool)> {
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
            found |= (start..=pattern[at + 2]).contains(&character);
            at += 3;
        } else {
            found |= start == character;
            at += 1;
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
}
