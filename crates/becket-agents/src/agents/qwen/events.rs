//! The events of Qwen Code and what a hook may do at each: the capability table.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.24.4
//! does, or its source where that was not run.

use becket_model::Event;

use crate::kin::events::{
    Cap, KinAllow as A, KinAsk as Q, KinContext as C, KinDeny as D, KinEventRow, KinHalt as H,
    KinMessage as M, KinRewrite as R, Note, Unit, row,
};

/// `permissionDecision: allow` is read after Qwen's own approval, and of several hooks the last one
/// to say a `permissionDecision` wins: an allow would only undo the refusal of another hook.
const NO_ALLOW: &str = "Qwen Code takes an approval only at PermissionRequest; its own rules have decided about this call.";

const EXPANSION: C = C::Capped(Cap {
    limit: 10_000,
    unit: Unit::Utf16,
    fate: "is cut off",
});

/// Context becomes instructions for the summary.
const SUMMARY: C = C::Capped(Cap {
    limit: 4_000,
    unit: Unit::Utf16,
    fate: "is cut off",
});

/// An event that can only be observed.
const fn seen(name: &'static str, subject: Option<&'static str>) -> KinEventRow {
    KinEventRow {
        subject,
        message: M::Unseen,
        ..KinEventRow::unread(name)
    }
}

/// The same, with context for the model.
const fn told(name: &'static str, subject: Option<&'static str>, context: C) -> KinEventRow {
    KinEventRow {
        context,
        ..seen(name, subject)
    }
}

/// Every event of client 0.24.4.
///
/// - `PreToolUse`: `updatedInput` and context are ignored, and `continue: false` refuses the one call.
/// - `PostToolUse`: `decision: block` does nothing; `continue: false` replaces the result.
/// - `Stop`, `SubagentStop`: `continue: false` makes the agent go on as a block does.
/// - `TodoCreated`, `TodoCompleted`: exactly `block` blocks; exit code 2 does not.
/// - `systemMessage` reaches a person at `Stop` only, and the log elsewhere.
#[rustfmt::skip]
pub(super) const EVENTS: [KinEventRow; 22] = [
    row("PreToolUse",          Some("tool_name"),    A::Lost(NO_ALLOW), Q::Native,     D::PermissionAndBlock, H::Cannot,  R::No,        C::Cannot,             M::Unseen),
    row("PermissionRequest",   Some("tool_name"),    A::Said,           Q::Dialog(""), D::Behavior,           H::Cannot,  R::WithAllow, C::Cannot,             M::Unseen),
    row("PermissionDenied",    Some("tool_name"),    A::Silent,         Q::Tell,       D::Moot,               H::Cannot,  R::No,        C::Cannot,             M::Unseen),
    row("PostToolUse",         Some("tool_name"),    A::Silent,         Q::Tell,       D::After(Note::Stop),  H::Cannot,  R::No,        C::GivenUnlessRefused, M::Unseen),
    told("PostToolUseFailure", Some("tool_name"),    C::Given),
    row("PostToolBatch",       None,                 A::Silent,         Q::Tell,       D::After(Note::Stop),  H::Cannot,  R::No,        C::Given,              M::Unseen),
    row("UserPromptSubmit",    None,                 A::Silent,         Q::Deny,       D::Block,              H::Deny,    R::No,        C::Given,              M::Unseen),
    row("UserPromptExpansion", Some("command_name"), A::Silent,         Q::Deny,       D::Block,              H::Deny,    R::No,        EXPANSION,             M::Unseen),
    told("SessionStart",       Some("source"),       C::Given),
    seen("SessionEnd",         Some("reason")),
    seen("SessionDelete",      None),
    row("Stop",                None,                 A::Silent,         Q::Tell,       D::KeepGoing,          H::Silence, R::No,        C::Cannot,             M::Shown),
    row("SubagentStop",        Some("agent_type"),   A::Silent,         Q::Tell,       D::KeepGoing,          H::Silence, R::No,        C::Cannot,             M::Unseen),
    KinEventRow { subject: Some("error"), ..KinEventRow::unread("StopFailure") },
    seen("MessageDisplay",     None),
    told("SubagentStart",      Some("agent_type"),   C::Given),
    told("PreCompact",         Some("trigger"),      SUMMARY),
    seen("PostCompact",        Some("trigger")),
    seen("Notification",       Some("notification_type")),
    KinEventRow { kind: "TaskCreated",   ..todo("TodoCreated") },
    KinEventRow { kind: "TaskCompleted", ..todo("TodoCompleted") },
    seen("InstructionsLoaded", Some("load_reason")),
];

const fn todo(name: &'static str) -> KinEventRow {
    row(
        name,
        None,
        A::Silent,
        Q::Deny,
        D::Block,
        H::Cannot,
        R::No,
        C::Cannot,
        M::Unseen,
    )
}

/// The phase of a todo event in which the list is written already.
pub(super) const WRITTEN: &str = "postWrite";

const WRITTEN_TODOS: [KinEventRow; 2] = [seen("TodoCreated", None), seen("TodoCompleted", None)];

/// A todo that is written can no more be refused.
pub(super) fn exception(event: &Event) -> Option<&'static KinEventRow> {
    let written = event.raw.get("phase").is_some_and(|phase| phase == WRITTEN);
    let row = WRITTEN_TODOS
        .iter()
        .find(|row| row.name == event.native_name);
    row.filter(|_| written)
}
