//! Parses a client's record into the values of its rows. Pure: text in, data out.
//!
//! A record contains the agent's payload as the agent sent it, so parsing runs it through the agent's adapter
//! (`becket_agents`) again, although the client has already done so once. Two reasons: the client is on the hot
//! path and writes the payload as it is; and a stored payload is the source of truth, from which a later version
//! can derive more. The price: this crate depends on all adapters. After an adapter changes, everything that is
//! derived from a record from then on has the new meaning: re-ingested and imported records, one-line descriptions,
//! and activities that a revised duplicate restores. Other stored rows do not change.
//!
//! Parsing never fails: a record that cannot be parsed is stored as it is, with the reason in `problem`. Start at
//! [`parse_redacted`].

mod activity;
mod decision;
pub(crate) mod event;
mod files;
pub(crate) mod turn_effect;
mod usage;

use std::borrow::Cow;
use std::collections::BTreeMap;

use becket_guard::redact::{redact_json, redact_text};
use becket_model::{Event, EventKind};
use serde_json::{Map, Value};

pub(crate) use activity::Activity;
pub(crate) use decision::{HookRun, MergedDecision};
pub use turn_effect::IDLE_EVENT;
pub(crate) use usage::TokenUsage;

use crate::millis::Millis;
use crate::session::{EventPosition, ParentLink, TurnEffect};
use crate::tokenize::IndexTokens;
use crate::write::TELEMETRY_ID_PREFIX;

/// One line of the spool: a client's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLine<'l> {
    /// A JSON object.
    pub line: &'l str,
}

/// The event in a record; `None` if it cannot be parsed.
pub fn event_of_record(record: &Value) -> Option<Event> {
    let mut fields = record.as_object()?.clone();
    let kind = EventKind::parse(&text_field(&fields, "event")?);
    let agent = text_field(&fields, "agent").unwrap_or_default();
    event::parse_payload(&mut fields, &agent, kind.name())
        .ok()
        .flatten()
}

/// Longer ids are ignored.
const MAX_ID_BYTES: usize = 256;

/// A parsed record.
pub(crate) enum ParsedRecord {
    /// An event of an agent.
    Event(Box<ParsedEvent>),
    /// A hook run that was recorded after its event: the end of an async hook, or an injection.
    HookRun(Box<HookRun>),
}

/// A parsed event: the values of its rows.
pub(crate) struct ParsedEvent {
    pub(crate) position: EventPosition,
    pub(crate) kind: String,
    pub(crate) agent: String,
    pub(crate) session: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) transcript: Option<String>,
    pub(crate) subagent: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) call_id: Option<String>,
    /// Equal for all calls of a tool with the same input; without an input, unique to the call.
    pub(crate) call_hash: Option<String>,
    pub(crate) parent: Option<(String, &'static str)>,
    pub(crate) link: Option<ParentLink>,
    pub(crate) turn_effect: Option<TurnEffect>,
    /// Equal for two reports of one action.
    pub(crate) action: Option<String>,
    pub(crate) verdict: Option<String>,
    pub(crate) messages: Vec<EventMessage>,
    pub(crate) activity: Option<Activity>,
    pub(crate) decision: Option<MergedDecision>,
    pub(crate) hook_runs: Vec<HookRun>,
    pub(crate) outcome: Option<CallOutcome>,
    pub(crate) notification: Option<(Option<String>, String)>,
    pub(crate) usage: Option<TokenUsage>,
    pub(crate) problem: Option<String>,
}

/// A prompt, an answer or a plan.
pub(crate) struct EventMessage {
    pub(crate) role: &'static str,
    pub(crate) path: Option<String>,
    pub(crate) text: String,
    pub(crate) tokens: IndexTokens,
}

impl EventMessage {
    fn new(role: &'static str, text: &str) -> Self {
        Self {
            role,
            path: None,
            text: text.to_owned(),
            tokens: IndexTokens::of([text]),
        }
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    Ran,
    Failed,
    Refused,
}

impl CallOutcome {
    /// The outcome that an event of this kind reports, if any.
    pub(crate) fn of_kind(kind: &str) -> Option<Self> {
        Some(match kind {
            "PostToolUse" => Self::Ran,
            "PostToolUseFailure" => Self::Failed,
            "PermissionDenied" => Self::Refused,
            _ => return None,
        })
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

/// Parses and redacts a record from a client; also returns the redacted line.
pub(crate) fn parse_redacted(line: &str, now: Millis) -> (ParsedRecord, Cow<'_, str>) {
    match parse_object(line) {
        Ok(fields) => {
            let mut record = Value::Object(fields);
            let line = if redact_json(&mut record) {
                Cow::Owned(json_text(&record))
            } else {
                Cow::Borrowed(line)
            };
            let fields = match record {
                Value::Object(fields) => fields,
                _ => Map::new(),
            };
            (parse_fields(fields, None, &line, now), line)
        }
        Err(problem) => {
            let line = redact_text(line);
            (parse_fields(Map::new(), Some(problem), &line, now), line)
        }
    }
}

/// Parses a record that is already redacted. `now` is the time of a record without one.
pub(crate) fn parse(line: &str, now: Millis) -> ParsedRecord {
    match parse_object(line) {
        Ok(fields) => parse_fields(fields, None, line, now),
        Err(problem) => parse_fields(Map::new(), Some(problem), line, now),
    }
}

fn parse_object(line: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("the record is not a JSON object".to_owned()),
        Err(error) => Err(format!("the record is not valid JSON: {error}")),
    }
}

fn parse_fields(
    mut fields: Map<String, Value>,
    problem: Option<String>,
    line: &str,
    now: Millis,
) -> ParsedRecord {
    let id = text_field(&fields, "id")
        .filter(|id| id.len() <= MAX_ID_BYTES)
        // A record without an id is identified by its content, so that a second delivery is recognised.
        .unwrap_or_else(|| format!("content:{}", hash(&[line])));
    let at = text_field(&fields, "ts")
        .and_then(|text| Millis::parse(&text))
        .or_else(|| Millis::of_id(&id))
        .unwrap_or(now);
    let position = EventPosition { at, id };
    match fields.get("kind").and_then(Value::as_str) {
        Some("async_hook") => {
            return ParsedRecord::HookRun(Box::new(HookRun::detached(&fields, position)));
        }
        Some("told") => {
            return ParsedRecord::HookRun(Box::new(HookRun::injected(&fields, position)));
        }
        _ => {}
    }
    let mut parsed = ParsedEvent::new(position, &fields);
    parsed.problem = problem.or_else(|| text_field(&fields, "error"));
    parsed.set_decision(&fields);
    let kind = parsed.kind.clone();
    match event::parse_payload(&mut fields, &parsed.agent, &kind) {
        Ok(Some(event)) => parsed.fill_from_event(event),
        Ok(None) => {}
        Err(message) => {
            parsed.problem.get_or_insert(message);
        }
    }
    ParsedRecord::Event(Box::new(parsed))
}

impl ParsedEvent {
    fn new(position: EventPosition, fields: &Map<String, Value>) -> Self {
        Self {
            position,
            kind: text_field(fields, "event").map_or_else(
                || "unknown".into(),
                |name| EventKind::parse(&name).name().to_owned(),
            ),
            agent: text_field(fields, "agent").unwrap_or_else(|| "unknown".into()),
            session: text_field(fields, "session").filter(|id| id.len() <= MAX_ID_BYTES),
            project: text_field(fields, "project"),
            transcript: None,
            subagent: None,
            tool: None,
            call_id: None,
            call_hash: None,
            parent: None,
            link: None,
            turn_effect: None,
            action: None,
            verdict: None,
            messages: Vec::new(),
            activity: None,
            decision: None,
            hook_runs: Vec::new(),
            outcome: None,
            notification: None,
            usage: None,
            problem: None,
        }
    }

    fn fill_from_event(&mut self, event: Event) {
        event.kind().name().clone_into(&mut self.kind);
        self.transcript.clone_from(&event.transcript);
        self.subagent = event.subagent.as_ref().map(|subagent| subagent.id.clone());
        if let Some(call) = event.call() {
            self.tool = Some(call.name.clone());
            self.call_id = call.id.clone().filter(|id| !id.is_empty());
            self.call_hash = match &self.call_id {
                // Two calls without input are not the same call.
                None if call.input.is_null() => None,
                Some(id) if call.input.is_null() => Some(hash(&[id, &call.name])),
                _ => Some(hash(&["", &call.name, &json_text(&canonical(&call.input))])),
            };
        }
        self.set_parent_link(&event);
        self.set_turn_effect(&event);
        self.set_activity(&event);
        self.usage = TokenUsage::of(&event);
    }

    /// Whether telemetry reported the event, not a hook.
    pub(crate) fn is_telemetry(&self) -> bool {
        self.position.id.starts_with(TELEMETRY_ID_PREFIX)
    }

    /// Whether the event belongs to the session itself, not to a subagent within it.
    fn is_main(&self) -> bool {
        self.subagent.is_none() || self.is_subagents_session()
    }

    /// Some agents give a subagent its own session, with the subagent's id.
    fn is_subagents_session(&self) -> bool {
        self.subagent.is_some() && self.subagent == self.session
    }
}

/// The text of a field, if it is not empty.
fn text_field(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = fields.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// Renders JSON. `Display` gives the same text in twice the time.
pub(crate) fn json_text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The value with sorted keys, because agents vary their order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, Value> = fields
                .iter()
                .map(|(key, value)| (key, canonical(value)))
                .collect();
            let sorted = sorted.into_iter().map(|(key, value)| (key.clone(), value));
            Value::Object(sorted.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

/// A hash of several texts.
fn hash(texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
