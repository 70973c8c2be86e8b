//! What every agent's folder provides, and the list of agents.

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

/// A coding agent's protocol: payloads in, replies out. Text in, text out; nothing here touches a file.
pub trait Adapter: Sync {
    /// The id used with `--agent` and in records.
    fn id(&self) -> &'static str;

    /// The name for people.
    fn title(&self) -> &'static str;

    /// Reads a payload. `hint` is the event name given on the command line; the payload's own wins.
    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError>;

    /// Says a decision in the agent's own words, for that event.
    fn render(&self, event: &Event, decision: &Decision) -> Rendered;

    /// Answers when the payload could not be read, so that there is no event: only the name from
    /// the command line, and what the failure policy says.
    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered;
}

/// The payload is JSON but not an event of this agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a payload of {agent}: {message}")]
pub struct ParseError {
    /// The agent's id.
    pub agent: &'static str,
    /// What is missing or has the wrong type, naming the key.
    pub message: String,
}

/// A reply, and what it could not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// For the agent.
    pub stdout: String,
    /// For the agent or the person, as the agent uses it.
    pub stderr: String,
    /// Exit code.
    pub exit: i32,
    /// What the agent has no words for; each leans to the safe side.
    pub lost: Vec<String>,
}

/// Every agent Becket speaks with. A new agent is one folder and one line here.
pub fn adapters() -> &'static [&'static dyn Adapter] {
    &[&crate::claude::Claude]
}

/// The agent with this id.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    adapters()
        .iter()
        .copied()
        .find(|adapter| adapter.id() == id)
}
