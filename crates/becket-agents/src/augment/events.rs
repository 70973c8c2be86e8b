//! The events of Auggie and what a hook may do at each: the capability table.
//!
//! Where the client differs from its documentation, the row says what is documented and the sentence
//! says what client 0.36.0 does.

use super::TITLE;
use crate::exchange::events::{Native, Protocol, Reads};
use crate::exchange::lean::{Approval, Context, Means, Refusal};

const fn row(names: &'static [&'static str], reads: Reads, means: Means) -> Native {
    Native {
        names,
        reads,
        means,
    }
}

/// Every event of client 0.36.0. Nobody waits for the answer to `PromptSubmit`, and nothing in the
/// client sends `Notification`.
const EVENTS: [Native; 7] = {
    use {Context as C, Reads as R, Refusal as F};
    [
        row(
            &["PreToolUse"],
            R::PreTool,
            Means::at("PreToolUse")
                .refusal(F::Prevents)
                .approval(Approval::Unheard)
                .rewrites()
                .shows(),
        ),
        row(
            &["PostToolUse"],
            R::PostTool,
            Means::at("PostToolUse")
                .refusal(F::Note)
                .context(C::Given)
                .shows(),
        ),
        row(
            &["Stop"],
            R::Rest,
            Means::at("Stop").refusal(F::KeepsGoing).caveat(
                "Auggie documents that a hook can keep it going, but 0.36.0 does not listen.",
            ),
        ),
        row(
            &["SessionStart"],
            R::Start(None),
            Means::at("SessionStart")
                .context(C::Unsure(
                    "Auggie documents context at its start, but 0.36.0 shows it to nobody.",
                ))
                .shows(),
        ),
        row(&["SessionEnd"], R::End, Means::at("SessionEnd").shows()),
        row(&["PromptSubmit"], R::Prompt, Means::at("PromptSubmit")),
        row(&["Notification"], R::Notice, Means::at("Notification")),
    ]
};

/// What Auggie hears, and how a refusal is said at an event that a later version may add.
pub(super) const AUGMENT: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: Means::at("").refusal(Refusal::Unknown),
};
