//! Finds pairs of files that usually change together.

use std::collections::BTreeSet;

use becket_store::{MemoryKind, Trust};

use crate::observation::Observation;
use crate::turn::LearningInput;

/// Minimum number of turns, including this one.
const MIN_TURNS: usize = 4;
/// Minimum number of sessions. Within one session, files change together because of the task.
const MIN_SESSIONS: usize = 2;
/// Turns with more changed files are ignored.
const MAX_FILES: usize = 8;
/// Minimum share, in percent, of turns that changed both among those that changed either.
const MIN_TOGETHER_PERCENT: usize = 75;

/// The pair with the most evidence, if any.
pub(super) fn co_changed_files(input: &LearningInput) -> Option<Observation> {
    let files = candidate_files(&input.turn.changed_files());
    if files.len() < 2 || files.len() > MAX_FILES {
        return None;
    }
    let pairs = files
        .iter()
        .enumerate()
        .flat_map(|(at, one)| files[at + 1..].iter().map(move |two| (one, two)));
    let shown = pairs
        .filter(|(one, two)| !is_obvious(one, two))
        .filter_map(|(one, two)| evidence(input, one, two).map(|turns| (turns, one, two)));
    // Of equal pairs the first, so that the result is deterministic.
    let best = shown.fold(
        None,
        |best: Option<(usize, &String, &String)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        },
    );
    let (_, one, two) = best?;
    let (one, two) = if one <= two { (one, two) } else { (two, one) };
    Some(Observation {
        importance: 4,
        trust: Trust::Agent,
        context: Some(one.clone()),
        files: vec![one.clone(), two.clone()],
        events: vec![input.turn.id.clone()],
        ..Observation::new(
            MemoryKind::Discovery,
            format!("{one} and {two} change together; when you change one, check the other."),
        )
    })
}

/// The number of turns that changed both files, if it is sufficient.
fn evidence(input: &LearningInput, one: &str, two: &str) -> Option<usize> {
    let has = |files: &[String], file: &str| files.iter().any(|known| known == file);
    let (mut both, mut any) = (1, 1);
    let mut sessions: BTreeSet<&str> = BTreeSet::new();
    let small = input
        .changed_files
        .iter()
        .filter(|turn| turn.files.len() <= MAX_FILES && turn.batch != input.turn.id);
    for turn in small {
        match (has(&turn.files, one), has(&turn.files, two)) {
            (true, true) => {
                both += 1;
                any += 1;
                sessions.insert(&turn.session);
            }
            (false, false) => {}
            _ => any += 1,
        }
    }
    (both >= MIN_TURNS
        && sessions.len() >= MIN_SESSIONS
        && both * 100 >= any * MIN_TOGETHER_PERCENT)
        .then_some(both)
}

fn candidate_files(files: &[String]) -> Vec<String> {
    let is_kept = |file: &&String| {
        !file.starts_with('/') && !is_by_product(file) && !file.chars().any(char::is_control)
    };
    files.iter().filter(is_kept).cloned().collect()
}

/// Files that change as a side effect, such as lock files.
fn is_by_product(file: &str) -> bool {
    let name = name(file).to_lowercase();
    matches!(name.rsplit_once('.'), Some((_, "lock")))
        || name.ends_with("-lock.json")
        || name.ends_with("-lock.yaml")
        || name.starts_with("changelog")
        || name == "go.sum"
        || name == "todo.md"
}

/// A file and its test, or a header and its source.
fn is_obvious(one: &str, two: &str) -> bool {
    let stem = |file: &str| {
        let name = name(file).to_lowercase();
        let stem = name.split('.').next().unwrap_or_default().to_owned();
        let parts = stem
            .split(['_', '-'])
            .filter(|part| !matches!(*part, "test" | "tests" | "spec"));
        parts.collect::<Vec<_>>().join("_")
    };
    stem(one) == stem(two)
}

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
