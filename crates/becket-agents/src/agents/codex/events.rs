//! The events of Codex CLI and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.166.0
//! does. `notify` is in the table so that an event that came that way has an answer: none.

use crate::kin::events::{
    Cap, KinAllow as A, KinAsk as Q, KinContext as C, KinDeny as D, KinEventRow, KinHalt as H,
    KinMessage as M, KinRewrite as R, Note, Unit, row,
};

/// 2,500 tokens, which Codex takes to be four bytes each.
const SPILLED: C = C::Capped(Cap {
    limit: 10_000,
    unit: Unit::Bytes,
    fate: "is put in a file, and the model sees both ends of it,",
});

/// A bare `permissionDecision: allow` fails the hook, so it is not said.
const NO_ALLOW: &str =
    "Codex takes an approval only at PermissionRequest; its own rules decide about this call.";

/// The tools of which Codex hides all but one key, and takes back no other.
const COMMANDS: &[(&str, &str)] = &[("Bash", "command"), ("ApplyPatch", "command")];

/// `continue: false` is the only means here.
const START: D = D::Stop("can only end the turn at SessionStart; the next prompt is not held up");
const COMPACT: D = D::Stop("can only refuse a compaction by ending the turn");

/// The person may have left the answer to Codex's own reviewer.
const DIALOG: Q = Q::Dialog(" or lets its reviewer answer");

/// Every event of client 0.166.0, the two that are not documented included.
///
/// `continue: false`, `stopReason` and `suppressOutput` void a reply to a tool event; at
/// `PostToolUse` the first two are taken, but the turn goes on. A key that a row does not ask for is
/// never written: an unknown one voids the reply as well. Nothing is read after `SessionEnd`, the
/// model events and `notify`.
#[rustfmt::skip]
pub(super) const EVENTS: [KinEventRow; 15] = [
    row("PreToolUse",        Some("tool_name"),  A::Lost(NO_ALLOW), Q::Deny, D::Permission,           H::Cannot, R::AllowWord(COMMANDS), SPILLED,   M::Shown),
    row("PermissionRequest", Some("tool_name"),  A::Said,           DIALOG,  D::Behavior,             H::Cannot, R::No,                  C::Cannot, M::Shown),
    row("PostToolUse",       Some("tool_name"),  A::Silent,         Q::Tell, D::After(Note::Block),   H::Cannot, R::No,                  SPILLED,   M::Shown),
    row("UserPromptSubmit",  None,               A::Silent,         Q::Deny, D::Block,                H::Deny,   R::No,                  SPILLED,   M::Shown),
    row("SessionStart",      Some("source"),     A::Silent,         Q::Deny, START,                   H::Deny,   R::No,                  SPILLED,   M::Shown),
    row("SubagentStart",     Some("agent_type"), A::Silent,         Q::Tell, D::Tell,                 H::Cannot, R::No,                  SPILLED,   M::Shown),
    row("Stop",              None,               A::Silent,         Q::Tell, D::KeepGoing,            H::Stop,   R::No,                  C::Cannot, M::Shown),
    row("SubagentStop",      Some("agent_type"), A::Silent,         Q::Tell, D::KeepGoing,            H::Stop,   R::No,                  C::Cannot, M::Shown),
    row("PreCompact",        Some("trigger"),    A::Silent,         Q::Deny, COMPACT,                 H::Deny,   R::No,                  C::Cannot, M::Shown),
    row("PostCompact",       Some("trigger"),    A::Silent,         Q::Tell, D::Tell,                 H::Stop,   R::No,                  C::Cannot, M::Shown),
    row("Interrupt",         None,               A::Silent,         Q::Tell, D::Tell,                 H::Cannot, R::No,                  C::Cannot, M::Shown),
    row("SessionEnd",        Some("reason"),     A::Silent,         Q::Tell, D::Tell,                 H::Cannot, R::No,                  C::Cannot, M::Cannot),
    KinEventRow::unread("PreModelRequest"),
    KinEventRow::unread("PostModelRequest"),
    KinEventRow { kind: "Stop", ..KinEventRow::unread(super::notify::TURN_COMPLETE) },
];
