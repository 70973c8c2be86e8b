//! Codex CLI, in what no other client has.

mod patches;

use becket_lab::harness::Test;

use crate::codex;

/// The tests, by names that begin with the client's.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![codex::patches::blanks_before_the_lines_of_a_patch_hide_no_file]
}
