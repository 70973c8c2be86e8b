//! The 8 events of Devin Local and what a hook may do at each: the capability table.
//!
//! Data only. What is not documented is taken for impossible: a reply that says nothing that Devin might
//! not know cannot be misread.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

/// Before something that a hook can deny.
const GATE: EventCaps = EventCaps::UNREAD
    .deny(D::Prevents)
    .allow(Y::Skips)
    .context(C::InReason);

const DIALOG: EventCaps = GATE.ask(A::Dialog(""));

const PROMPT: EventCaps = EventCaps::UNREAD
    .deny(D::Prevents)
    .halt(H::WithDeny)
    .context(C::Given);

const RESULT: EventCaps = EventCaps::UNREAD
    .deny(D::Notes("the model reads the reason"))
    .context(C::InReason);

const START: EventCaps = EventCaps::UNREAD.context(C::Given);

const STOP: EventCaps = EventCaps::UNREAD.deny(D::KeepsGoing).halt(H::Stops);

const fn row(native: &'static str, kind: &'static K, caps: EventCaps) -> EventRow {
    EventRow::new(native, Some(kind), caps).spelling(S::Block)
}

/// What a later version may add. Exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(EventCaps::UNREAD.deny(D::Perhaps).context(C::InReason)).spelling(S::Exit2);

/// Every event of the documentation of 2026-09.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 8] = [
    row("PreToolUse",        &K::PreToolUse,        GATE),
    row("PermissionRequest", &K::PermissionRequest, DIALOG),
    row("PostToolUse",       &K::PostToolUse,       RESULT),
    row("UserPromptSubmit",  &K::UserPromptSubmit,  PROMPT),
    row("SessionStart",      &K::SessionStart,      START),
    row("Stop",              &K::Stop,              STOP),
    row("PostCompaction",    &K::PostCompact,       EventCaps::UNREAD),
    row("SessionEnd",        &K::SessionEnd,        EventCaps::UNREAD),
];
