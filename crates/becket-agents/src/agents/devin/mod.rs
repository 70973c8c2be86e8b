//! Devin Local, the agent of Devin Desktop and of the `devin` command line: payloads in, replies out.
//!
//! It succeeds Windsurf's Cascade in the same product, but has other event names, keys, replies, settings files
//! and another marker, so it is a separate agent. Its payloads are Claude Code's with a few differences, and
//! are parsed as such. Nothing here reads a file, the environment or the clock. Start at [`Devin`]; the table
//! in `events` says what a hook may do at which event. Shapes checked against `fixtures/devin/` (2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

const ID: &str = "devin";
const TITLE: &str = "Devin";

/// Devin Local.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Devin;

impl Adapter for Devin {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Devin Local"
    }

    /// No key of the payload is unique to Devin.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let devins =
            clues.payload.contains_key("hook_event_name") && (clues.has_env)("DEVIN_PROJECT_DIR");
        if devins {
            Recognition::Environment
        } else {
            Recognition::No
        }
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        parse::parse(hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        render::render(event, decision)
    }

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn may_report_twice(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Full,
            ask: Support::Partial(
                "at PermissionRequest, where an empty reply makes Devin ask; elsewhere it becomes a denial",
            ),
            allow: Support::Full,
            rewrite: Support::Unsupported,
            block_prompt: Support::Full,
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Unsupported,
            keep_going: Support::Full,
        }
    }
}
