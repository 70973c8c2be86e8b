//! Derives an event's effect on its turn: the `turn_effect`, the parent link and the messages.

use becket_base::text::prefix_chars;
use becket_model::{Event, EventData};
use serde_json::Value;

use super::{CallOutcome, EventMessage, ParsedEvent, hash};
use crate::condense::char_count;
use crate::injected_context::strip_injected;
use crate::prompt;
use crate::session::{ParentLink, StopOutcome, TurnEffect};

/// The longest stored texts, in characters.
const PROMPT_CHARS: usize = 10_000;
const RESPONSE_CHARS: usize = 15_000;
const PLAN_CHARS: usize = 100_000;

/// The keys under which agents send the id of a turn.
const TURN_KEYS: [&str; 5] = [
    "generation_id",
    "generationId",
    "prompt_id",
    "turn_id",
    "execution_id",
];

/// The keys under which agents name a parent session; the last two are used by subagents.
const PARENT_KEYS: [&str; 5] = [
    "parent_session_id",
    "parentSessionId",
    "parentID",
    "parentAgentId",
    "parent_agent_id",
];

impl ParsedEvent {
    /// Sets the session's parent, or how to find it.
    pub(super) fn set_parent_link(&mut self, event: &Event) {
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
            "clear" => Some(ParentLink::Clear),
            "subagent" => Some(ParentLink::Subagent),
            _ => None,
        };
    }

    pub(super) fn set_turn_effect(&mut self, event: &Event) {
        self.outcome = match &event.data {
            EventData::PostToolUse { .. } => Some(CallOutcome::Ran),
            EventData::PostToolUseFailure { .. } => Some(CallOutcome::Failed),
            EventData::PermissionDenied { .. } => Some(CallOutcome::Refused),
            _ => None,
        };
        if let EventData::Notification { kind, message } = &event.data {
            self.notification = Some((
                kind.clone(),
                prefix_chars(message, RESPONSE_CHARS).to_owned(),
            ));
        }
        // A subagent's events neither begin nor end a turn of the session.
        if self.is_main() {
            self.turn_effect = self.main_turn_effect(event);
        }
    }

    fn main_turn_effect(&mut self, event: &Event) -> Option<TurnEffect> {
        Some(match &event.data {
            EventData::SessionStart { source } => TurnEffect::Start {
                source: source.clone(),
            },
            EventData::UserPromptSubmit { prompt } => self.prompt_effect(event, prompt),
            EventData::PreToolUse { .. }
            | EventData::PermissionRequest { .. }
            | EventData::PermissionDenied { .. }
            | EventData::FileModified { .. } => TurnEffect::Act { plan: false },
            EventData::PostToolUse { .. } | EventData::PostToolUseFailure { .. } => {
                TurnEffect::Act {
                    plan: self.keep_plan_message(event),
                }
            }
            EventData::AgentResponse { text } if self.keep_message("response", text) => {
                TurnEffect::Respond
            }
            EventData::Stop { last_message, .. } => {
                let text = last_message.as_deref().or_else(|| response(event));
                let has_response = text.is_some_and(|text| self.keep_message("response", text));
                let outcome = match &self.decision {
                    Some(decided) if decided.keeps_going => StopOutcome::KeptGoing,
                    _ => StopOutcome::Done,
                };
                TurnEffect::Stop {
                    has_response,
                    outcome,
                }
            }
            EventData::StopFailure { .. } => TurnEffect::Stop {
                has_response: false,
                outcome: StopOutcome::Failed,
            },
            EventData::PreCompact { .. } => TurnEffect::Compact,
            EventData::PostCompact { .. } => TurnEffect::Compacted,
            EventData::SessionEnd { reason } => TurnEffect::End {
                reason: reason.clone(),
            },
            EventData::Other { name, .. } if **name == *IDLE_EVENT => TurnEffect::Idle {
                ends_session: event.raw.get("whole") == Some(&Value::Bool(true)),
            },
            _ => return None,
        })
    }

    fn prompt_effect(&mut self, event: &Event, prompt: &str) -> TurnEffect {
        // Injected context is not part of the person's prompt.
        let text = strip_injected(prompt);
        self.keep_message("prompt", &text);
        if let Some(plan) = prompt::plan_in(&text) {
            self.keep_message("plan", plan);
        }
        let is_redacted = self.is_telemetry() && event.raw.contains_key(REDACTED_CHARS_KEY);
        TurnEffect::Prompt {
            hash: hash(&[prompt]),
            generation: turn_id(event).map(str::to_owned),
            source: prompt::classify(&text),
            is_redacted,
            lengths: if is_redacted {
                event.raw[REDACTED_CHARS_KEY].as_u64().into_iter().collect()
            } else {
                lengths(prompt)
            },
        }
    }

    /// Adds a message without injected context; `false` if nothing is left.
    fn keep_message(&mut self, role: &'static str, text: &str) -> bool {
        let text = &*strip_injected(text);
        let most = match role {
            "prompt" => PROMPT_CHARS,
            "plan" => PLAN_CHARS,
            _ => RESPONSE_CHARS,
        };
        if text.trim().is_empty() {
            return false;
        }
        self.messages
            .push(EventMessage::new(role, prefix_chars(text, most)));
        true
    }

    /// Adds a plan: a file written to a plan directory, or the input of `ExitPlanMode`.
    fn keep_plan_message(&mut self, event: &Event) -> bool {
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
        let kept = self.keep_message("plan", plan);
        if let (true, Some(message)) = (kept, self.messages.last_mut()) {
            message.path = path.map(str::to_owned);
        }
        kept
    }
}

/// The key of a prompt's length, in records whose prompt is redacted by telemetry.
pub(crate) const REDACTED_CHARS_KEY: &str = "untold_chars";

/// The length in characters and in UTF-16 units, as JavaScript counts. Unknown if a secret was redacted.
fn lengths(prompt: &str) -> Vec<u64> {
    if prompt.contains("[redacted:") {
        return Vec::new();
    }
    let counts = [char_count(prompt), prompt.encode_utf16().count()];
    let mut counts: Vec<u64> = counts.iter().map(|&count| count as u64).collect();
    counts.dedup();
    counts
}

/// The name of the synthetic events with which the store ends idle turns and sessions. No agent sends it.
pub const IDLE_EVENT: &str = "BecketIdle";

fn text<'e>(event: &'e Event, key: &str) -> Option<&'e str> {
    let text = event.raw.get(key)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// The id of the turn, if the agent sends one.
pub(super) fn turn_id(event: &Event) -> Option<&str> {
    TURN_KEYS.iter().find_map(|key| text(event, key))
}

/// The answer, under the other keys that agents use.
fn response(event: &Event) -> Option<&str> {
    ["response_summary", "prompt_response"]
        .iter()
        .find_map(|key| text(event, key))
}
