//! Detects rules that contradict each other.

use std::collections::BTreeSet;

use crate::text::content_words;

/// Words that negate a sentence.
const NEGATIONS: &[&str] = &[
    "never",
    "don't",
    "dont",
    "not",
    "no",
    "avoid",
    "stop",
    "without",
    "cannot",
    "can't",
    "shouldn't",
    "mustn't",
    "won't",
    "doesn't",
    "isn't",
];

/// Words that only add emphasis.
const EMPHASIS: &[&str] = &[
    "always", "do", "please", "should", "must", "ever", "only", "just", "using", "use",
];

/// What a sentence recommends and what it rejects.
#[derive(Debug, Default, PartialEq, Eq)]
struct StatedPreference {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

/// Whether two rules cannot both be followed.
pub(super) fn contradicts(one: &str, two: &str) -> bool {
    let (mine, yours) = (parse_preference(one), parse_preference(two));
    let meet = |one: &[String], two: &[String]| one.iter().any(|thing| two.contains(thing));
    if meet(&mine.wanted, &yours.unwanted) || meet(&mine.unwanted, &yours.wanted) {
        return true;
    }
    // The same rule with and without a negation.
    let ((one, is_against), (two, is_also_against)) = (split_negation(one), split_negation(two));
    let both = one.intersection(&two).count();
    let most = one.len().max(two.len());
    is_against != is_also_against && both > 0 && both * 100 >= most * 80
}

/// The words without negations, and whether there was one.
fn split_negation(text: &str) -> (BTreeSet<String>, bool) {
    let text = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .collect();
    let is_against = words.iter().any(|word| NEGATIONS.contains(word));
    let rest = words
        .iter()
        .filter(|word| !NEGATIONS.contains(word) && !EMPHASIS.contains(word));
    let rest: Vec<&str> = rest.copied().collect();
    (
        content_words(&rest.join(" ")).into_iter().collect(),
        is_against,
    )
}

fn parse_preference(text: &str) -> StatedPreference {
    let text = text.to_lowercase().replace('’', "'").replace('`', "");
    let mut preference = StatedPreference::default();
    for (between, opening) in [
        (" instead of ", "use "),
        (" rather than ", "use "),
        (", not ", "use "),
        (" over ", "prefer "),
    ] {
        let sides = text.split_once(between).and_then(|(before, after)| {
            let (_, wanted) = before
                .rsplit_once(opening)
                .or_else(|| before.strip_prefix(opening).map(|rest| ("", rest)))?;
            Some((preference_subject(wanted)?, preference_subject(after)?))
        });
        if let Some((wanted, unwanted)) = sides {
            preference.wanted.push(wanted);
            preference.unwanted.push(unwanted);
            return preference;
        }
    }
    for opening in [
        "never use ",
        "don't use ",
        "do not use ",
        "stop using ",
        "avoid using ",
        "avoid ",
    ] {
        if let Some((_, rest)) = text.split_once(opening) {
            preference.unwanted.extend(preference_subject(rest));
            return preference;
        }
    }
    if let Some(rest) = after_use(&text) {
        preference.wanted.extend(preference_subject(rest));
    }
    preference
}

fn after_use(text: &str) -> Option<&str> {
    ["always use ", "we use ", "must use "]
        .iter()
        .find_map(|opening| Some(text.split_once(opening)?.1))
        .or_else(|| text.strip_prefix("use "))
}

/// The subject of a preference: the words before a place, time or reason.
fn preference_subject(text: &str) -> Option<String> {
    const ENDS: &[&str] = &[
        "for",
        "in",
        "when",
        "whenever",
        "to",
        "because",
        "on",
        "if",
        "at",
        "with",
        "here",
        "everywhere",
        "and",
        "as",
        "by",
        "while",
        "since",
    ];
    let mut words = Vec::new();
    for word in text.split_whitespace().take(4) {
        if ENDS.contains(&word) {
            break;
        }
        let bare = word.trim_matches(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '@' | '+' | '#'))
        });
        let bare = bare.trim_end_matches('.');
        if !matches!(bare, "" | "the" | "a" | "an" | "our") {
            words.push(bare);
        }
        if word.ends_with(['.', ',', ';', ':', '!']) {
            break;
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_parsed_from_sentences() {
        for (text, wanted, unwanted) in [
            ("Use pnpm instead of npm.", "pnpm", "npm"),
            (
                "use the `tracing` crate, not println",
                "tracing crate",
                "println",
            ),
            ("Prefer tabs over spaces in Go files", "tabs", "spaces"),
            ("Always use npm for scripts", "npm", ""),
            ("Don't use unwrap in library code", "", "unwrap"),
            ("Never commit to main", "", ""),
        ] {
            let found = parse_preference(text);
            assert_eq!(
                (found.wanted.join(","), found.unwanted.join(",")),
                (wanted.into(), unwanted.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn opposite_rules_contradict() {
        for (one, two, expected) in [
            (
                "Use pnpm instead of npm",
                "Always use npm for scripts",
                true,
            ),
            ("Use pnpm instead of npm", "Use npm instead of pnpm", true),
            ("Never commit to main", "Always commit to main", true),
            ("Always use tabs", "Never use tabs", true),
            (
                "Never edit src/a.rs by hand",
                "Never edit src/b.rs by hand",
                false,
            ),
            ("Use pnpm instead of npm", "Use pnpm for everything", false),
            (
                "Always run the tests before a commit",
                "Never push without a review",
                false,
            ),
            (
                "Don't use unwrap in library code",
                "Use anyhow in the binaries",
                false,
            ),
            ("", "", false),
        ] {
            assert_eq!(contradicts(one, two), expected, "{one} / {two}");
            assert_eq!(contradicts(two, one), expected, "{two} / {one}");
        }
    }
}
