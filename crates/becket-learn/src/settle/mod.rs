//! What becomes of an observation beside what is known already.
//!
//! Near-duplicates are merged, what says more takes the place of what says less, and what speaks against
//! something known is kept and marked, unless whoever said it has the last word.

mod likeness;
mod stance;

use becket_store::{MemoryKind, MemoryRow, MemoryStatus, Trust};

use crate::observation::Observation;
use likeness::{likeness, same_names};
use stance::opposed;

/// Texts at least this similar say the same, if they are about the same file,
const NEAR_IN_CONTEXT: f32 = 0.80;
/// and if they are not.
const NEAR: f32 = 0.88;
/// Texts less similar than this have nothing to do with each other.
const FAR: f32 = 0.30;
/// A text with so many more words says more, in hundredths.
const SAYS_MORE: usize = 125;

/// A memory that may say the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The memory.
    pub memory: MemoryRow,
    /// How similar its text is, from 0 to 1.
    pub score: f32,
}

/// Who knows how similar texts are, whatever their words.
pub trait Similar: Send + Sync {
    /// How similar each of `known` is to a text, in the scale of words; 0 for one that does not say the same. Nothing
    /// if it cannot be told.
    fn scores(&self, text: &str, known: &[&str]) -> Vec<f32>;
}

/// The same candidates and those that another way of comparing finds near, each with the higher of both scores.
pub(crate) fn joined(
    mut found: Vec<Candidate>,
    memories: &[MemoryRow],
    scores: &[f32],
) -> Vec<Candidate> {
    let near = memories.iter().zip(scores);
    for (memory, &score) in near.filter(|(_, score)| **score >= NEAR_IN_CONTEXT) {
        match found.iter_mut().find(|one| one.memory.id == memory.id) {
            Some(known) => known.score = known.score.max(score),
            None => found.push(Candidate {
                memory: memory.clone(),
                score,
            }),
        }
    }
    found.sort_by(|one, two| two.score.total_cmp(&one.score));
    found
}

/// What becomes of an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It is known.
    Merge {
        /// The memory that says it.
        into: String,
        /// How important that one is now.
        importance: u8,
        /// Memories whose place that one takes, now that it was said again.
        supersedes: Vec<String>,
        /// Memories that say otherwise.
        contradicts: Vec<String>,
    },
    /// It is kept. With both lists empty, it is simply new.
    Keep {
        /// Memories whose place it takes.
        supersedes: Vec<String>,
        /// Memories that say otherwise.
        contradicts: Vec<String>,
    },
}

impl Settled {
    /// It is new, and that is all.
    pub fn new() -> Self {
        Self::Keep {
            supersedes: Vec::new(),
            contradicts: Vec::new(),
        }
    }
}

impl Default for Settled {
    fn default() -> Self {
        Self::new()
    }
}

/// Candidates out of a list, by their words.
pub fn by_words(memories: &[MemoryRow], text: &str) -> Vec<Candidate> {
    const MOST: usize = 10;
    let scored = memories
        .iter()
        .map(|memory| (memory, likeness(&memory.text, text)));
    let near = scored.filter(|(_, score)| *score >= FAR);
    let mut found: Vec<Candidate> = near
        .map(|(memory, score)| Candidate {
            memory: memory.clone(),
            score,
        })
        .collect();
    found.sort_by(|one, two| two.score.total_cmp(&one.score));
    found.truncate(MOST);
    found
}

/// Decides.
pub fn settle(new: &Observation, candidates: &[Candidate]) -> Settled {
    let (mut supersedes, mut contradicts) = (Vec::new(), Vec::new());
    let mut into: Option<&MemoryRow> = None;
    let known = candidates
        .iter()
        .filter(|one| is_comparable(new, &one.memory));
    for Candidate { memory, score } in known.filter(|one| one.score >= FAR) {
        if is_rule(new.kind) && opposed(&new.text, &memory.text) {
            if has_last_word(new, memory) {
                supersedes.push(memory.id.clone());
            } else {
                contradicts.push(memory.id.clone());
            }
        } else if is_near(new, memory, *score) {
            if says_more(new, memory) || is_worth_more(new, memory) {
                supersedes.push(memory.id.clone());
            } else {
                into = into.or(Some(memory));
            }
        }
    }
    match into {
        Some(known) => Settled::Merge {
            into: known.id.clone(),
            importance: importance_of_both(new, known),
            supersedes,
            contradicts,
        },
        None => Settled::Keep {
            supersedes,
            contradicts,
        },
    }
}

/// Rules of people come as decisions and as gotchas, and stand against each other all the same.
fn is_rule(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Decision | MemoryKind::Gotcha)
}

fn is_comparable(new: &Observation, known: &MemoryRow) -> bool {
    let told = |kind| matches!(kind, MemoryKind::SessionSummary | MemoryKind::Plan);
    known.status == MemoryStatus::Active
        && !told(new.kind)
        && (new.kind == known.kind || (is_rule(new.kind) && is_rule(known.kind)))
}

fn is_near(new: &Observation, known: &MemoryRow, score: f32) -> bool {
    if !same_names(&new.text, &known.text) {
        return false;
    }
    let is_about_same = match (&new.context, &known.context) {
        (Some(one), Some(two)) => one == two,
        (None, None) => false,
        _ => new.files.iter().any(|file| known.files.contains(file)),
    };
    score >= if is_about_same { NEAR_IN_CONTEXT } else { NEAR }
}

/// A text that says more, by somebody who is trusted as much. What was pinned stays.
fn says_more(new: &Observation, known: &MemoryRow) -> bool {
    let (one, two) = (likeness::size(&new.text), likeness::size(&known.text));
    !known.pinned && new.trust.rank() >= known.trust.rank() && one * 100 >= two * SAYS_MORE
}

/// Nearly the same, by somebody who is trusted more. What they did not say themselves is not to pass for theirs.
fn is_worth_more(new: &Observation, known: &MemoryRow) -> bool {
    !known.pinned && new.trust.rank() > known.trust.rank() && likeness(&new.text, &known.text) < 1.0
}

/// Who is trusted less does not make it weightier.
fn importance_of_both(new: &Observation, known: &MemoryRow) -> u8 {
    if new.trust.rank() >= known.trust.rank() {
        known.importance.max(new.importance)
    } else {
        known.importance
    }
}

/// People change their minds; others do not change it for them.
fn has_last_word(new: &Observation, known: &MemoryRow) -> bool {
    let is_person = new.trust == Trust::User;
    !known.pinned && (is_person || new.trust.rank() > known.trust.rank())
}

#[cfg(test)]
mod tests;
