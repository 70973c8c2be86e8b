//! Codex CLI: tests of its own behaviour.

mod patches;
mod trust;

use becket_lab::harness::Test;

use crate::codex;

/// The tests, named after the client.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        codex::patches::indented_patch_lines_hide_no_file,
        codex::trust::codex_accepts_trust_recorded_by_becket,
        codex::trust::without_trust_only_the_notify_program_gets_the_turn,
        codex::trust::turn_reported_by_hooks_and_notify_is_recorded_once,
    ]
}
