//! The one event of Crush, and what a hook may do at it.

use becket_model::EventKind;

use crate::protocol::capability::{
    AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H, RewriteCap as W,
};
use crate::protocol::{EventCaps, EventRow};

/// Context that is given here is added to the tool's result.
const GATE: EventCaps = EventCaps::UNREAD
    .deny(D::Prevents)
    .halt(H::EndsTurn)
    .allow(Y::Skips)
    .rewrite(W::Merges)
    .context(C::GivenOrInReason);

/// What a later version may add.
pub(super) static UNKNOWN: EventRow = EventRow::unknown(
    EventCaps::UNREAD
        .deny(D::Perhaps)
        .halt(H::EndsTurn)
        .context(C::InReason),
);

/// Every event of source 37f36e9.
pub(super) static EVENTS: [EventRow; 1] = [EventRow::new(
    "PreToolUse",
    Some(&EventKind::PreToolUse),
    GATE,
)];
