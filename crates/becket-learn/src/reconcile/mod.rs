//! Compares an observation with the existing memories.
//!
//! Near-duplicates are merged. A more detailed text supersedes a shorter one. A contradiction is stored and marked, unless
//! the new source outranks the old one.

mod contradiction;
mod similarity;

use becket_store::{MemoryKind, MemoryRow, MemoryStatus, Trust};

use crate::observation::Observation;
use similarity::{same_names, word_similarity};

/// Minimum similarity of duplicates about the same file.
const NEAR_DUPLICATE_SAME_FILE: f32 = 0.80;
/// Minimum similarity of other duplicates.
const NEAR_DUPLICATE: f32 = 0.88;
/// Texts below this similarity are unrelated.
const MIN_SIMILARITY: f32 = 0.30;
/// How many more words a more detailed text has, in percent.
const MORE_DETAILED_PERCENT: usize = 125;

/// A memory that may be a duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeCandidate {
    /// The memory.
    pub memory: MemoryRow,
    /// How similar its text is, from 0 to 1.
    pub score: f32,
}

/// Compares texts by meaning.
pub trait SimilarityModel: Send + Sync {
    /// The similarity of `text` to each of `known`, on the scale of word similarity; 0 for unrelated texts. Empty if the
    /// model is not available.
    fn scores(&self, text: &str, known: &[&str]) -> Vec<f32>;
}

/// Adds the candidates that a model finds, and keeps the higher score of each.
pub(crate) fn with_model_scores(
    mut found: Vec<MergeCandidate>,
    memories: &[MemoryRow],
    scores: &[f32],
) -> Vec<MergeCandidate> {
    let near = memories.iter().zip(scores);
    for (memory, &score) in near.filter(|(_, score)| **score >= NEAR_DUPLICATE_SAME_FILE) {
        match found.iter_mut().find(|one| one.memory.id == memory.id) {
            Some(known) => known.score = known.score.max(score),
            None => found.push(MergeCandidate {
                memory: memory.clone(),
                score,
            }),
        }
    }
    found.sort_by(|one, two| two.score.total_cmp(&one.score));
    found
}

/// What happens with an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// It is a duplicate.
    Merge {
        /// The existing memory.
        into: String,
        /// The new importance of that memory.
        importance: u8,
        /// Memories that the existing one supersedes, now that it was confirmed.
        supersedes: Vec<String>,
        /// Memories that it contradicts.
        contradicts: Vec<String>,
    },
    /// It becomes a memory. With both lists empty, it is simply new.
    Keep {
        /// Memories that it supersedes.
        supersedes: Vec<String>,
        /// Memories that it contradicts.
        contradicts: Vec<String>,
    },
}

impl Reconciliation {
    /// A new memory without relations.
    pub fn new() -> Self {
        Self::Keep {
            supersedes: Vec::new(),
            contradicts: Vec::new(),
        }
    }
}

impl Default for Reconciliation {
    fn default() -> Self {
        Self::new()
    }
}

/// The candidates with similar words.
pub fn candidates_by_words(memories: &[MemoryRow], text: &str) -> Vec<MergeCandidate> {
    const MOST: usize = 10;
    let scored = memories
        .iter()
        .map(|memory| (memory, word_similarity(&memory.text, text)));
    let near = scored.filter(|(_, score)| *score >= MIN_SIMILARITY);
    let mut found: Vec<MergeCandidate> = near
        .map(|(memory, score)| MergeCandidate {
            memory: memory.clone(),
            score,
        })
        .collect();
    found.sort_by(|one, two| two.score.total_cmp(&one.score));
    found.truncate(MOST);
    found
}

/// Decides what happens with an observation.
pub fn reconcile(new: &Observation, candidates: &[MergeCandidate]) -> Reconciliation {
    let (mut supersedes, mut contradicts) = (Vec::new(), Vec::new());
    let mut into: Option<&MemoryRow> = None;
    let known = candidates
        .iter()
        .filter(|one| is_comparable(new, &one.memory));
    for MergeCandidate { memory, score } in known.filter(|one| one.score >= MIN_SIMILARITY) {
        if is_rule(new.kind) && contradiction::contradicts(&new.text, &memory.text) {
            if overrides(new, memory) {
                supersedes.push(memory.id.clone());
            } else {
                contradicts.push(memory.id.clone());
            }
        } else if is_near_duplicate(new, memory, *score) {
            if is_more_detailed(new, memory) || is_more_trusted(new, memory) {
                supersedes.push(memory.id.clone());
            } else {
                into = into.or(Some(memory));
            }
        }
    }
    match into {
        Some(known) => Reconciliation::Merge {
            into: known.id.clone(),
            importance: merged_importance(new, known),
            supersedes,
            contradicts,
        },
        None => Reconciliation::Keep {
            supersedes,
            contradicts,
        },
    }
}

/// Rules are stored as decisions or gotchas and are compared with each other.
fn is_rule(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Decision | MemoryKind::Gotcha)
}

fn is_comparable(new: &Observation, known: &MemoryRow) -> bool {
    let told = |kind| matches!(kind, MemoryKind::SessionSummary | MemoryKind::Plan);
    known.status == MemoryStatus::Active
        && !told(new.kind)
        && (new.kind == known.kind || (is_rule(new.kind) && is_rule(known.kind)))
}

fn is_near_duplicate(new: &Observation, known: &MemoryRow, score: f32) -> bool {
    if !same_names(&new.text, &known.text) {
        return false;
    }
    let is_about_same = match (&new.context, &known.context) {
        (Some(one), Some(two)) => one == two,
        (None, None) => false,
        _ => new.files.iter().any(|file| known.files.contains(file)),
    };
    score
        >= if is_about_same {
            NEAR_DUPLICATE_SAME_FILE
        } else {
            NEAR_DUPLICATE
        }
}

/// Whether the new text is more detailed and at least as trusted. Pinned memories stay.
fn is_more_detailed(new: &Observation, known: &MemoryRow) -> bool {
    let (one, two) = (
        similarity::word_count(&new.text),
        similarity::word_count(&known.text),
    );
    !known.pinned
        && new.trust.rank() >= known.trust.rank()
        && one * 100 >= two * MORE_DETAILED_PERCENT
}

/// Whether the new text is nearly the same but more trusted. The old wording must not count as the user's own.
fn is_more_trusted(new: &Observation, known: &MemoryRow) -> bool {
    !known.pinned
        && new.trust.rank() > known.trust.rank()
        && word_similarity(&new.text, &known.text) < 1.0
}

/// A less trusted source does not raise the importance.
fn merged_importance(new: &Observation, known: &MemoryRow) -> u8 {
    if new.trust.rank() >= known.trust.rank() {
        known.importance.max(new.importance)
    } else {
        known.importance
    }
}

/// Whether the new rule supersedes the old one: the user may change a rule, and a more trusted source wins.
fn overrides(new: &Observation, known: &MemoryRow) -> bool {
    let is_person = new.trust == Trust::User;
    !known.pinned && (is_person || new.trust.rank() > known.trust.rank())
}

#[cfg(test)]
mod tests;
