//! Claude Code: its hook payloads in, its replies out, its settings file.
//!
//! Claude's own words stay in `wire` and `events`; the rest of the crate speaks [`becket_model`].
//! Nothing here reads a file, the environment or the clock. Start at [`Claude`]; what a hook may do
//! at which event is the table in `events`. Shapes are checked against `fixtures/claude/`
//! (client 2.1.325, 2026-08).

mod events;
pub mod install;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod wire;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, ParseError, Rendered};

const ID: &str = "claude";

/// Claude Code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claude;

impl Adapter for Claude {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        parse::parse(hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        render::render(event, decision)
    }

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }
}
