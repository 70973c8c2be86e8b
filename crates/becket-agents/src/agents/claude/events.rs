//! The 33 events of Claude Code and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 2.1.325 does.

use becket_model::{Event, EventKind as K};

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, LogCap,
    MessageCap as M, OutputCap, RewriteCap as R,
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
    // Plain text on stdout leaves no place for `suppressOutput`.
    let log = match (message, spelling) {
        (M::Cannot, _) | (_, S::Plain) => LogCap::Cannot,
        _ => LogCap::Suppresses,
    };
    let caps = EventCaps::UNREAD
        .deny(deny)
        .ask(ask)
        .allow(allow)
        .halt(halt);
    let caps = caps.rewrite(rewrite).context(context).message(message);
    EventRow::new(native, kind, caps.log(log))
        .subject(subject)
        .spelling(spelling)
}

/// What a later version may add. Of an event that is not known, only what is common to all is: exit
/// code 2 blocks it if it can be blocked, and `systemMessage` is shown.
#[rustfmt::skip]
pub(super) static UNKNOWN: EventRow =
    row("", None, &[], D::Perhaps, S::Exit2, A::Cannot, Y::Silence, H::Cannot, R::Cannot, C::InReason, M::ShownUnlessDenied);

/// `ConfigChange` when the organisation's policy changed, which no hook can hold up.
#[rustfmt::skip]
static POLICY_CHANGE: EventRow =
    row("ConfigChange", None, &["source"], D::Cannot, S::Usual, A::Cannot, Y::Silence, H::Cannot, R::Cannot, C::Cannot, M::Unseen);

/// After the fact: `decision: block` adds a note for the model.
const NOTE: D = D::Notes("the model reads the reason");
const BATCH: D = D::Notes("the agent is stopped before its next step");

/// Exit code 2 would have Claude ignore `continue: false`.
const TEAMMATE: H =
    H::EndsTurnBut("At TaskCompleted Claude Code ends only the turn of a teammate that goes idle.");

const STOP: C =
    C::GivenBut("Claude Code goes on with its turn to read context that it is given at Stop.");
const SUBAGENT_STOP: C = C::GivenBut(
    "Claude Code goes on with its turn to read context that it is given at SubagentStop.",
);

/// Every event of client 2.1.325.
///
/// `StopFailure`, `InstructionsLoaded` and `WorktreeRemove` have their output ignored. Stdout is the
/// path at `WorktreeCreate`, instructions for the summary at `PreCompact` (JSON included, unless it
/// blocks) and shown as it is at `PostCompact`. `continue: false` is ignored where the table says
/// `Cannot`; at `UserPromptSubmit` it would end the turn but keep the prompt that a block erases.
/// At `Notification` Claude accepts context and passes it to no model. At `PermissionDenied` an approval lets the model try the call once more.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 33] = [
    row("PreToolUse",          Some(&K::PreToolUse),         &["tool_name"],         D::Prevents,   S::Permission,   A::Native,     Y::Skips,   H::EndsTurn, R::Replaces,  C::Given,             M::Shown),
    row("PermissionRequest",   Some(&K::PermissionRequest),  &["tool_name"],         D::Prevents,   S::Behavior,     A::Dialog(""), Y::Skips,   H::WithDeny, R::WithAllow, C::InReason,          M::Unseen),
    row("PermissionDenied",    Some(&K::PermissionDenied),   &["tool_name"],         D::Done,       S::Retry,        A::Cannot,     Y::Skips,   H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    replaces_output(
    row("PostToolUse",         Some(&K::PostToolUse),        &["tool_name"],         NOTE,          S::Block,        A::Cannot,     Y::Silence, H::EndsTurn, R::Cannot,    C::Given,             M::Shown)),
    row("PostToolUseFailure",  Some(&K::PostToolUseFailure), &["tool_name"],         D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,             M::Shown),
    row("PostToolBatch",       None,                         &[],                    BATCH,         S::Block,        A::Cannot,     Y::Silence, H::EndsTurn, R::Cannot,    C::Given,             M::Shown),
    row("UserPromptSubmit",    Some(&K::UserPromptSubmit),   &[],                    D::Prevents,   S::Block,        A::Cannot,     Y::Silence, H::WithDeny, R::Cannot,    C::Given,             M::Shown),
    row("UserPromptExpansion", None,                         &["command_name"],      D::Prevents,   S::Block,        A::Cannot,     Y::Silence, H::WithDeny, R::Cannot,    C::Given,             M::Shown),
    row("SessionStart",        Some(&K::SessionStart),       &["source"],            D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,             M::Shown),
    row("Setup",               Some(&K::Setup),              &["trigger"],           D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,             M::Shown),
    row("SessionEnd",          Some(&K::SessionEnd),         &["reason"],            D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    row("Stop",                Some(&K::Stop),               &[],                    D::KeepsGoing, S::Block,        A::Cannot,     Y::Silence, H::EndsTurn, R::Cannot,    STOP,                 M::Shown),
    row("StopFailure",         Some(&K::StopFailure),        &["error"],             D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Cannot),
    row("SubagentStart",       Some(&K::SubagentStart),      &["agent_type"],        D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,             M::Shown),
    row("SubagentStop",        Some(&K::SubagentStop),       &["agent_type"],        D::KeepsGoing, S::Block,        A::Cannot,     Y::Silence, H::EndsTurn, R::Cannot,    SUBAGENT_STOP,        M::Shown),
    row("PreCompact",          Some(&K::PreCompact),         &["trigger"],           D::Prevents,   S::BlockOrPlain, A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::GivenUnlessDenied, M::Cannot),
    row("PostCompact",         Some(&K::PostCompact),        &["trigger"],           D::Cannot,     S::Plain,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
    row("PreModelSwitch",      None,                         &["to_model"],          D::Prevents,   S::Permission,   A::Native,     Y::Skips,   H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
    row("PostModelSwitch",     None,                         &["to_model"],          D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,             M::Shown),
    row("Notification",        Some(&K::Notification),       &["notification_type"], D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    row("TeammateIdle",        None,                         &[],                    D::KeepsGoing, S::Exit2,        A::Cannot,     Y::Silence, H::EndsTurn, R::Cannot,    C::Cannot,            M::ShownUnlessDenied),
    row("TaskCreated",         Some(&K::TaskCreated),        &[],                    D::Prevents,   S::Exit2,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::InReason,          M::Unseen),
    row("TaskCompleted",       Some(&K::TaskCompleted),      &[],                    D::Prevents,   S::Exit2OrBlock, A::Cannot,     Y::Silence, TEAMMATE,    R::Cannot,    C::InReason,          M::Unseen),
    row("Elicitation",         None,                         &["mcp_server_name"],   D::Prevents,   S::Decline,      A::Dialog(""), Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    row("ElicitationResult",   None,                         &["mcp_server_name"],   D::Prevents,   S::Decline,      A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    row("ConfigChange",        None,                         &["source"],            D::Prevents,   S::Block,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Unseen),
    row("InstructionsLoaded",  None,                         &["load_reason"],       D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Cannot),
    row("WorktreeCreate",      None,                         &[],                    D::Prevents,   S::Exit2,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::InReason,          M::Cannot),
    row("WorktreeRemove",      None,                         &[],                    D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Cannot),
    row("CwdChanged",          None,                         &[],                    D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
    row("FileChanged",         None,                         &["file_path"],         D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
    row("DirectoryAdded",      None,                         &["source"],            D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
    row("MessageDisplay",      None,                         &[],                    D::Cannot,     S::Usual,        A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,            M::Shown),
];

const fn replaces_output(row: EventRow) -> EventRow {
    let caps = row.caps.output(OutputCap::InShapeOf("tool_response"));
    EventRow { caps, ..row }
}

/// The row of an event whose payload makes it an exception.
pub(super) fn exception(event: &Event) -> Option<&'static EventRow> {
    let policy =
        event.native_name == POLICY_CHANGE.native && event.subject() == Some("policy_settings");
    policy.then_some(&POLICY_CHANGE)
}
