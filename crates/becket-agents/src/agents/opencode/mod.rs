//! OpenCode: payloads and replies of its plugin.
//!
//! OpenCode runs no hook commands. [`plugin_source`] is a plugin that forwards OpenCode's events to Becket and
//! applies the replies. Start at [`OPENCODE`]; the table in `events` says what is possible at which hook. Shapes
//! checked against `fixtures/opencode/` (client 1.18.33, 2026-08).

mod events;
mod parse;
#[cfg(test)]
mod tests;

use becket_model::Event;

use crate::agents::claude::FAILURES;
use crate::protocol::capability::ReplyLimits;
use crate::protocol::spec::{AgentExceptions, Feature, FileChanges};
use crate::protocol::wire::plugin::PluginWire;
use crate::protocol::{AgentReply, AgentSpec, EventRow, ReplyAct, plugin};

const ID: &str = "opencode";
const BRIDGE: &str = "opencode/1";

/// The source of the plugin for OpenCode's `plugins` directory; it runs the given program.
pub fn plugin_source(binary: &str) -> String {
    plugin::compose(include_str!("plugin.js"), ID, BRIDGE, binary)
}

/// OpenCode. `file.edited` does not fire for deleted files.
pub static OPENCODE: AgentSpec = AgentSpec {
    id: ID,
    title: "OpenCode",
    short_title: "OpenCode",
    checked_against: Some("1.18.33"),
    events: &events::EVENTS,
    unknown: &events::UNKNOWN,
    // It may be the hook before a tool; a denial does no harm at the other hooks.
    nameless: Some(events::TOOL_BEFORE),
    tools: parse::TOOLS,
    input_path: &["output", "args"],
    failures: FAILURES,
    limits: ReplyLimits::NONE,
    wire: &PluginWire { bridge: BRIDGE },
    marks: &[],
    partly: &[
        (
            Feature::Allow,
            "by answering OpenCode's own prompt, not before it",
        ),
        (
            Feature::BlockPrompt,
            "OpenCode shows a general error; the reason is in a toast",
        ),
        (
            Feature::KeepGoing,
            "with a new prompt when the session is idle; not for subagents, not in `opencode run`",
        ),
    ],
    file_changes: FileChanges::ButDeletions,
    injects_before_tools: false,
    may_report_twice: false,
    merges_replies: false,
    exceptions: AgentExceptions {
        parse: parse::parse,
        row: events::exception,
        recognises: |clues| plugin::recognition(ID, clues),
        review,
        ..AgentExceptions::CLAUDE
    },
};

fn review(row: &EventRow, _: &Event, reply: &mut AgentReply) {
    if row.native == events::PERMISSION_ASKED && matches!(reply.act, ReplyAct::Deny { .. }) {
        let lost = "OpenCode does not tell the model why a permission is refused.";
        reply.lost.push(lost.to_owned());
    }
}
