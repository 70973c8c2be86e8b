//! The events of Auggie and what a hook may do at each: the capability table.
//!
//! Where the client differs from its documentation, the row says what is documented and the sentence
//! says what client 0.36.0 does.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H, LogCap, MessageCap as M,
    RewriteCap as W,
};
use crate::protocol::{EventCaps, EventRow};

/// An event whose reply Auggie reads.
const READ: EventCaps = EventCaps::UNREAD.log(LogCap::Suppresses);

const GATE: EventCaps = READ
    .deny(D::Prevents)
    .allow(Y::Ignored(
        "Auggie does not act on an approval yet; its own rules apply.",
    ))
    .rewrite(W::Replaces)
    .context(C::InReason)
    .message(M::Shown);

const RESULT: EventCaps = READ
    .deny(D::Notes("the model reads the reason"))
    .context(C::Given)
    .message(M::Shown);

const STOP: EventCaps = READ
    .deny(D::KeepsGoingBut(
        "Auggie documents that a hook can keep it going, but 0.36.0 does not listen.",
    ))
    .halt(H::Stops)
    .context(C::InReason);

const START: EventCaps = READ
    .context(C::GivenBut(
        "Auggie documents context at its start, but 0.36.0 drops it.",
    ))
    .message(M::Shown);

/// What a later version may add. Exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(EventCaps::UNREAD.deny(D::Perhaps).context(C::InReason));

/// Every event of client 0.36.0. Auggie does not wait for the answer to `PromptSubmit`, and nothing in the
/// client sends `Notification`.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 7] = [
    EventRow::new("PreToolUse",   Some(&K::PreToolUse),       GATE),
    EventRow::new("PostToolUse",  Some(&K::PostToolUse),      RESULT),
    EventRow::new("Stop",         Some(&K::Stop),             STOP),
    EventRow::new("SessionStart", Some(&K::SessionStart),     START),
    EventRow::new("SessionEnd",   Some(&K::SessionEnd),       READ.message(M::Shown)),
    EventRow::new("PromptSubmit", Some(&K::UserPromptSubmit), EventCaps::UNREAD),
    EventRow::new("Notification", Some(&K::Notification),     EventCaps::UNREAD),
];
