//! The 15 events of Copilot and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 1.0.102 does. Exit
//! code 2 is of no use: it loses the reason, and blocks no prompt.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
    RewriteCap as R,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

/// Output is not read.
const IGNORED: EventCaps = EventCaps::UNREAD;

/// A message is a line that is not parsed as a reply.
const OBSERVED: EventCaps = EventCaps::UNREAD.message(M::ShownAlone);

const PRE_TOOL: EventCaps = OBSERVED
    .deny(D::Prevents)
    .ask(A::Native)
    .allow(Y::Skips)
    .rewrite(R::Replaces)
    .context(C::Given);

/// Copilot is about to ask; `interrupt` ends the turn.
const PERMISSION: EventCaps = OBSERVED
    .deny(D::Prevents)
    .ask(A::Dialog(""))
    .allow(Y::Skips)
    .halt(H::EndsTurn);

/// A denied prompt reaches no model, which ends the turn.
const PROMPT: EventCaps = OBSERVED
    .deny(D::Prevents)
    .halt(H::WithDeny)
    .context(C::GivenUnlessDenied);

const POST_TOOL: EventCaps = OBSERVED.deny(D::ReplacesResult).context(C::GivenOrInReason);

const GIVEN: EventCaps = OBSERVED.context(C::Given);

/// Copilot lets a hook keep it going 8 times in a row.
const STOP: EventCaps = OBSERVED
    .deny(D::KeepsGoing)
    .halt(H::Stops)
    .context(C::InReason);

/// The reason goes to the subagent, which Copilot keeps going without a limit if asked to.
const SUBAGENT_STOP: EventCaps = STOP.halt(H::StopsBut(
    "Copilot ends the subagent, not the turn that it works for.",
));

const NOTIFICATION: EventCaps = OBSERVED.context(C::GivenBut(
    "Copilot may wake a resting session for context at notification.",
));

/// What a later version may add.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(OBSERVED.deny(D::Perhaps).context(C::InReason))
        .spelling(S::PermissionAndBlock);

/// An event with the name that asks for a payload in Claude's shape.
const fn row(
    native: &'static str,
    pascal: &'static [&'static str],
    kind: Option<&'static K>,
    caps: EventCaps,
) -> EventRow {
    EventRow::new(native, kind, caps).aliases(pascal)
}

/// Every event of client 1.0.102.
///
/// `preMcpToolCall` fires together with `preToolUse` for the same call and can only change what is sent along
/// with it; the gate is `preToolUse`.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 15] = [
    row("preToolUse",            &["PreToolUse"],         Some(&K::PreToolUse),         PRE_TOOL).spelling(S::Permission),
    row("permissionRequest",     &["PermissionRequest"],  Some(&K::PermissionRequest),  PERMISSION).spelling(S::Behavior),
    row("postToolUse",           &["PostToolUse"],        Some(&K::PostToolUse),        POST_TOOL),
    row("postToolUseFailure",    &["PostToolUseFailure"], Some(&K::PostToolUseFailure), GIVEN),
    row("userPromptSubmitted",   &["UserPromptSubmit"],   Some(&K::UserPromptSubmit),   PROMPT),
    row("userPromptTransformed", &[],                     None,                         OBSERVED),
    row("preMcpToolCall",        &["PreMcpToolCall"],     None,                         OBSERVED),
    row("agentStop",             &["Stop"],               Some(&K::Stop),               STOP),
    row("subagentStart",         &["SubagentStart"],      Some(&K::SubagentStart),      GIVEN),
    row("subagentStop",          &["SubagentStop"],       Some(&K::SubagentStop),       SUBAGENT_STOP),
    row("sessionStart",          &["SessionStart"],       Some(&K::SessionStart),       GIVEN),
    row("sessionEnd",            &["SessionEnd"],         Some(&K::SessionEnd),         IGNORED),
    row("preCompact",            &["PreCompact"],         Some(&K::PreCompact),         IGNORED),
    row("errorOccurred",         &["ErrorOccurred"],      Some(&K::SessionError),       IGNORED),
    row("notification",          &["Notification"],       Some(&K::Notification),       NOTIFICATION),
];
