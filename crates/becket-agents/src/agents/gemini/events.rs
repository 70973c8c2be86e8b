//! The 11 events of Gemini CLI and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.61.0 does.

use becket_model::{Event, EventKind as K};

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
    RewriteCap as R,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

const OBSERVED: EventCaps = EventCaps::UNREAD.message(M::Shown);

/// `ask` turns even a call that Gemini's own policy denies into a question. `allow` skips nothing.
const BEFORE_TOOL: EventCaps = OBSERVED
    .deny(D::Prevents)
    .ask(A::Native)
    .allow(Y::Cannot)
    .halt(H::EndsTurn)
    .rewrite(R::Replaces);

const AFTER_TOOL: EventCaps = OBSERVED
    .deny(D::ReplacesResult)
    .halt(H::EndsTurn)
    .context(C::GivenOrInReason);

/// A denial discards the prompt and ends the turn; `continue: false` would end it but keep the prompt in the
/// history.
const BEFORE_AGENT: EventCaps = OBSERVED
    .deny(D::Prevents)
    .halt(H::WithDeny)
    .context(C::GivenUnlessDenied);

/// The reason is the next prompt, so that is where context can go.
const AFTER_AGENT: EventCaps = OBSERVED
    .deny(D::KeepsGoing)
    .halt(H::EndsTurn)
    .context(C::InReason);

const BEFORE_MODEL: EventCaps = OBSERVED.deny(D::Prevents).halt(H::EndsTurn);

const AFTER_MODEL: EventCaps = OBSERVED
    .deny(D::Notes("the response is not used"))
    .halt(H::EndsTurn);

/// Whatever object a hook prints here, even an empty one, replaces the tool configuration, so only a denial is
/// written: no tool may be called in this request.
const BEFORE_TOOL_SELECTION: EventCaps = EventCaps::UNREAD.deny(D::Prevents);

/// What a later version may add: `decision: deny` is what blocks wherever something can be blocked.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(OBSERVED.deny(D::Perhaps).context(C::InReason));

/// Every event of client 0.61.0.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 11] = [
    EventRow::new("BeforeTool",          Some(&K::PreToolUse),       BEFORE_TOOL),
    EventRow::new("AfterTool",           Some(&K::PostToolUse),      AFTER_TOOL),
    EventRow::new("BeforeAgent",         Some(&K::UserPromptSubmit), BEFORE_AGENT),
    EventRow::new("AfterAgent",          Some(&K::Stop),             AFTER_AGENT),
    EventRow::new("BeforeModel",         Some(&K::PreModelRequest),  BEFORE_MODEL),
    EventRow::new("AfterModel",          Some(&K::PostModelRequest), AFTER_MODEL),
    EventRow::new("BeforeToolSelection", None,                       BEFORE_TOOL_SELECTION).spelling(S::NoTools),
    EventRow::new("SessionStart",        Some(&K::SessionStart),     OBSERVED.context(C::Given)),
    EventRow::new("SessionEnd",          Some(&K::SessionEnd),       OBSERVED),
    EventRow::new("Notification",        Some(&K::Notification),     OBSERVED),
    EventRow::new("PreCompress",         Some(&K::PreCompact),       OBSERVED),
];

/// After `/clear` the client drops the context.
static SESSION_CLEARED: EventRow = EventRow::new("SessionStart", None, OBSERVED);

/// The row of an event whose payload makes it an exception.
pub(super) fn exception(event: &Event) -> Option<&'static EventRow> {
    let cleared = event.native_name == "SessionStart" && event.subject() == Some("clear");
    cleared.then_some(&SESSION_CLEARED)
}

/// Whether no other agent has an event with this name.
pub(super) fn is_unique(name: &str) -> bool {
    let shared = ["SessionStart", "SessionEnd", "Notification"];
    EVENTS.iter().any(|row| row.native == name) && !shared.contains(&name)
}
