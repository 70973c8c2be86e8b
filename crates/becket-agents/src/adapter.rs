//! What every agent's folder provides, and the list of agents.

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

/// A coding agent's protocol: payloads in, replies out. Text in, text out; nothing here touches a file.
pub trait Adapter: Sync {
    /// The id used with `--agent` and in records.
    fn id(&self) -> &'static str;

    /// The name for people.
    fn title(&self) -> &'static str;

    /// Whether a payload is this agent's, by what only this agent sends.
    fn recognises(&self, clues: &Clues<'_>) -> Recognition;

    /// Reads a payload. `hint` is the event name given on the command line; the payload's own wins.
    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError>;

    /// Says a decision in the agent's own words, for that event.
    fn render(&self, event: &Event, decision: &Decision) -> Rendered;

    /// Answers when the payload could not be read, so that there is no event: only the name from
    /// the command line, and what the failure policy says.
    fn render_unread(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered;

    /// What the agent can express before a tool runs, at its start and at its rest.
    fn capabilities(&self) -> Capabilities;

    /// Whether guards stand before the event that the agent calls by this name, so that a payload
    /// that cannot be read is no reason to let the action happen.
    fn is_guarded(&self, event: &str) -> bool {
        EventKind::parse(event).is_guarded()
    }

    /// The version of the agent's program that all this was checked against, where it has one.
    fn checked_against(&self) -> Option<&'static str> {
        None
    }

    /// Whether the agent itself tells of the files that a call of this tool (by its canonical name) has
    /// changed. Where it does not, Becket takes that from the end of the call.
    fn tells_of_changes(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }

    /// Whether text for the model about a file goes with the answer before a tool, because no answer after it is read.
    fn hears_before_tools(&self) -> bool {
        false
    }

    /// Whether the agent may report one action twice: it also runs the hooks of another agent's
    /// files, where Becket may stand as well.
    fn reports_twice(&self) -> bool {
        false
    }

    /// Whether what the answers to both reports tell the model is put together, so that one has to be silent.
    fn joins_answers(&self) -> bool {
        false
    }
}

/// What is known about who calls: the payload, and which environment variables are set.
pub struct Clues<'a> {
    /// The payload, parsed.
    pub payload: &'a Map<String, Value>,
    /// Whether a variable is set and not empty.
    pub has_env: &'a dyn Fn(&str) -> bool,
}

/// How sure an adapter is that a payload is its agent's. The surest wins: an environment is
/// inherited by agents that run inside other agents, a payload is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recognition {
    /// Nothing speaks for it.
    No,
    /// The environment does.
    Environment,
    /// The payload itself does.
    Payload,
}

/// Whether an agent can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Can {
    /// As meant.
    Yes,
    /// In part; the words say which.
    Partly(&'static str),
    /// Not at all; Becket leans to the safe side.
    No,
}

/// What an agent can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Keep one tool call from happening.
    pub deny: Can,
    /// Let a person decide.
    pub ask: Can,
    /// Skip the agent's own prompt.
    pub allow: Can,
    /// Replace a tool's input.
    pub rewrite: Can,
    /// Keep a prompt from reaching the model.
    pub block_prompt: Can,
    /// Text for the model when a session starts.
    pub context_at_start: Can,
    /// Text for the model with a prompt.
    pub context_at_prompt: Can,
    /// Text for the model after a tool.
    pub context_after_tool: Can,
    /// Go on instead of stopping.
    pub keep_going: Can,
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
    &[
        &crate::claude::Claude,
        &crate::gemini::Gemini,
        &crate::copilot::Copilot,
        &crate::opencode::OpenCode,
        &crate::amp::Amp,
        &crate::qwen::Qwen,
        &crate::droid::Droid,
        &crate::codex::Codex,
        &crate::kiro::Kiro,
        &crate::crush::Crush,
        &crate::augment::Augment,
        &crate::goose::Goose,
        &crate::cline::Cline,
        &crate::devin::Devin,
        &crate::autohand::Autohand,
        &crate::windsurf::Windsurf,
        &crate::cursor::Cursor,
    ]
}

/// The agent with this id.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    adapters()
        .iter()
        .copied()
        .find(|adapter| adapter.id() == id)
}

/// The agent that most surely sent a payload.
pub fn recognise(clues: &Clues<'_>) -> Option<&'static dyn Adapter> {
    let sure = |adapter: &&'static dyn Adapter| adapter.recognises(clues);
    // `max_by_key` keeps the last of equals; the list names the more specific agents later.
    let best = adapters().iter().copied().max_by_key(sure)?;
    (best.recognises(clues) > Recognition::No).then_some(best)
}
