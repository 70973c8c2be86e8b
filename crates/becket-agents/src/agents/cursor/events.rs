//! The 21 events of Cursor and what a hook may do at each: the capability table.
//!
//! Data only. Where Cursor's documentation and its code differ, the row follows the code.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
    RewriteCap as R,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

const UNREAD: EventCaps = EventCaps::UNREAD;

/// An event that asks for permission.
const CALL: EventCaps = UNREAD
    .deny(D::Prevents)
    .allow(Y::Skips)
    .context(C::InReason)
    .message(M::ShownIfDenied);

const PROMPT: EventCaps = UNREAD
    .deny(D::PreventsBut(
        "Local runs of Cursor's SDK send the prompt regardless.",
    ))
    .halt(H::WithDeny)
    .context(C::Given)
    .message(M::ShownIfDenied);

const START: EventCaps = PROMPT.deny(D::PreventsBut(
    "Cursor's editor starts the session regardless.",
));

/// The turn goes on when a subagent stops.
const SUBAGENT_STOP: EventCaps = UNREAD.deny(D::KeepsGoing).context(C::Given);

/// What a later version may add: exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(UNREAD.deny(D::Perhaps).context(C::InReason)).spelling(S::Exit2);

const fn call(native: &'static str, kind: &'static K, caps: EventCaps) -> EventRow {
    EventRow::new(native, Some(kind), caps).spelling(S::Permission)
}

/// Every event of SDK 1.0.32 and of the editor of the same time. At most events the person sees a message only
/// together with a denial. Hooks that are named only `PreToolUse` get the first row. `beforeReadFile` reports a
/// call again that `preToolUse` reports, but an unread payload must not let it happen.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 21] = [
    call("preToolUse",           &K::PreToolUse,    CALL.rewrite(R::Replaces).context(C::Given)),
    call("beforeShellExecution", &K::PreToolUse,    CALL.ask(A::Native).message(M::Shown)),
    call("beforeMCPExecution",   &K::PreToolUse,    CALL.message(M::Shown)),
    call("beforeReadFile",       &K::PreToolUse,    CALL),
    call("beforeTabFileRead",    &K::PreToolUse,    CALL.context(C::Cannot).message(M::Cannot)),
    call("subagentStart",        &K::SubagentStart, CALL.context(C::Given)),
    EventRow::new("beforeSubmitPrompt",  Some(&K::UserPromptSubmit),   PROMPT).spelling(S::Continue),
    EventRow::new("sessionStart",        Some(&K::SessionStart),       START).spelling(S::Continue),
    EventRow::new("stop",                Some(&K::Stop),               UNREAD.deny(D::KeepsGoing).halt(H::Stops)),
    EventRow::new("subagentStop",        Some(&K::SubagentStop),       SUBAGENT_STOP),
    EventRow::new("postToolUse",         Some(&K::PostToolUse),        UNREAD.context(C::Given)),
    EventRow::new("postToolUseFailure",  Some(&K::PostToolUseFailure), UNREAD.context(C::Given)),
    EventRow::new("preCompact",          Some(&K::PreCompact),         UNREAD.message(M::Shown)),
    EventRow::new("afterFileEdit",       Some(&K::FileModified),       UNREAD),
    EventRow::new("afterTabFileEdit",    Some(&K::FileModified),       UNREAD),
    EventRow::new("afterShellExecution", None,                         UNREAD),
    EventRow::new("afterMCPExecution",   None,                         UNREAD),
    EventRow::new("afterAgentResponse",  Some(&K::AgentResponse),      UNREAD),
    EventRow::new("afterAgentThought",   Some(&K::AgentThought),       UNREAD),
    EventRow::new("sessionEnd",          Some(&K::SessionEnd),         UNREAD),
    EventRow::new("workspaceOpen",       Some(&K::Setup),              UNREAD),
];
