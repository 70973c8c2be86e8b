//! The events of Factory Droid and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows the code of client
//! 0.225.2.

use crate::kin::events::{
    KinAllow as A, KinAsk as Q, KinContext as C, KinDeny as D, KinEventRow, KinHalt as H,
    KinMessage as M, KinRewrite as R, Note, row,
};

/// Every event of client 0.225.2.
///
/// - `permissionDecision: ask` is logged and nothing else, so a question is a refusal.
/// - `decision: block` is read at `Stop` only; elsewhere exit code 2 refuses, or tells the model.
/// - Exit code 3 aborts the agent, which `continue: false` does in so many words.
/// - The replies of `SubagentStop`, `Notification` and `SessionEnd` are not read, whatever the
///   documentation says of the first.
/// - `systemMessage` is shown at `PostToolUse`; elsewhere the code has no reader for it.
#[rustfmt::skip]
pub(super) const EVENTS: [KinEventRow; 9] = [
    row("PreToolUse",       Some("tool_name"), A::Said,   Q::Deny, D::Permission,         H::StopAndDeny, R::Merged, C::Cannot, M::Unseen),
    row("PostToolUse",      Some("tool_name"), A::Silent, Q::Tell, D::After(Note::Exit2), H::Stop,        R::No,     C::Given,  M::Shown),
    row("UserPromptSubmit", None,              A::Silent, Q::Deny, D::Exit2,              H::Stop,        R::Prompt, C::Given,  M::Unseen),
    row("Stop",             None,              A::Silent, Q::Tell, D::KeepGoing,          H::Stop,        R::No,     C::Cannot, M::Unseen),
    row("PreCompact",       Some("trigger"),   A::Silent, Q::Deny, D::Exit2,              H::Cannot,      R::No,     C::Cannot, M::Unseen),
    row("SessionStart",     Some("source"),    A::Silent, Q::Tell, D::Tell,               H::Cannot,      R::No,     C::Given,  M::Unseen),
    KinEventRow { subject: Some("task_name"),         ..KinEventRow::unread("SubagentStop") },
    KinEventRow { subject: Some("notification_type"), ..KinEventRow::unread("Notification") },
    KinEventRow { subject: Some("reason"),            ..KinEventRow::unread("SessionEnd") },
];
