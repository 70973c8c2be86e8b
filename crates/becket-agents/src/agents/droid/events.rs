//! The events of Factory Droid and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows the code of client
//! 0.225.2.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, LogCap,
    MessageCap as M, RewriteCap as R,
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
    allow: Y,
    halt: H,
    rewrite: R,
    context: C,
    message: M,
) -> EventRow {
    let caps = EventCaps::UNREAD
        .deny(deny)
        .ask(A::Cannot)
        .allow(allow)
        .halt(halt);
    let caps = caps.rewrite(rewrite).context(context).message(message);
    EventRow::new(native, kind, caps.log(LogCap::Suppresses))
        .subject(subject)
        .spelling(spelling)
}

/// What a later version may add: exit code 2 blocks it if it can be blocked.
#[rustfmt::skip]
pub(super) static UNKNOWN: EventRow =
    row("", None, &[], D::Perhaps, S::Exit2, Y::Silence, H::Cannot, R::Cannot, C::InReason, M::Unseen);

const NOTE: D = D::Notes("the model reads the reason");

/// Every event of client 0.225.2.
///
/// - `permissionDecision: ask` is logged and nothing else, so a question is a refusal.
/// - `decision: block` is read at `Stop` only; elsewhere exit code 2 refuses, or tells the model.
/// - Exit code 3 aborts the agent, which `continue: false` does in so many words.
/// - The replies of `SubagentStop`, `Notification` and `SessionEnd` are not read, whatever the
///   documentation says of the first.
/// - `systemMessage` is shown at `PostToolUse`; elsewhere the code has no reader for it.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 9] = [
    row("PreToolUse",       Some(&K::PreToolUse),       &["tool_name"], D::Prevents,   S::Permission, Y::Skips,   H::EndsTurn, R::Merges, C::InReason, M::Unseen),
    row("PostToolUse",      Some(&K::PostToolUse),      &["tool_name"], NOTE,          S::Exit2,      Y::Silence, H::EndsTurn, R::Cannot, C::Given,    M::Shown),
    row("UserPromptSubmit", Some(&K::UserPromptSubmit), &[],            D::Prevents,   S::Exit2,      Y::Silence, H::EndsTurn, R::Prompt, C::Given,    M::Unseen),
    row("Stop",             Some(&K::Stop),             &[],            D::KeepsGoing, S::Block,      Y::Silence, H::EndsTurn, R::Cannot, C::Cannot,   M::Unseen),
    row("PreCompact",       Some(&K::PreCompact),       &["trigger"],   D::Prevents,   S::Exit2,      Y::Silence, H::Cannot,   R::Cannot, C::Cannot,   M::Unseen),
    row("SessionStart",     Some(&K::SessionStart),     &["source"],    D::Cannot,     S::Usual,      Y::Silence, H::Cannot,   R::Cannot, C::Given,    M::Unseen),
    EventRow::new("SubagentStop", Some(&K::SubagentStop), EventCaps::UNREAD).subject(&["task_name"]),
    EventRow::new("Notification", Some(&K::Notification), EventCaps::UNREAD).subject(&["notification_type"]),
    EventRow::new("SessionEnd",   Some(&K::SessionEnd),   EventCaps::UNREAD).subject(&["reason"]),
];
