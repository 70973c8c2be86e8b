//! Amp's plugin events and what the plugin can do at each: the capability table.
//!
//! Data only. An event that is not in the table is kept as it is, and has no capabilities.

use becket_model::{Event, EventData, EventKind as K};

use crate::protocol::capability::AskCap as A;
use crate::protocol::plugin::{AFTER_TOOL, BEFORE_TOOL, GIVEN, IDLE, PROMPT, STOPPED};
use crate::protocol::{EventCaps, EventRow};

pub(super) const TOOL_CALL: &str = "tool.call";
pub(super) const AGENT_END: &str = "agent.end";

pub(super) static UNKNOWN: EventRow = EventRow::unknown(EventCaps::UNREAD);

/// Every event of client 0.0.1790142911, and `dispose`, which the plugin sends for each thread when Amp ends it.
///
/// The plugin asks in a dialog, and keeps the context of `session.start` for the first prompt. Amp lets a hook
/// keep it going 5 times in a row.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 7] = [
    EventRow::new(TOOL_CALL,             Some(&K::PreToolUse),       BEFORE_TOOL.ask(A::Native)),
    EventRow::new("tool.result",    Some(&K::PostToolUse),      AFTER_TOOL),
    EventRow::new("agent.start",    Some(&K::UserPromptSubmit), PROMPT),
    EventRow::new(AGENT_END,              Some(&K::Stop),             IDLE),
    EventRow::new("session.start",  Some(&K::SessionStart),     GIVEN),
    EventRow::new("changes.prompt", None,                       GIVEN),
    EventRow::new("dispose",        Some(&K::SessionEnd),       EventCaps::UNREAD),
];

static FAILED: EventRow = EventRow::new(AGENT_END, None, STOPPED);

/// The row of a turn that failed or was cancelled.
pub(super) fn exception(event: &Event) -> Option<&'static EventRow> {
    let failed = matches!(
        event.data,
        EventData::SessionError { .. } | EventData::Other { .. }
    );
    (failed && event.native_name == AGENT_END).then_some(&FAILED)
}
