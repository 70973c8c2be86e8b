//! Codex CLI, in what no other client has.

mod patches;
mod trust;

use becket_lab::harness::Test;

use crate::codex;

/// The tests, by names that begin with the client's.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        codex::patches::blanks_before_the_lines_of_a_patch_hide_no_file,
        codex::trust::trust_that_becket_records_is_trust_to_codex,
        codex::trust::without_trust_only_the_notified_program_hears_of_a_turn,
        codex::trust::a_turn_that_hooks_and_program_hear_of_is_recorded_once,
    ]
}
