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

/// The tests, by names that begin with the client's.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        // The long ones first, so that the last one to end is a short one.
        claude::trust::a_projects_hooks_run_only_while_they_are_as_trusted,
        claude::deadlines::a_hook_that_hangs_is_ended_and_its_failure_denies_the_call,
        claude::deadlines::a_hook_that_hangs_is_ended_and_its_failure_lets_the_call_proceed,
        claude::deadlines::an_async_hook_does_not_delay_the_turn_and_runs_to_its_end,
        claude::trail::every_event_is_on_record_exactly_once,
        claude::trail::no_secret_reaches_the_disk,
        claude::setup::uninstall_gives_back_every_byte_and_nothing_is_recorded_any_more,
        claude::setup::doctor_sees_that_the_client_is_connected_and_when_it_last_spoke,
        claude::setup::a_settings_file_with_comments_gets_every_byte_back,
        claude::setup::doctor_calls_nothing_connected_that_the_client_does_not_read,
        claude::decisions::a_denied_command_does_not_run_and_the_model_is_told_why,
        claude::decisions::a_denied_write_leaves_no_file,
        claude::decisions::a_rewritten_input_is_what_runs,
        claude::decisions::ask_means_no_where_there_is_nobody_to_ask,
        claude::turns::context_at_session_start_and_with_the_prompt_reaches_the_model,
        claude::turns::a_stop_hook_that_blocks_keeps_the_agent_going_once,
        claude::turns::a_failing_tool_is_on_record_and_its_hooks_context_reaches_the_model,
        claude::subagents::a_subagents_calls_are_guarded_and_on_record_as_its_own,
        claude::dialects::named_hooks_in_claudes_own_file_run_through_becket_and_its_own_hooks_once,
    ]
}
