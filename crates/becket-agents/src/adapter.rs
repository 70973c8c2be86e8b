//! The interface that every agent implements, and the list of agents.

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

/// A coding agent's protocol: payloads in, replies out. Implementations are pure: text in, text out.
pub trait Adapter: Sync {
    /// The id used with `--agent` and in records.
    fn id(&self) -> &'static str;

    /// The display name.
    fn title(&self) -> &'static str;

    /// Whether this agent sent a payload, judged by fields and variables that only this agent uses.
    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition;

    /// Parses a payload. `hint` is the event name from the command line; the payload's own name takes precedence.
    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError>;

    /// Renders a decision as the agent's reply to that event.
    fn render(&self, event: &Event, decision: &Decision) -> Rendered;

    /// Renders a reply to a payload that could not be parsed, from the event name on the command line and the
    /// verdict of the failure policy.
    fn render_unparsed(&self, kind: Option<&EventKind>, verdict: Verdict, reason: &str)
    -> Rendered;

    /// What the agent can express before a tool runs, at the start of a session and when it stops.
    fn capabilities(&self) -> Capabilities;

    /// Whether the reply to an event can take more context: the agent passes it on to the model, and it changes
    /// nothing else about the reply.
    fn accepts_context(&self, event: &Event, decision: &Decision) -> bool;

    /// Whether the agent's event with this name is guarded, so that an unreadable payload must not let the
    /// action happen.
    fn is_guarded(&self, event: &str) -> bool {
        EventKind::parse(event).is_guarded()
    }

    /// The version of the agent that this adapter was checked against, if it has one.
    fn checked_against(&self) -> Option<&'static str> {
        None
    }

    /// Whether the agent itself reports the files that a call of this tool (canonical name) changed. If not,
    /// Becket derives them from the end of the call.
    fn reports_file_changes(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }

    /// Whether context about a file is injected before a tool, because the agent ignores the reply after it.
    fn injects_before_tools(&self) -> bool {
        false
    }

    /// Whether the agent may report one action twice: it also runs the hooks in another agent's files, where
    /// Becket may be installed as well.
    fn may_report_twice(&self) -> bool {
        false
    }

    /// Whether the agent merges the context of both replies to a double report, so that one must be empty.
    fn merges_replies(&self) -> bool {
        false
    }

    /// The agent as data, for the laws that every agent obeys.
    #[cfg(test)]
    fn spec(&self) -> Option<&crate::AgentSpec> {
        None
    }
}

/// The evidence for which agent sent a payload: the payload, and which environment variables are set.
pub struct SenderClues<'a> {
    /// The parsed payload.
    pub payload: &'a Map<String, Value>,
    /// Whether a variable is set and not empty.
    pub has_env: &'a dyn Fn(&str) -> bool,
}

/// How certain an adapter is that its agent sent a payload. The most certain wins: nested agents inherit the
/// environment, but not the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recognition {
    /// No evidence.
    No,
    /// The environment matches.
    Environment,
    /// The payload itself matches.
    Payload,
}

/// Whether an agent supports something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Fully.
    Full,
    /// Partly; the text says how.
    Partial(&'static str),
    /// Not at all; Becket degrades to a stricter reply.
    Unsupported,
}

/// What an agent can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Block one tool call.
    pub deny: Support,
    /// Let the user decide.
    pub ask: Support,
    /// Skip the agent's own permission prompt.
    pub allow: Support,
    /// Replace a tool's input.
    pub rewrite: Support,
    /// Block a prompt before it reaches the model.
    pub block_prompt: Support,
    /// Inject context when a session starts.
    pub context_at_start: Support,
    /// Inject context with a prompt.
    pub context_at_prompt: Support,
    /// Inject context after a tool.
    pub context_after_tool: Support,
    /// Continue instead of stopping.
    pub keep_going: Support,
}

/// The payload is JSON but not an event of this agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {agent} payload: {message}")]
pub struct ParseError {
    /// The agent's id.
    pub agent: &'static str,
    /// The missing or mistyped key.
    pub message: String,
}

/// A rendered reply, and what it could not express.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// Text for the agent.
    pub stdout: String,
    /// Text for the agent or the user, depending on the agent.
    pub stderr: String,
    /// Exit code.
    pub exit: i32,
    /// What the agent cannot express; each item was degraded to something stricter.
    pub lost: Vec<String>,
}

/// Every supported agent. A new agent is one folder and one line here.
static ADAPTERS: [&dyn Adapter; 17] = [
    &crate::claude::CLAUDE,
    &crate::gemini::GEMINI,
    &crate::copilot::COPILOT,
    &crate::opencode::OPENCODE,
    &crate::amp::AMP,
    &crate::qwen::QWEN,
    &crate::droid::DROID,
    &crate::codex::CODEX,
    &crate::kiro::KIRO,
    &crate::crush::CRUSH,
    &crate::augment::AUGMENT,
    &crate::goose::GOOSE,
    &crate::cline::CLINE,
    &crate::devin::DEVIN,
    &crate::autohand::AUTOHAND,
    &crate::windsurf::WINDSURF,
    &crate::cursor::CURSOR,
];

/// Every supported agent.
pub fn adapters() -> &'static [&'static dyn Adapter] {
    &ADAPTERS
}

/// The agent with this id.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    adapters()
        .iter()
        .copied()
        .find(|adapter| adapter.id() == id)
}

/// The agent that most likely sent a payload.
pub fn recognise(clues: &SenderClues<'_>) -> Option<&'static dyn Adapter> {
    let sure = |adapter: &&'static dyn Adapter| adapter.recognises(clues);
    // `max_by_key` returns the last of several equals; the list has the more specific agents later.
    let best = adapters().iter().copied().max_by_key(sure)?;
    (best.recognises(clues) > Recognition::No).then_some(best)
}
