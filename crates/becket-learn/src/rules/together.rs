//! Files that change together.

use std::collections::BTreeSet;

use becket_store::{MemoryKind, Trust};

use crate::observation::Observation;
use crate::turn::Material;

/// So many turns, this one included, have to show it,
const FEWEST_TURNS: usize = 4;
/// in so many sessions: within one, files change together because that is the task.
const FEWEST_SESSIONS: usize = 2;
/// A turn that changes more than this says nothing about two of them.
const MOST_FILES: usize = 8;
/// Of the turns that changed one of them, so many changed both, in hundredths.
const HOW_OFTEN: usize = 75;

/// The pair with the best evidence, if there is one.
pub(super) fn change_together(material: &Material) -> Option<Observation> {
    let files = told_files(&material.turn.changed_files());
    if files.len() < 2 || files.len() > MOST_FILES {
        return None;
    }
    let pairs = files
        .iter()
        .enumerate()
        .flat_map(|(at, one)| files[at + 1..].iter().map(move |two| (one, two)));
    let shown = pairs
        .filter(|(one, two)| !is_obvious(one, two))
        .filter_map(|(one, two)| evidence(material, one, two).map(|turns| (turns, one, two)));
    // The first of equals, so that the answer is always the same.
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
        events: vec![material.turn.id.clone()],
        ..Observation::new(
            MemoryKind::Discovery,
            format!("{one} and {two} change together: who changes one should look at the other."),
        )
    })
}

/// In how many turns both changed, if that is enough.
fn evidence(material: &Material, one: &str, two: &str) -> Option<usize> {
    let has = |files: &[String], file: &str| files.iter().any(|known| known == file);
    let (mut both, mut any) = (1, 1);
    let mut sessions: BTreeSet<&str> = BTreeSet::new();
    let small = material
        .history
        .iter()
        .filter(|turn| turn.files.len() <= MOST_FILES && turn.batch != material.turn.id);
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
    (both >= FEWEST_TURNS && sessions.len() >= FEWEST_SESSIONS && both * 100 >= any * HOW_OFTEN)
        .then_some(both)
}

fn told_files(files: &[String]) -> Vec<String> {
    let is_kept = |file: &&String| {
        !file.starts_with('/') && !is_by_product(file) && !file.chars().any(char::is_control)
    };
    files.iter().filter(is_kept).cloned().collect()
}

/// Changes with everything, by itself.
fn is_by_product(file: &str) -> bool {
    let name = name(file).to_lowercase();
    matches!(name.rsplit_once('.'), Some((_, "lock")))
        || name.ends_with("-lock.json")
        || name.ends_with("-lock.yaml")
        || name.starts_with("changelog")
        || name == "go.sum"
        || name == "todo.md"
}

/// A file and its test, a header and its source: everybody knows.
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
