//! Wires: how agents spell a reply. A wire writes an [`AgentReply`] and decides nothing.

pub(crate) mod claude;
pub(crate) mod claude_reply;
pub(crate) mod exit_code;
pub(crate) mod plugin;

use becket_model::Event;
use serde::Serialize;

use super::degrade::AgentReply;
use super::event::EventRow;
use crate::adapter::Rendered;

/// A reply format.
pub(crate) trait ReplyWire: Sync {
    /// The reply in the agent's format. The wire may add to `lost` only what its format drops, such as text
    /// after a length that the agent cuts.
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered;
}

/// What a reply is written for.
#[derive(Clone, Copy)]
pub(crate) struct WirePoint<'a> {
    /// The event's row; [`EventRow::is_unknown`] for an event without one.
    pub(crate) row: &'static EventRow,
    /// `None` if the payload could not be parsed.
    pub(crate) event: Option<&'a Event>,
}

/// How a wire spells a denial at an event. Each wire knows some of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenySpelling {
    /// The wire has one spelling, or the event has no denial.
    Usual,
    /// `permissionDecision: deny`, or the same under a key of the agent's.
    Permission,
    /// The same, and also `decision: block`.
    PermissionAndBlock,
    /// `decision.behavior: deny`.
    Behavior,
    /// `action: decline`.
    Decline,
    /// `retry: true` for an approval; a denial needs no words.
    Retry,
    /// `decision: block`, and `decision: approve` for an approval.
    Block,
    /// The same; other text is plain stdout.
    BlockOrPlain,
    /// No denial; text is plain stdout.
    Plain,
    /// `continue: false`.
    Continue,
    /// A request that may call no tool.
    NoTools,
    /// Exit code 2 with the reason on stderr.
    Exit2,
    /// The same, but `continue: false` and `decision: block` if the turn is to end.
    Exit2OrBlock,
}

/// A reply as one line of JSON; nothing if it says nothing.
pub(crate) fn json_line<Wire: Serialize + Default + PartialEq>(wire: &Wire) -> String {
    if *wire == Wire::default() {
        return String::new();
    }
    serde_json::to_string(wire).expect("a reply is strings, flags and JSON") + "\n"
}

/// A line for stdout that no agent takes for JSON.
pub(crate) fn plain_line(text: &str) -> String {
    if text.trim_start().starts_with('{') {
        format!("Note: {text}\n")
    } else {
        format!("{text}\n")
    }
}
