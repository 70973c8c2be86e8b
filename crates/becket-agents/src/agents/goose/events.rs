//! The events of Goose and what a hook may do at each: the capability table.
//!
//! `BeforeShellExecution`, `BeforeReadFile` and `AfterShellExecution` fire together with the tool events for
//! the same call and cannot block it, so they are no tool events here: read as that call they would be recorded
//! and judged twice. Neither is `PreToolUseResult`, which reports what became of the answers to `PreToolUse`.

use becket_model::EventKind as K;

use crate::protocol::capability::{AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H};
use crate::protocol::{EventCaps, EventRow};

const UNREAD: EventCaps = EventCaps::UNREAD;

const GATE: EventCaps = UNREAD
    .deny(D::Prevents)
    .allow(Y::Cannot)
    .context(C::InReason);

const STOP: EventCaps = UNREAD
    .deny(D::KeepsGoing)
    .halt(H::Stops)
    .context(C::InReason);

const SUBAGENT_STOP: EventCaps = UNREAD.deny(D::Stops).halt(H::Stops);

/// What a later version may add.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(UNREAD.deny(D::Perhaps).context(C::InReason));

/// Every event of client 1.52.0. It never sends the two of subagents, which older versions read in
/// a plugin's file.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 14] = [
    EventRow::new("SessionStart",         Some(&K::SessionStart),       UNREAD),
    EventRow::new("SessionEnd",           Some(&K::SessionEnd),         UNREAD),
    EventRow::new("UserPromptSubmit",     Some(&K::UserPromptSubmit),   UNREAD),
    EventRow::new("PreToolUse",           Some(&K::PreToolUse),         GATE),
    EventRow::new("PreToolUseResult",     None,                         UNREAD),
    EventRow::new("PostToolUse",          Some(&K::PostToolUse),        UNREAD),
    EventRow::new("PostToolUseFailure",   Some(&K::PostToolUseFailure), UNREAD),
    EventRow::new("BeforeShellExecution", None,                         UNREAD),
    EventRow::new("AfterShellExecution",  None,                         UNREAD),
    EventRow::new("BeforeReadFile",       None,                         UNREAD),
    EventRow::new("AfterFileEdit",        Some(&K::FileModified),       UNREAD),
    EventRow::new("Stop",                 Some(&K::Stop),               STOP),
    EventRow::new("SubagentStart",        Some(&K::SubagentStart),      UNREAD),
    EventRow::new("SubagentStop",         Some(&K::SubagentStop),       SUBAGENT_STOP),
];
