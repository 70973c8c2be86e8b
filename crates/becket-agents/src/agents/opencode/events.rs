//! OpenCode's plugin hooks and bus events and what the plugin can do at each: the capability table.
//!
//! Data only. An event that is not in the table is kept as it is, and has no capabilities.

use becket_model::{Event, EventData, EventKind as K};

use crate::protocol::capability::{AllowCap as Y, AskCap as A, DenyCap as D, HaltCap as H};
use crate::protocol::plugin::{AFTER_TOOL, BEFORE_TOOL, GIVEN, IDLE, OBSERVED, PROMPT, STOPPED};
use crate::protocol::{EventCaps, EventRow};

/// The plugin does not wait for a reply.
const UNREAD: EventCaps = EventCaps::UNREAD;

/// The hook runs before OpenCode's own prompt, which a plugin cannot open.
const CALL: EventCaps = BEFORE_TOOL.allow(Y::Cannot);

/// The plugin answers OpenCode's prompt; a rejection ends the turn unless the person has set OpenCode to go on.
const PERMISSION: EventCaps = OBSERVED
    .deny(D::Prevents)
    .ask(A::Dialog(""))
    .allow(Y::Skips)
    .halt(H::WithDeny);

pub(super) const TOOL_BEFORE: &str = "tool.execute.before";
pub(super) const PERMISSION_ASKED: &str = "permission.asked";
pub(super) const SESSION_IDLE: &str = "session.idle";

pub(super) static UNKNOWN: EventRow = EventRow::unknown(UNREAD);

/// The hooks and events with a meaning here. `session.resumed` is the plugin's own: OpenCode has no event for an
/// earlier session that is resumed.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 17] = [
    EventRow::new(TOOL_BEFORE,                            Some(&K::PreToolUse),        CALL),
    EventRow::new("tool.execute.after",              Some(&K::PostToolUse),       AFTER_TOOL),
    EventRow::new("chat.message",                    Some(&K::UserPromptSubmit),  PROMPT),
    EventRow::new(PERMISSION_ASKED,                             Some(&K::PermissionRequest), PERMISSION),
    EventRow::new("permission.replied",              Some(&K::PermissionDenied),  OBSERVED),
    EventRow::new("session.created",                 Some(&K::SessionStart),      GIVEN),
    EventRow::new("session.resumed",                 None,                        GIVEN),
    EventRow::new(SESSION_IDLE,                             Some(&K::Stop),              IDLE),
    EventRow::new("session.deleted",                 Some(&K::SessionEnd),        OBSERVED),
    EventRow::new("dispose",                         None,                        UNREAD),
    EventRow::new("session.error",                   Some(&K::SessionError),      OBSERVED),
    EventRow::new("session.compacted",               Some(&K::PostCompact),       OBSERVED),
    EventRow::new("experimental.session.compacting", Some(&K::PreCompact),        GIVEN),
    EventRow::new("experimental.text.complete",      Some(&K::AgentResponse),     UNREAD),
    EventRow::new("message.part.updated",            None,                        OBSERVED),
    EventRow::new("file.edited",                     Some(&K::FileModified),      OBSERVED),
    EventRow::new("config",                          Some(&K::Setup),             UNREAD),
];

static ABORTED: EventRow = EventRow::new(SESSION_IDLE, None, STOPPED);

/// A subagent has handed over its result by the time it is idle.
static SUBAGENT_IDLE: EventRow = EventRow::new(
    SESSION_IDLE,
    None,
    STOPPED.halt(H::StopsBut(
        "OpenCode ends the subagent, not the turn that it works for.",
    )),
);

/// The row of an event whose payload makes it an exception.
pub(super) fn exception(event: &Event) -> Option<&'static EventRow> {
    match &event.data {
        EventData::SubagentStop { .. } => Some(&SUBAGENT_IDLE),
        EventData::Other { .. } if event.native_name == SESSION_IDLE => Some(&ABORTED),
        _ => None,
    }
}
