//! The events of Auggie and what a hook may do at each: the capability table.
//!
//! Where the client differs from its documentation, the row says what is documented and the sentence
//! says what client 0.36.0 does.

use super::TITLE;
use crate::exchange::events::{ExchangeNative, Protocol, Reads};
use crate::exchange::lean::{Approval, ExchangeContext, ExchangeMeans, Refusal};

const fn row(names: &'static [&'static str], reads: Reads, means: ExchangeMeans) -> ExchangeNative {
    ExchangeNative {
        names,
        reads,
        means,
    }
}

/// Every event of client 0.36.0. Auggie does not wait for the answer to `PromptSubmit`, and nothing in the
/// client sends `Notification`.
const EVENTS: [ExchangeNative; 7] = {
    use {ExchangeContext as C, Reads as R, Refusal as F};
    [
        row(
            &["PreToolUse"],
            R::PreTool,
            ExchangeMeans::at("PreToolUse")
                .refusal(F::Prevents)
                .approval(Approval::Unheard)
                .rewrites()
                .shows(),
        ),
        row(
            &["PostToolUse"],
            R::PostTool,
            ExchangeMeans::at("PostToolUse")
                .refusal(F::Note)
                .context(C::Given)
                .shows(),
        ),
        row(
            &["Stop"],
            R::Rest,
            ExchangeMeans::at("Stop").refusal(F::KeepsGoing).caveat(
                "Auggie documents that a hook can keep it going, but 0.36.0 does not listen.",
            ),
        ),
        row(
            &["SessionStart"],
            R::Start(None),
            ExchangeMeans::at("SessionStart")
                .context(C::Unsure(
                    "Auggie documents context at its start, but 0.36.0 shows it to nobody.",
                ))
                .shows(),
        ),
        row(
            &["SessionEnd"],
            R::End,
            ExchangeMeans::at("SessionEnd").shows(),
        ),
        row(
            &["PromptSubmit"],
            R::Prompt,
            ExchangeMeans::at("PromptSubmit"),
        ),
        row(
            &["Notification"],
            R::Notice,
            ExchangeMeans::at("Notification"),
        ),
    ]
};

/// What Auggie hears, and how a refusal is said at an event that a later version may add.
pub(super) const AUGMENT: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: ExchangeMeans::at("").refusal(Refusal::Unknown),
};
