//! Recognizes the sentence forms in which people state rules.

use becket_store::MemoryKind;

/// The memory type and importance of a sentence that states a rule, also after "when …," or "if …,". `stressed` means
/// that the sentence is a correction or explicitly permanent.
pub(super) fn rule_form(lower: &str, stressed: bool) -> Option<(MemoryKind, u8)> {
    const CONDITIONS: &[&str] = &[
        "when ",
        "whenever ",
        "if ",
        "in ",
        "for ",
        "before ",
        "after ",
        "on ",
    ];
    let lower = strip_project_prefix(lower);
    if let Some(found) = plain_form(lower, stressed) {
        return Some(found);
    }
    let is_condition = CONDITIONS.iter().any(|word| lower.starts_with(word));
    let (when, main) = lower.split_once(", ").filter(|_| is_condition)?;
    let main = main.strip_prefix("please ").unwrap_or(main);
    plain_form(main, stressed).or_else(|| {
        let is_rule = when.starts_with("whenever you ") && is_imperative(main);
        (is_rule && !refers_to_context(main)).then_some((MemoryKind::Decision, 7))
    })
}

/// Whether a sentence starts with an imperative verb that is common in coding tasks.
pub(super) fn is_imperative(lower: &str) -> bool {
    const VERBS: &[&str] = &[
        "add",
        "ask",
        "avoid",
        "build",
        "bump",
        "call",
        "check",
        "commit",
        "document",
        "explain",
        "format",
        "keep",
        "lint",
        "make",
        "name",
        "prefer",
        "put",
        "rebuild",
        "regenerate",
        "run",
        "start",
        "test",
        "update",
        "use",
        "write",
    ];
    let (verb, rest) = lower.split_once(' ').unwrap_or((lower, ""));
    VERBS.contains(&verb) && !rest.is_empty()
}

/// Removes a leading "in this project,".
fn strip_project_prefix(lower: &str) -> &str {
    let places = [
        "in this project",
        "in this repo",
        "in this repository",
        "in this codebase",
    ];
    let rest = places.iter().find_map(|place| lower.strip_prefix(place));
    let rest = rest.filter(|rest| rest.starts_with([',', ' ']));
    rest.map_or(lower, |rest| rest.trim_start_matches([',', ' ']))
}

fn plain_form(lower: &str, stressed: bool) -> Option<(MemoryKind, u8)> {
    always_or_never(lower).or_else(|| {
        if refers_to_context(lower) {
            return None;
        }
        preference(lower).or_else(|| prohibition(lower, stressed))
    })
}

fn always_or_never(lower: &str) -> Option<(MemoryKind, u8)> {
    for (opening, kind) in [
        ("always ", MemoryKind::Decision),
        ("we always ", MemoryKind::Decision),
        ("you always have to ", MemoryKind::Decision),
        ("never, ever ", MemoryKind::Gotcha),
        ("never ever ", MemoryKind::Gotcha),
        ("never ", MemoryKind::Gotcha),
        ("we never ", MemoryKind::Gotcha),
        ("do not ever ", MemoryKind::Gotcha),
        ("don't ever ", MemoryKind::Gotcha),
    ] {
        if let Some(rest) = lower.strip_prefix(opening) {
            let is_rule = is_command(rest) && !refers_to_this_moment(rest);
            return is_rule.then_some((kind, 8));
        }
    }
    None
}

/// "Never do that again": meaningless without the conversation.
fn refers_to_this_moment(rest: &str) -> bool {
    ["do that", "do this", "do it", "do so"]
        .iter()
        .any(|act| rest.starts_with(act))
}

/// A preference for one thing over another.
fn preference(lower: &str) -> Option<(MemoryKind, u8)> {
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let chooses = (has(&[
        " instead of ",
        " rather than ",
        ", not ",
        " and not ",
        ", never ",
    ]) || names_alternative(lower))
        && begins(&["use ", "we use ", "run ", "call ", "write ", "put "]);
    let turned = begins(&["instead of "]) && has(&[" use ", " run ", " call "]);
    let prefers = begins(&["prefer ", "we prefer ", "i prefer "]) && has(&[" over "]);
    let is_custom = begins(&["we use ", "we don't use ", "we do not use "]) && has(&PROJECT_SCOPES);
    let is_convention = begins(&["our convention is ", "the convention here is "]);
    let chosen = chooses || turned || prefers || is_custom || is_convention;
    (chosen && !refers_to_a_list(lower)).then_some((MemoryKind::Decision, 7))
}

/// "The second approach", "option B": refers to a list in the conversation.
fn refers_to_a_list(lower: &str) -> bool {
    const COUNTED: &[&str] = &["first", "second", "third", "former", "latter"];
    const LISTED: &[&str] = &[
        "approach",
        "option",
        "variant",
        "version",
        "solution",
        "alternative",
        "suggestion",
        "proposal",
        "idea",
        "one",
        "way",
    ];
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    words.windows(2).any(|pair| {
        let counted = COUNTED.contains(&pair[0]) && LISTED.contains(&pair[1]);
        let lettered = pair[0] == "option" && pair[1].len() == 1;
        counted || lettered
    })
}

/// "tabs not spaces"; after a verb, "not" is a negation.
pub(super) fn names_alternative(lower: &str) -> bool {
    const VERBS: &[&str] = &[
        "am", "are", "be", "can", "could", "did", "do", "does", "had", "has", "have", "if", "is",
        "may", "might", "must", "or", "shall", "should", "was", "were", "why", "will", "would",
    ];
    lower.match_indices(" not ").any(|(at, _)| {
        let before = lower[..at].rsplit(' ').next().unwrap_or_default();
        !VERBS.contains(&before)
    })
}

const PROJECT_SCOPES: [&str; 4] = [
    " in this repo",
    " in this project",
    " in this codebase",
    " in our ",
];

/// A prohibition that is general, or that corrects the agent.
fn prohibition(lower: &str, stressed: bool) -> Option<(MemoryKind, u8)> {
    const BANS: &[&str] = &["don't ", "do not ", "stop ", "avoid "];
    const GENERAL: &[&str] = &[
        " ever",
        " by hand",
        " manually",
        " directly",
        "generated",
        " anywhere",
        " everywhere",
        " in production",
        " in tests",
        " without asking",
    ];
    const FEWEST_WORDS: usize = 4;
    let rest = BANS.iter().find_map(|word| lower.strip_prefix(word))?;
    if rest.starts_with("use ") || rest.starts_with("using ") {
        return Some((MemoryKind::Decision, 7));
    }
    let has = |words: &[&str]| words.iter().any(|word| rest.contains(word));
    let is_general = has(GENERAL) || has(&PROJECT_SCOPES);
    let is_correction = stressed && lower.split(' ').count() >= FEWEST_WORDS;
    ((is_general || is_correction) && !is_reassurance(rest)).then_some((MemoryKind::Gotcha, 7))
}

/// "here", "it", "that file": refers to something in the conversation.
pub(super) fn refers_to_context(lower: &str) -> bool {
    const POINTERS: &[&str] = &["it", "this", "these", "those", "here", "them"];
    const THINGS: &[&str] = &[
        "file", "function", "test", "line", "one", "part", "way", "method", "class", "branch",
        "change", "here", "again",
    ];
    let mut bare = lower.to_owned();
    for place in PROJECT_SCOPES {
        bare = bare.replace(place, "");
    }
    // "We … here" means the project.
    if bare.starts_with("we ") || bare.starts_with("the convention here is ") {
        bare = bare.replacen(" here", "", 1);
    }
    let words: Vec<&str> = bare
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let is_that = *word == "that" && words.get(at + 1).is_none_or(|next| THINGS.contains(next));
        POINTERS.contains(word) || is_that
    })
}

/// Whether an imperative follows: "never commit", not "never commits".
fn is_command(rest: &str) -> bool {
    const OTHERS: &[&str] = &[
        "a", "an", "the", "been", "had", "was", "got", "mind", "again", "seen", "happy", "good",
        "nice", "glad", "true", "false", "wrong", "empty", "visible", "more", "less", "there",
    ];
    const VERBS: &[&str] = &["focus", "alias", "bias"];
    let verb = rest.split([' ', ',']).next().unwrap_or_default();
    let is_told = verb.ends_with('s') && !verb.ends_with("ss") && !VERBS.contains(&verb);
    let is_word = verb
        .chars()
        .all(|c| c.is_alphabetic() || c == '-' || c == '\'');
    is_word && !is_told && !OTHERS.contains(&verb) && !verb.ends_with("ed")
}

/// "don't worry about …", "don't think …"
fn is_reassurance(rest: &str) -> bool {
    const IDLE: &[&str] = &[
        "worry",
        "think",
        "know",
        "care",
        "understand",
        "see ",
        "need",
        "want",
        "have",
        "forget",
        "bother",
    ];
    IDLE.iter().any(|word| rest.starts_with(word))
}

#[cfg(test)]
mod tests {
    use MemoryKind::{Decision, Gotcha};

    use super::*;

    #[test]
    fn sentence_forms_are_classified() {
        for (sentence, stressed, expected) in [
            (
                "in this project we use uv, not pip.",
                false,
                Some((Decision, 7)),
            ),
            (
                "we use conventional commits in this repo",
                false,
                Some((Decision, 7)),
            ),
            ("we use a queue", false, None),
            (
                "if the token is old, always refresh before a retry",
                false,
                Some((Decision, 8)),
            ),
            (
                "don't add comments that restate the code",
                true,
                Some((Gotcha, 7)),
            ),
            ("don't add comments that restate the code", false, None),
            ("stop adding comments everywhere", false, Some((Gotcha, 7))),
            ("avoid using any in typescript", false, Some((Decision, 7))),
            ("avoid breaking the public api", false, None),
            ("we use pnpm here, not npm.", false, Some((Decision, 7))),
            (
                "we don't use semicolons in this codebase",
                false,
                Some((Decision, 7)),
            ),
            ("we don't use that", false, None),
            ("instead of moment use date-fns", false, Some((Decision, 7))),
            (
                "our convention is snake_case for file names",
                false,
                Some((Decision, 7)),
            ),
            (
                "the convention here is to name test files *_test.go",
                false,
                Some((Decision, 7)),
            ),
            (
                "whenever you change the schema, run make gen",
                false,
                Some((Decision, 7)),
            ),
            ("never, ever log customer emails", false, Some((Gotcha, 8))),
            (
                "don't add new dependencies without asking",
                false,
                Some((Gotcha, 7)),
            ),
            ("i prefer tabs over spaces", false, Some((Decision, 7))),
            ("i prefer the second one", false, None),
            (
                "don't delete anything in production",
                false,
                Some((Gotcha, 7)),
            ),
            ("don't use that one", false, None),
            ("never use --force", false, Some((Gotcha, 8))),
            (
                "put tests in tests/, not in src/",
                false,
                Some((Decision, 7)),
            ),
        ] {
            assert_eq!(rule_form(sentence, stressed), expected, "{sentence}");
        }
    }
}
