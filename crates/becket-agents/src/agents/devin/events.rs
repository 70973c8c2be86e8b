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

/// What a later version may add. Exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(EventCaps::UNREAD.deny(D::Perhaps).context(C::InReason)).spelling(S::Exit2);

/// Every event of the documentation of 2026-09.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 8] = [
    EventRow::new("PreToolUse",        Some(&K::PreToolUse),        GATE),
    EventRow::new("PermissionRequest", Some(&K::PermissionRequest), DIALOG),
    EventRow::new("PostToolUse",       Some(&K::PostToolUse),       RESULT),
    EventRow::new("UserPromptSubmit",  Some(&K::UserPromptSubmit),  PROMPT),
    EventRow::new("SessionStart",      Some(&K::SessionStart),      START),
    EventRow::new("Stop",              Some(&K::Stop),              STOP),
    EventRow::new("PostCompaction",    Some(&K::PostCompact),       EventCaps::UNREAD),
    EventRow::new("SessionEnd",        Some(&K::SessionEnd),        EventCaps::UNREAD),
];
