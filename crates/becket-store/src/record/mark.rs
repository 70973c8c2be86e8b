//! What an event means for the course of its session, and for its place among others.

use becket_model::{Event, EventData};
use serde_json::Value;

use super::{Message, Observed, Outcome, hash};
use crate::injected::strip_injected;
use crate::prompt;
use crate::sanitise::{chars, cut};
use crate::session::{Link, Mark, Rest};

/// How much of a text is kept.
const PROMPT_CHARS: usize = 10_000;
const RESPONSE_CHARS: usize = 15_000;
const PLAN_CHARS: usize = 100_000;

/// Where agents put the id of a turn.
const TURN_KEYS: [&str; 5] = [
    "generation_id",
    "generationId",
    "prompt_id",
    "turn_id",
    "execution_id",
];

/// Where agents name the session that another came from; the last two name a subagent's.
const PARENT_KEYS: [&str; 5] = [
    "parent_session_id",
    "parentSessionId",
    "parentID",
    "parentAgentId",
    "parent_agent_id",
];

impl Observed {
    /// Who the session's parent is, or how it is to be found.
    pub(super) fn read_family(&mut self, event: &Event) {
        let subagents = self.is_subagents_session();
        let keys = if subagents { 5 } else { 3 };
        let named = PARENT_KEYS[..keys].iter().find_map(|key| text(event, key));
        let named = named.filter(|parent| Some(*parent) != self.session.as_deref());
        let cleared = matches!(&event.data, EventData::SessionStart { source } if source.as_deref() == Some("clear"));
        let why = match (subagents, cleared) {
            (true, _) => "subagent",
            (false, true) => "clear",
            (false, false) => "named",
        };
        self.parent = named.map(|parent| (parent.to_owned(), why));
        self.link = match why {
            "clear" => Some(Link::Clear),
            "subagent" => Some(Link::Subagent),
            _ => None,
        };
    }

    pub(super) fn read_mark(&mut self, event: &Event) {
        self.outcome = match &event.data {
            EventData::PostToolUse { .. } => Some(Outcome::Ran),
            EventData::PostToolUseFailure { .. } => Some(Outcome::Failed),
            EventData::PermissionDenied { .. } => Some(Outcome::Refused),
            _ => None,
        };
        if let EventData::Notification { kind, message } = &event.data {
            self.notification = Some((kind.clone(), cut(message, RESPONSE_CHARS).to_owned()));
        }
        // What a subagent does within a session neither begins nor ends anything of the session's.
        if self.is_main() {
            self.mark = self.main_mark(event);
        }
    }

    fn main_mark(&mut self, event: &Event) -> Option<Mark> {
        Some(match &event.data {
            EventData::SessionStart { source } => Mark::Start {
                source: source.clone(),
            },
            EventData::UserPromptSubmit { prompt } => self.prompt_mark(event, prompt),
            EventData::PreToolUse { .. }
            | EventData::PermissionRequest { .. }
            | EventData::PermissionDenied { .. }
            | EventData::FileModified { .. } => Mark::Act { plan: false },
            EventData::PostToolUse { .. } | EventData::PostToolUseFailure { .. } => Mark::Act {
                plan: self.keep_plan(event),
            },
            EventData::AgentResponse { text } if self.keep("response", text) => Mark::Respond,
            EventData::Stop { last_message, .. } => {
                let text = last_message.as_deref().or_else(|| response(event));
                let responds = text.is_some_and(|text| self.keep("response", text));
                let rest = match &self.decided {
                    Some(decided) if decided.keeps_going => Rest::KeptGoing,
                    _ => Rest::Done,
                };
                Mark::Stop { responds, rest }
            }
            EventData::StopFailure { .. } => Mark::Stop {
                responds: false,
                rest: Rest::Failed,
            },
            EventData::PreCompact { .. } => Mark::Compact,
            EventData::PostCompact { .. } => Mark::Compacted,
            EventData::SessionEnd { reason } => Mark::End {
                reason: reason.clone(),
            },
            EventData::Other { name, .. } if **name == *IDLE => Mark::Idle {
                whole: event.raw.get("whole") == Some(&Value::Bool(true)),
            },
            _ => return None,
        })
    }

    fn prompt_mark(&mut self, event: &Event, prompt: &str) -> Mark {
        // What the agent was given beside it is not what the person said.
        let said = strip_injected(prompt);
        self.keep("prompt", &said);
        if let Some(plan) = prompt::plan_in(&said) {
            self.keep("plan", plan);
        }
        let untold = self.is_telemetry() && event.raw.contains_key(UNTOLD);
        Mark::Prompt {
            hash: hash(&[prompt]),
            generation: turn(event).map(str::to_owned),
            source: prompt::classify(&said),
            untold,
            lengths: if untold {
                event.raw[UNTOLD].as_u64().into_iter().collect()
            } else {
                lengths(prompt)
            },
        }
    }

    /// Keeps a text with the event; whether there was any. What the agent was given and says again was not said by it.
    fn keep(&mut self, role: &'static str, text: &str) -> bool {
        let text = &*strip_injected(text);
        let most = match role {
            "prompt" => PROMPT_CHARS,
            "plan" => PLAN_CHARS,
            _ => RESPONSE_CHARS,
        };
        if text.trim().is_empty() {
            return false;
        }
        self.messages.push(Message::new(role, cut(text, most)));
        true
    }

    /// A plan is written into a directory of plans, or shown when the agent leaves its planning.
    fn keep_plan(&mut self, event: &Event) -> bool {
        let EventData::PostToolUse { call, .. } = &event.data else {
            return false;
        };
        let content = |key: &str| call.input.get(key).and_then(Value::as_str);
        let (path, plan) = match call.name.as_str() {
            "Write" => (call.file_path(), content("content")),
            "ExitPlanMode" => (None, content("plan")),
            _ => return false,
        };
        let is_plan = path.is_none_or(prompt::is_plan_path);
        let Some(plan) = plan.filter(|_| is_plan) else {
            return false;
        };
        let kept = self.keep("plan", plan);
        if let (true, Some(message)) = (kept, self.messages.last_mut()) {
            message.path = path.map(str::to_owned);
        }
        kept
    }
}

/// Where a prompt's length stands if nothing else of it is told.
pub(crate) const UNTOLD: &str = "untold_chars";

/// In characters, and in the units that JavaScript counts. Where a secret was, nobody knows how long it was.
fn lengths(prompt: &str) -> Vec<u64> {
    if prompt.contains("[redacted:") {
        return Vec::new();
    }
    let counts = [chars(prompt), prompt.encode_utf16().count()];
    let mut counts: Vec<u64> = counts.iter().map(|&count| count as u64).collect();
    counts.dedup();
    counts
}

/// The name of the events that the store makes itself, when nothing was heard of a session for long. No agent has said
/// them.
pub const IDLE: &str = "BecketIdle";

fn text<'e>(event: &'e Event, key: &str) -> Option<&'e str> {
    let text = event.raw.get(key)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// The id of the turn, where the agent gives one.
pub(super) fn turn(event: &Event) -> Option<&str> {
    TURN_KEYS.iter().find_map(|key| text(event, key))
}

/// The answer, under the other names that agents have for it.
fn response(event: &Event) -> Option<&str> {
    ["response_summary", "prompt_response"]
        .iter()
        .find_map(|key| text(event, key))
}
