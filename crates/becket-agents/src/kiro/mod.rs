//! Kiro: payloads in, replies out.
//!
//! Kiro runs the hooks of an agent file (`.kiro/agents/*.json`) and those of hook files (`.kiro/hooks/*.json`,
//! `version: v1`), and sends both the same payload. It reads no JSON: a reply is an exit code, with context on
//! stdout or the reason of a denial on stderr. There is no ask, no rewrite and no approval. Kiro's own terms
//! stay in `events` and `tools`; nothing here reads a file, the environment or the clock. Start at [`Kiro`].
//! Shapes checked against `fixtures/kiro/` (2026-08).

mod events;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tools;

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};

const ID: &str = "kiro";
const TITLE: &str = "Kiro";

/// Every key of Kiro's payloads.
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

    /// Kiro sets no variable and no unique key. It spells event names in camel case, as only Cursor also does, and
    /// sends few other keys, whereas Cursor sends many.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let name = clues.payload.get("hook_event_name").and_then(Value::as_str);
        let camel = name.is_some_and(events::is_camel);
        // Other agents share names such as `stop`; Kiro always sends its working directory.
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

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        render::render_unparsed(kind, verdict, reason)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: Support::Partial("other calls of the same batch may be skipped as well"),
            ask: Support::Unsupported,
            allow: Support::Unsupported,
            rewrite: Support::Unsupported,
            block_prompt: Support::Partial(
                "with a hook file; with an agent file it is only a warning",
            ),
            context_at_start: Support::Full,
            context_at_prompt: Support::Full,
            context_after_tool: Support::Partial("with a hook file, not with an agent file"),
            keep_going: Support::Unsupported,
        }
    }
}
