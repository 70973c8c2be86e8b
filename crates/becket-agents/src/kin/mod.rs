//! What the agents that took over Claude Code's hook protocol have in common.
//!
//! Codex, Qwen Code and Factory Droid send Claude's payloads and read Claude's replies, each with
//! exceptions that decide whether a refusal is one. An agent's folder holds the exceptions, as a
//! table of [`KinEventRow`]s and a few lines of code; the rest is here: the calls in a payload,
//! tools both ways ([`Tools`]), saying a decision ([`reply`]). Nothing here knows which agent it
//! works for. Start at [`Kin`].

#[cfg(test)]
pub(crate) mod arbitrary;
mod calls;
mod data;
pub(crate) mod events;
mod reply;
mod rewrite;
mod tools;

use becket_model::{AgentId, Decision, Event, EventData, EventKind, SessionId, Verdict};
use serde_json::{Map, Value};

pub(crate) use data::claudes;
pub(crate) use events::KinEventRow;
pub(crate) use tools::Tools;

use crate::adapter::{ParseError, Rendered};
use crate::fields::{PayloadFields, other};
use crate::tool_failure::FailureSignals;

/// How Claude's responses tell of a failure.
pub(crate) const FAILURES: FailureSignals = FailureSignals {
    lists: false,
    exit_codes: false,
    texts: &["error", "message", "stderr", "content"],
};

/// An agent of the family.
pub(crate) struct Kin {
    /// The agent's id.
    pub(crate) id: &'static str,
    /// Its name in sentences.
    pub(crate) title: &'static str,
    /// What it takes at which event.
    pub(crate) rows: &'static [KinEventRow],
    /// Its words for tools and their inputs.
    pub(crate) tools: Tools,
    /// Reads the events that do not have Claude's shape; `None` for those that do.
    pub(crate) own: fn(PayloadFields<'_>, &KinEventRow) -> Option<EventData>,
    /// The row of an event whose payload makes it an exception.
    pub(crate) exception: fn(&Event) -> Option<&'static KinEventRow>,
    /// Whether stdout is read with exit code 2.
    pub(crate) exit_2: Exit2,
    /// Whether `suppressOutput` is understood.
    pub(crate) suppress: Suppress,
}

/// What an agent reads of a hook that exits with 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit2 {
    /// Nothing but stderr.
    Stderr,
    /// The object on stdout as well.
    StdoutToo,
}

/// What becomes of `suppressOutput`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suppress {
    /// It is understood wherever a reply is read.
    Taken,
    /// It would spoil the reply.
    Never,
}

impl Kin {
    /// Reads a payload; its own event name wins over the one from the command line.
    pub(crate) fn parse(
        &self,
        hint: Option<&str>,
        raw: Map<String, Value>,
    ) -> Result<Event, ParseError> {
        let fields = PayloadFields::new(self.id, &raw);
        let name = fields.event_name("hook_event_name", hint)?;
        let (native_name, data) = match events::find(self.rows, name) {
            Some(row) => (row.name, self.data(fields, row)?),
            None => (name, other(name, None)),
        };
        let native_name = native_name.to_owned();
        Ok(Event {
            agent: AgentId::new(self.id),
            session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
            cwd: fields.filled("cwd"),
            native_name,
            subagent: fields.subagent(),
            transcript: fields.filled("transcript_path"),
            data,
            raw,
        })
    }

    /// Answers an event.
    pub(crate) fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        reply::render(self, event, decision)
    }

    /// Answers a payload that could not be read.
    pub(crate) fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        reply::render_unparsed(self, kind, verdict, reason)
    }

    fn data(&self, fields: PayloadFields<'_>, row: &KinEventRow) -> Result<EventData, ParseError> {
        if let Some(data) = (self.own)(fields, row) {
            return Ok(data);
        }
        let shared = claudes(fields, row.name, &self.tools)?;
        Ok(shared.unwrap_or_else(|| other(row.name, row.subject.and_then(|key| fields.text(key)))))
    }
}
