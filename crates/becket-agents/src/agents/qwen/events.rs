//! The events of Qwen Code and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.24.4
//! does, or its source where that was not run.

use becket_model::{Event, EventKind as K};

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, LogCap,
    MessageCap as M, RewriteCap as R, TextExcess, TextLimit, TextUnit,
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
    EventRow::new(native, kind, caps.log(LogCap::Suppresses))
        .subject(subject)
        .spelling(spelling)
}

/// What a later version may add: exit code 2 blocks it if it can be blocked.
#[rustfmt::skip]
pub(super) static UNKNOWN: EventRow =
    row("", None, &[], D::Perhaps, S::Exit2, A::Cannot, Y::Silence, H::Cannot, R::Cannot, C::InReason, M::Unseen);

const fn characters(max: usize) -> TextLimit {
    TextLimit {
        max,
        unit: TextUnit::Utf16,
        excess: TextExcess::Agent("cuts off", ""),
    }
}

const fn limited(row: EventRow, limit: TextLimit) -> EventRow {
    let caps = row.caps.context_limit(limit);
    EventRow { caps, ..row }
}

/// An event that can only be observed.
const SEEN: EventCaps = EventCaps::UNREAD.message(M::Unseen).log(LogCap::Suppresses);

/// The same, with context for the model.
const TOLD: EventCaps = SEEN.context(C::Given);

const fn seen(
    native: &'static str,
    kind: Option<&'static K>,
    subject: &'static [&'static str],
    caps: EventCaps,
) -> EventRow {
    EventRow::new(native, kind, caps).subject(subject)
}

const BATCH: D = D::Notes("the model reads the reason");

/// Every event of client 0.24.4.
///
/// - `PreToolUse`: `updatedInput` and context are ignored, and `continue: false` refuses the one call.
///   `permissionDecision: allow` is read after Qwen's own approval, and of several hooks the last one to
///   say a `permissionDecision` wins: an allow would only undo the refusal of another hook.
/// - `PostToolUse`: `decision: block` does nothing; `continue: false` replaces the result.
/// - `Stop`, `SubagentStop`: `continue: false` makes the agent go on as a block does.
/// - `PreCompact`: context becomes instructions for the summary.
/// - `TodoCreated`, `TodoCompleted`: exactly `block` blocks; exit code 2 does not.
/// - `systemMessage` reaches a person at `Stop` only, and the log elsewhere.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 22] = [
    row("PreToolUse",          Some(&K::PreToolUse),        &["tool_name"],    D::Prevents,       S::PermissionAndBlock, A::Native,     Y::Cannot,  H::Cannot,   R::Cannot,    C::InReason,        M::Unseen),
    row("PermissionRequest",   Some(&K::PermissionRequest), &["tool_name"],    D::Prevents,       S::Behavior,           A::Dialog(""), Y::Skips,   H::Cannot,   R::WithAllow, C::InReason,        M::Unseen),
    row("PermissionDenied",    Some(&K::PermissionDenied),  &["tool_name"],    D::Done,           S::Usual,              A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,          M::Unseen),
    row("PostToolUse",         Some(&K::PostToolUse),       &["tool_name"],    D::ReplacesResult, S::Continue,           A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::GivenOrInReason, M::Unseen),
    seen("PostToolUseFailure", Some(&K::PostToolUseFailure), &["tool_name"], TOLD),
    row("PostToolBatch",       None,                        &[],               BATCH,             S::Continue,           A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Given,           M::Unseen),
    row("UserPromptSubmit",    Some(&K::UserPromptSubmit),  &[],               D::Prevents,       S::Block,              A::Cannot,     Y::Silence, H::WithDeny, R::Cannot,    C::Given,           M::Unseen),
    limited(
    row("UserPromptExpansion", None,                        &["command_name"], D::Prevents,       S::Block,              A::Cannot,     Y::Silence, H::WithDeny, R::Cannot,    C::Given,           M::Unseen), characters(10_000)),
    seen("SessionStart",       Some(&K::SessionStart),      &["source"], TOLD),
    seen("SessionEnd",         Some(&K::SessionEnd),        &["reason"], SEEN),
    seen("SessionDelete",      None,                        &[], SEEN),
    row("Stop",                Some(&K::Stop),              &[],               D::KeepsGoing,     S::Block,              A::Cannot,     Y::Silence, H::Stops,    R::Cannot,    C::Cannot,          M::Shown),
    row("SubagentStop",        Some(&K::SubagentStop),      &["agent_type"],   D::KeepsGoing,     S::Block,              A::Cannot,     Y::Silence, H::Stops,    R::Cannot,    C::Cannot,          M::Unseen),
    seen("StopFailure",        Some(&K::StopFailure),       &["error"], EventCaps::UNREAD),
    seen("MessageDisplay",     Some(&K::AgentResponse),     &[], SEEN),
    seen("SubagentStart",      Some(&K::SubagentStart),     &["agent_type"], TOLD),
    limited(
    seen("PreCompact",         Some(&K::PreCompact),        &["trigger"], TOLD), characters(4_000)),
    seen("PostCompact",        Some(&K::PostCompact),       &["trigger"], SEEN),
    seen("Notification",       Some(&K::Notification),      &["notification_type"], SEEN),
    row("TodoCreated",         Some(&K::TaskCreated),       &[],               D::Prevents,       S::Block,              A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,          M::Unseen),
    row("TodoCompleted",       Some(&K::TaskCompleted),     &[],               D::Prevents,       S::Block,              A::Cannot,     Y::Silence, H::Cannot,   R::Cannot,    C::Cannot,          M::Unseen),
    seen("InstructionsLoaded", None,                        &["load_reason"], SEEN),
];

/// The phase of a todo event in which the list is written already.
pub(super) const WRITTEN: &str = "postWrite";

static WRITTEN_TODOS: [EventRow; 2] = [
    seen("TodoCreated", None, &[], SEEN),
    seen("TodoCompleted", None, &[], SEEN),
];

/// A todo that is written can no more be refused.
pub(super) fn exception(event: &Event) -> Option<&'static EventRow> {
    let written = event.raw.get("phase").is_some_and(|phase| phase == WRITTEN);
    let row = WRITTEN_TODOS
        .iter()
        .find(|row| row.native == event.native_name);
    row.filter(|_| written)
}
