//! Learning by rule: no model, no network, the same answer every time.
//!
//! The rules look for what is rare and useful, and say nothing where they are not sure: a memory that is wrong or
//! trivial costs every later turn a little. They read English.

mod command;
mod commit;
mod failure;
mod form;
mod mend;
mod paths;
mod said;
mod spoken;
mod tell;
mod together;
mod works;

use becket_store::Trust;

use crate::observation::{Learnt, Observation};
use crate::turn::Material;

pub(crate) use spoken::spoken;
pub use tell::{tell, title};
pub(crate) use works::may_tell;

/// As many are kept of one turn.
const MOST: usize = 5;

/// What a turn taught.
pub fn learn(material: &Material) -> Learnt {
    let mut found = said::rules(material);
    found.extend(mend::mended_and_works(material));
    found.extend(shown_by_many(material));
    // What a person said comes first among equals.
    found.sort_by_key(|one| (10 - one.importance.min(10), one.trust != Trust::User));
    found.truncate(MOST);
    Learnt {
        class: material.stats.class(),
        observations: found,
        commit: commit::last_commit(&material.turn.steps),
    }
}

/// What the person said alone; a model may find the rest.
pub(crate) fn said_by_person(material: &Material) -> Vec<Observation> {
    said::rules(material)
}

/// What only many turns show together, and no model that sees one of them.
pub(crate) fn shown_by_many(material: &Material) -> Vec<Observation> {
    let mut found = works::works_here(material);
    found.extend(together::change_together(material));
    found
}

/// The commit that a turn made.
pub(crate) fn commit_of(material: &Material) -> Option<String> {
    commit::last_commit(&material.turn.steps)
}
