//! Hooks that are no processes keep the same contract: what may be decided on an event, and what a failure
//! means, is their dialect's.

use becket_model::{Event, FailureKind, HookSpec, Outcome};

use super::interpret::{Case, tidy_reason};
use super::text::{self, MAX_CONTEXT};
use super::{Ending, Ran};

/// What a hook decided, as far as its dialect lets it on this event. Texts come out fit for a terminal and
/// bounded.
pub fn settled(hook: &HookSpec, event: &Event, said: Outcome) -> Outcome {
    with_case(hook, event, |case| {
        let tidy = Outcome {
            reason: tidy_reason(said.reason.as_deref()),
            context: said
                .context
                .as_deref()
                .and_then(|words| text::tidy(words, MAX_CONTEXT)),
            system_message: tidy_reason(said.system_message.as_deref()),
            ..said
        };
        case.settle(tidy)
    })
}

/// What the failure of a hook means. The message should name the hook.
pub fn failed(hook: &HookSpec, event: &Event, kind: FailureKind, message: &str) -> Outcome {
    with_case(hook, event, |case| case.failed(kind, message))
}

fn with_case(hook: &HookSpec, event: &Event, then: impl FnOnce(&Case<'_>) -> Outcome) -> Outcome {
    let ran = Ran {
        ending: Ending::Exited(0),
        stdout: b"",
        stderr: b"",
        truncated: false,
    };
    then(&Case {
        hook,
        event,
        kind: event.kind(),
        ran: &ran,
    })
}
