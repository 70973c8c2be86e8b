//! Amp: payloads and replies of its plugin.
//!
//! Amp runs no hook commands. [`plugin_source`] is a plugin that forwards Amp's events to Becket and applies the
//! replies. Start at [`AMP`]; the table in `events` says what is possible at which event. Shapes checked against
//! `fixtures/amp/` (client 0.0.1790142911, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use crate::agents::claude::FAILURES;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};
use crate::protocol::wire::plugin::PluginWire;
use crate::protocol::{AgentSpec, plugin};

const ID: &str = "amp";
const BRIDGE: &str = "amp/1";

/// The source of the plugin for Amp's `plugins` directory; it runs the given program.
pub fn plugin_source(binary: &str) -> String {
    plugin::compose(include_str!("plugin.ts"), ID, BRIDGE, binary)
}

/// Amp.
pub static AMP: AgentSpec = AgentSpec {
    id: ID,
    title: "Amp",
    short_title: "Amp",
    checked_against: Some("0.0.1790142911"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    // It may be a tool call; a denial does no harm at the other events.
    nameless: Some(events::TOOL_CALL),
    tools: parse::TOOLS,
    input_path: &["event", "input"],
    failures: FAILURES,
    limits: ReplyLimits::NONE,
    wire: &PluginWire { bridge: BRIDGE },
    marks: &[],
    partly: &[
        (
            Feature::Ask,
            "in a dialog; if Amp cannot show one, it becomes a denial",
        ),
        (
            Feature::Allow,
            "Amp has no permission prompts, so it has no effect",
        ),
        (
            Feature::BlockPrompt,
            "the turn is cancelled; the prompt stays in the thread",
        ),
        (Feature::ContextAtStart, "with the first prompt"),
    ],
    file_changes: FileChanges::None,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        row: events::exception,
        recognises: |clues| plugin::recognition(ID, clues),
        ..AgentExceptions::CLAUDE
    },
};
