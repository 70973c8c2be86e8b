//! Claude Code.

mod deadlines;
mod decisions;
mod dialects;
mod setup;
mod subagents;
mod trail;
mod trust;
mod turns;

use becket_lab::harness::Test;

use crate::claude;

/// The tests, named after the client.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        // Long tests first, so that the last one to end is short.
        claude::trust::project_hooks_run_only_as_trusted,
        claude::deadlines::hanging_hook_times_out_and_its_failure_denies_the_call,
        claude::deadlines::hanging_hook_times_out_and_its_failure_allows_the_call,
        claude::deadlines::async_hook_does_not_delay_the_turn_and_runs_to_its_end,
        claude::trail::every_event_is_recorded_exactly_once,
        claude::trail::no_secret_reaches_the_disk,
        claude::setup::uninstall_restores_every_byte_and_stops_recording,
        claude::setup::doctor_reports_the_connection_and_the_last_event,
        claude::setup::settings_file_with_comments_is_restored_byte_for_byte,
        claude::setup::doctor_reports_entries_that_the_client_does_not_read,
        claude::decisions::denied_command_does_not_run_and_the_model_gets_the_reason,
        claude::decisions::denied_write_creates_no_file,
        claude::decisions::rewritten_input_is_what_runs,
        claude::decisions::ask_denies_in_a_headless_run,
        claude::turns::context_at_session_start_and_with_the_prompt_reaches_the_model,
        claude::turns::blocking_stop_hook_keeps_the_agent_going_once,
        claude::turns::failed_tool_call_is_recorded_and_hook_context_reaches_the_model,
        claude::subagents::subagent_calls_are_guarded_and_recorded_as_its_own,
        claude::dialects::named_hooks_in_claudes_own_file_run_through_becket_and_its_own_hooks_once,
    ]
}
