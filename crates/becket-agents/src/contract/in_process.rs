//! The contract for hooks that are not processes (built-in, HTTP, prompt, MCP): the dialect decides which
//! decisions are allowed at an event, and what a failure means.

use becket_model::{Event, FailureKind, HookOutcome, HookSpec};

use super::interpret::{FinishedRun, tidy_reason};
use super::text::{self, MAX_CONTEXT};
use super::{ProcessEnd, ProcessOutput};

/// Reduces a hook's outcome to what its dialect allows at this event. Texts are made safe for a terminal
/// and truncated to their limits.
pub fn constrain(hook: &HookSpec, event: &Event, outcome: HookOutcome) -> HookOutcome {
    with_empty_run(hook, event, |run| {
        let tidy = HookOutcome {
            reason: tidy_reason(outcome.reason.as_deref()),
            context: outcome
                .context
                .as_deref()
                .and_then(|words| text::tidy(words, MAX_CONTEXT)),
            system_message: tidy_reason(outcome.system_message.as_deref()),
            ..outcome
        };
        run.constrain(tidy)
    })
}

/// The outcome of a failed hook. The message should name the hook.
pub fn failure_outcome(
    hook: &HookSpec,
    event: &Event,
    kind: FailureKind,
    message: &str,
) -> HookOutcome {
    with_empty_run(hook, event, |run| run.failed(kind, message))
}

fn with_empty_run(
    hook: &HookSpec,
    event: &Event,
    then: impl FnOnce(&FinishedRun<'_>) -> HookOutcome,
) -> HookOutcome {
    let ran = ProcessOutput {
        ending: ProcessEnd::Exited(0),
        stdout: b"",
        stderr: b"",
        truncated: false,
    };
    then(&FinishedRun {
        hook,
        event,
        kind: event.kind(),
        ran: &ran,
    })
}
