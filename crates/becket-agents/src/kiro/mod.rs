//! Kiro: its hook payloads in, its replies out.
//!
//! Kiro runs the hooks of an agent file (`.kiro/agents/*.json`) and those of hook files
//! (`.kiro/hooks/*.json`, `version: v1`), and sends both the same payload. It reads no JSON: a reply
//! is an exit code, with text for the model on stdout or the reason of a refusal on stderr. There is
//! no question, no rewrite and no approval. Kiro's own words stay in `events` and `tools`; nothing
//! here reads a file, the environment or the clock. Start at [`Kiro`]. Shapes are checked against
//! `fixtures/kiro/` (2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered};

const ID: &str = "kiro";
const TITLE: &str = "Kiro";

/// Every key that a payload of Kiro's has.
const KEYS: &[&str] = &[
    "assistant_response",
    "cwd",
    "file_path",
    "hook_event_name",
    "prompt",
    "session_id",
    "tool_input",
    "tool_name",
    "tool_response",
];

/// Kiro, by AWS: the command line and the editor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kiro;

impl Adapter for Kiro {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    /// Kiro sets no variable and no key of its own. What is left: it spells an event's name in camel
    /// case, as only Cursor does beside it, and sends little else, where Cursor sends much.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition {
        let name = clues.payload.get("hook_event_name").and_then(Value::as_str);
        let camel = name.is_some_and(events::is_camel);
        // A name such as `stop` is other agents' too; Kiro always says where it works.
        let shaped = clues.payload.contains_key("cwd")
            && clues.payload.keys().all(|key| KEYS.contains(&&**key));
        if camel && shaped {
            Recognition::Payload
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

    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
        render::render_unread(kind, verdict, reason)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Can::Partly("the other calls of the same batch may be held back as well"),
            ask: Can::No,
            allow: Can::No,
            rewrite: Can::No,
            block_prompt: Can::Partly("from a hook file; from an agent file it is a warning"),
            context_at_start: Can::Yes,
            context_at_prompt: Can::Yes,
            context_after_tool: Can::Partly("from a hook file, not from an agent file"),
            keep_going: Can::No,
        }
    }
}
