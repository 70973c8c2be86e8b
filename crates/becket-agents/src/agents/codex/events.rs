//! The events of Codex CLI and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.166.0
//! does. `notify` is in the table so that an event that came that way has an answer: none.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
    RewriteCap as R,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

#[expect(
    clippy::too_many_arguments,
    reason = "the columns of a table, each of its own type"
)]
const fn row(
    native: &'static str,
    kind: Option<&'static K>,
    subject: &'static [&'static str],
    deny: D,
    spelling: S,
    ask: A,
    allow: Y,
    halt: H,
    rewrite: R,
    context: C,
    message: M,
) -> EventRow {
    let caps = EventCaps::UNREAD
        .deny(deny)
        .ask(ask)
        .allow(allow)
        .halt(halt);
    let caps = caps.rewrite(rewrite).context(context).message(message);
    EventRow::new(native, kind, caps)
        .subject(subject)
        .spelling(spelling)
}

/// What a later version may add: exit code 2 blocks it if it can be blocked.
#[rustfmt::skip]
pub(super) static UNKNOWN: EventRow =
    row("", None, &[], D::Perhaps, S::Exit2, A::Cannot, Y::Silence, H::Cannot, R::Cannot, C::InReason, M::Unseen);

/// `continue: false` is the only means here.
const START: D =
    D::EndsTurn("Codex can only end the turn at SessionStart; the next prompt is not held up.");
const COMPACT: D = D::EndsTurn("Codex can only refuse a compaction by ending the turn.");

/// The person may have left the answer to Codex's own reviewer.
const DIALOG: A = A::Dialog(" or lets its reviewer answer");

/// Every event of client 0.166.0, the two that are not documented included.
///
/// `continue: false`, `stopReason` and `suppressOutput` void a reply to a tool event; at
/// `PostToolUse` the first two are taken, but the turn goes on. A bare `permissionDecision: allow`
/// fails the hook. A key that a row does not ask for is never written: an unknown one voids the reply as
/// well. Nothing is read after `SessionEnd`, the model events and `notify`.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 15] = [
    row("PreToolUse",        Some(&K::PreToolUse),        &["tool_name"],  D::Prevents,       S::Permission, A::Cannot, Y::Cannot,  H::Cannot,   R::Replaces, C::Given,    M::Shown),
    row("PermissionRequest", Some(&K::PermissionRequest), &["tool_name"],  D::Prevents,       S::Behavior,   DIALOG,    Y::Skips,   H::Cannot,   R::Cannot,   C::InReason, M::Shown),
    row("PostToolUse",       Some(&K::PostToolUse),       &["tool_name"],  D::ReplacesResult, S::Block,      A::Cannot, Y::Silence, H::Cannot,   R::Cannot,   C::Given,    M::Shown),
    row("UserPromptSubmit",  Some(&K::UserPromptSubmit),  &[],             D::Prevents,       S::Block,      A::Cannot, Y::Silence, H::WithDeny, R::Cannot,   C::Given,    M::Shown),
    row("SessionStart",      Some(&K::SessionStart),      &["source"],     START,             S::Continue,   A::Cannot, Y::Silence, H::WithDeny, R::Cannot,   C::Given,    M::Shown),
    row("SubagentStart",     Some(&K::SubagentStart),     &["agent_type"], D::Cannot,         S::Usual,      A::Cannot, Y::Silence, H::Cannot,   R::Cannot,   C::Given,    M::Shown),
    row("Stop",              Some(&K::Stop),              &[],             D::KeepsGoing,     S::Block,      A::Cannot, Y::Silence, H::EndsTurn, R::Cannot,   C::Cannot,   M::Shown),
    row("SubagentStop",      Some(&K::SubagentStop),      &["agent_type"], D::KeepsGoing,     S::Block,      A::Cannot, Y::Silence, H::EndsTurn, R::Cannot,   C::Cannot,   M::Shown),
    row("PreCompact",        Some(&K::PreCompact),        &["trigger"],    COMPACT,           S::Continue,   A::Cannot, Y::Silence, H::WithDeny, R::Cannot,   C::Cannot,   M::Shown),
    row("PostCompact",       Some(&K::PostCompact),       &["trigger"],    D::Cannot,         S::Usual,      A::Cannot, Y::Silence, H::EndsTurn, R::Cannot,   C::Cannot,   M::Shown),
    row("Interrupt",         None,                        &[],             D::Cannot,         S::Usual,      A::Cannot, Y::Silence, H::Cannot,   R::Cannot,   C::Cannot,   M::Shown),
    row("SessionEnd",        Some(&K::SessionEnd),        &["reason"],     D::Cannot,         S::Usual,      A::Cannot, Y::Silence, H::Cannot,   R::Cannot,   C::Cannot,   M::Cannot),
    EventRow::new("PreModelRequest", Some(&K::PreModelRequest), EventCaps::UNREAD),
    EventRow::new("PostModelRequest", Some(&K::PostModelRequest), EventCaps::UNREAD),
    EventRow::new(super::notify::TURN_COMPLETE, Some(&K::Stop), EventCaps::UNREAD),
];
