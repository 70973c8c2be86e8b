//! Learning with rules: no model, no network, deterministic.
//!
//! The rules look for rare and useful facts and prefer silence over guesses, because a wrong or trivial memory costs
//! tokens in every later turn. They understand English only.

mod co_changed_files;
mod command;
mod commit;
mod detect_fix;
mod failure;
mod paths;
mod sentence_form;
mod session_summary;
mod stated_rules;
mod typed_text;
mod working_commands;

use becket_store::Trust;

use crate::observation::{LearnedTurn, Observation};
use crate::turn::LearningInput;

pub use session_summary::{session_title, summarize_session};
pub(crate) use typed_text::typed_text;
pub(crate) use working_commands::has_working_command;

/// Maximum number of observations per turn.
const MAX_PER_TURN: usize = 5;

/// Learns from a turn.
pub fn learn(input: &LearningInput) -> LearnedTurn {
    let mut found = stated_rules::stated_rules(input);
    found.extend(detect_fix::detect_fixes(input));
    found.extend(shown_across_turns(input));
    // Of equal importance, statements of the user come first.
    found.sort_by_key(|one| (10 - one.importance.min(10), one.trust != Trust::User));
    found.truncate(MAX_PER_TURN);
    LearnedTurn {
        class: input.stats.class(),
        observations: found,
        commit: commit::last_commit(&input.turn.steps),
    }
}

/// Only the rules that the user stated; a model may find the rest.
pub(crate) fn stated_by_person(input: &LearningInput) -> Vec<Observation> {
    stated_rules::stated_rules(input)
}

/// Patterns that only several turns show, which a model with one turn cannot see.
pub(crate) fn shown_across_turns(input: &LearningInput) -> Vec<Observation> {
    let mut found = working_commands::working_commands(input);
    found.extend(co_changed_files::co_changed_files(input));
    found
}

/// The commit that a turn made.
pub(crate) fn commit_of(input: &LearningInput) -> Option<String> {
    commit::last_commit(&input.turn.steps)
}
