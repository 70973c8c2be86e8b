//! For and against.

use std::collections::BTreeSet;

use crate::text::content_words;

/// Words that turn a sentence around.
const AGAINST: &[&str] = &[
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

/// Words that add weight and nothing else.
const WEIGHT: &[&str] = &[
    "always", "do", "please", "should", "must", "ever", "only", "just", "using", "use",
];

/// What a sentence is for, and what it is against: the things themselves.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stance {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

/// Whether two sentences cannot both be followed.
pub(super) fn opposed(one: &str, two: &str) -> bool {
    let (mine, yours) = (stance(one), stance(two));
    let meet = |one: &[String], two: &[String]| one.iter().any(|thing| two.contains(thing));
    if meet(&mine.wanted, &yours.unwanted) || meet(&mine.unwanted, &yours.wanted) {
        return true;
    }
    // The same with "never" in front.
    let ((one, is_against), (two, is_also_against)) = (turned(one), turned(two));
    let both = one.intersection(&two).count();
    let most = one.len().max(two.len());
    is_against != is_also_against && both > 0 && both * 100 >= most * 80
}

/// The words without those that turn it around, and whether one does.
fn turned(text: &str) -> (BTreeSet<String>, bool) {
    let text = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .collect();
    let is_against = words.iter().any(|word| AGAINST.contains(word));
    let rest = words
        .iter()
        .filter(|word| !AGAINST.contains(word) && !WEIGHT.contains(word));
    let rest: Vec<&str> = rest.copied().collect();
    (
        content_words(&rest.join(" ")).into_iter().collect(),
        is_against,
    )
}

fn stance(text: &str) -> Stance {
    let text = text.to_lowercase().replace('’', "'").replace('`', "");
    let mut stance = Stance::default();
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
            Some((thing(wanted)?, thing(after)?))
        });
        if let Some((wanted, unwanted)) = sides {
            stance.wanted.push(wanted);
            stance.unwanted.push(unwanted);
            return stance;
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
            stance.unwanted.extend(thing(rest));
            return stance;
        }
    }
    if let Some(rest) = after_use(&text) {
        stance.wanted.extend(thing(rest));
    }
    stance
}

fn after_use(text: &str) -> Option<&str> {
    ["always use ", "we use ", "must use "]
        .iter()
        .find_map(|opening| Some(text.split_once(opening)?.1))
        .or_else(|| text.strip_prefix("use "))
}

/// What is spoken of: the words up to one that says where, when or why.
fn thing(text: &str) -> Option<String> {
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
    fn a_sentence_is_for_and_against_things() {
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
            let found = stance(text);
            assert_eq!(
                (found.wanted.join(","), found.unwanted.join(",")),
                (wanted.into(), unwanted.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn sentences_that_cannot_both_be_followed_are_opposed() {
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
            assert_eq!(opposed(one, two), expected, "{one} / {two}");
            assert_eq!(opposed(two, one), expected, "{two} / {one}");
        }
    }
}
