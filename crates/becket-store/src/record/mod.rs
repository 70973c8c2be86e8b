//! A client's record, taken apart into what the tables hold. Pure: text in, data out.
//!
//! Nothing here fails: what cannot be understood is kept whole, with a word on what was wrong.
//! Start at [`read`].

mod activity;
mod decision;
pub(crate) mod event;
mod files;
pub(crate) mod mark;
mod usage;

use std::borrow::Cow;
use std::collections::BTreeMap;

use becket_guard::redact::{redact_json, redact_text};
use becket_model::{Event, EventKind};
use serde_json::{Map, Value};

pub(crate) use activity::Activity;
pub(crate) use decision::{Decided, HookRun};
pub use mark::IDLE;
pub(crate) use usage::Usage;

use crate::millis::Millis;
use crate::session::{Link, Mark, Position};
use crate::words::Words;
use crate::write::TELEMETRY;

/// One line of the spool: what a client recorded of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'l> {
    /// One JSON object.
    pub line: &'l str,
}

/// The event that a record tells of; `None` where there is none that can be understood.
pub fn event_in(record: &Value) -> Option<Event> {
    let mut fields = record.as_object()?.clone();
    let kind = EventKind::parse(&filled(&fields, "event")?);
    let agent = filled(&fields, "agent").unwrap_or_default();
    event::of(&mut fields, &agent, kind.name()).ok().flatten()
}

/// Ids longer than this are no ids.
const LONGEST_ID: usize = 256;

/// What a record comes to.
pub(crate) enum Read {
    /// Something an agent did or is about to do.
    Event(Box<Observed>),
    /// What became of a hook after its event was recorded.
    Hook(Box<HookRun>),
}

/// An event, as the tables want it.
pub(crate) struct Observed {
    pub(crate) position: Position,
    pub(crate) kind: String,
    pub(crate) agent: String,
    pub(crate) session: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) transcript: Option<String>,
    pub(crate) subagent: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) call_id: Option<String>,
    /// Equal for events of all calls of one tool with one input; where the input is not told, of one call.
    pub(crate) call_hash: Option<String>,
    pub(crate) parent: Option<(String, &'static str)>,
    pub(crate) link: Option<Link>,
    pub(crate) mark: Option<Mark>,
    /// Equal for two reports of one action.
    pub(crate) action: Option<String>,
    pub(crate) verdict: Option<String>,
    pub(crate) messages: Vec<Message>,
    pub(crate) activity: Option<Activity>,
    pub(crate) decided: Option<Decided>,
    pub(crate) hooks: Vec<HookRun>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) notification: Option<(Option<String>, String)>,
    pub(crate) usage: Option<Usage>,
    pub(crate) problem: Option<String>,
}

/// A text that belongs to an event.
pub(crate) struct Message {
    pub(crate) role: &'static str,
    pub(crate) path: Option<String>,
    pub(crate) text: String,
    pub(crate) words: Words,
}

impl Message {
    fn new(role: &'static str, text: &str) -> Self {
        Self {
            role,
            path: None,
            text: text.to_owned(),
            words: Words::of([text]),
        }
    }
}

/// What an event says about the call that was decided on before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ran,
    Failed,
    Refused,
}

impl Outcome {
    /// What an event of this kind says of its call; `None` if it says nothing.
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

/// Takes a record from outside apart, without the secrets that its writer left in it, and gives the line
/// that can be kept.
pub(crate) fn read_foreign(line: &str, now: Millis) -> (Read, Cow<'_, str>) {
    match parsed(line) {
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
            (digested(fields, None, &line, now), line)
        }
        Err(problem) => {
            let line = redact_text(line);
            (digested(Map::new(), Some(problem), &line, now), line)
        }
    }
}

/// Takes a record of our own apart. `now` is for records that do not say when they were made.
pub(crate) fn read(line: &str, now: Millis) -> Read {
    match parsed(line) {
        Ok(fields) => digested(fields, None, line, now),
        Err(problem) => digested(Map::new(), Some(problem), line, now),
    }
}

fn parsed(line: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("the record is no JSON object".to_owned()),
        Err(error) => Err(format!("the record is no JSON: {error}")),
    }
}

fn digested(
    mut fields: Map<String, Value>,
    problem: Option<String>,
    line: &str,
    now: Millis,
) -> Read {
    let id = filled(&fields, "id")
        .filter(|id| id.len() <= LONGEST_ID)
        // Without an id of its own, a record that is delivered twice is known by its content.
        .unwrap_or_else(|| format!("content:{}", hash(&[line])));
    let at = filled(&fields, "ts")
        .and_then(|text| Millis::parse(&text))
        .or_else(|| Millis::of_id(&id))
        .unwrap_or(now);
    let position = Position { at, id };
    match fields.get("kind").and_then(Value::as_str) {
        Some("async_hook") => {
            return Read::Hook(Box::new(HookRun::detached(&fields, position)));
        }
        Some("told") => return Read::Hook(Box::new(HookRun::told(&fields, position))),
        _ => {}
    }
    let mut seen = Observed::blank(position, &fields);
    seen.problem = problem.or_else(|| filled(&fields, "error"));
    seen.read_decision(&fields);
    let kind = seen.kind.clone();
    match event::of(&mut fields, &seen.agent, &kind) {
        Ok(Some(event)) => seen.read_event(event),
        Ok(None) => {}
        Err(message) => {
            seen.problem.get_or_insert(message);
        }
    }
    Read::Event(Box::new(seen))
}

impl Observed {
    fn blank(position: Position, fields: &Map<String, Value>) -> Self {
        Self {
            position,
            kind: filled(fields, "event").map_or_else(
                || "unknown".into(),
                |name| EventKind::parse(&name).name().to_owned(),
            ),
            agent: filled(fields, "agent").unwrap_or_else(|| "unknown".into()),
            session: filled(fields, "session").filter(|id| id.len() <= LONGEST_ID),
            project: filled(fields, "project"),
            transcript: None,
            subagent: None,
            tool: None,
            call_id: None,
            call_hash: None,
            parent: None,
            link: None,
            mark: None,
            action: None,
            verdict: None,
            messages: Vec::new(),
            activity: None,
            decided: None,
            hooks: Vec::new(),
            outcome: None,
            notification: None,
            usage: None,
            problem: None,
        }
    }

    fn read_event(&mut self, event: Event) {
        event.kind().name().clone_into(&mut self.kind);
        self.transcript.clone_from(&event.transcript);
        self.subagent = event.subagent.as_ref().map(|subagent| subagent.id.clone());
        if let Some(call) = event.call() {
            self.tool = Some(call.name.clone());
            self.call_id = call.id.clone().filter(|id| !id.is_empty());
            self.call_hash = match &self.call_id {
                // An input that is not told is no sign of sameness.
                None if call.input.is_null() => None,
                Some(id) if call.input.is_null() => Some(hash(&[id, &call.name])),
                _ => Some(hash(&["", &call.name, &json_text(&canonical(&call.input))])),
            };
        }
        self.read_family(&event);
        self.read_mark(&event);
        self.read_activity(&event);
        self.usage = Usage::of(&event);
    }

    /// Whether an exporter told it, and not a hook.
    pub(crate) fn is_telemetry(&self) -> bool {
        self.position.id.starts_with(TELEMETRY)
    }

    /// Whether the event is the session's own and not that of a subagent within it.
    fn is_main(&self) -> bool {
        self.subagent.is_none() || self.is_subagents_session()
    }

    /// Some agents give a subagent a session of its own, under the subagent's id.
    fn is_subagents_session(&self) -> bool {
        self.subagent.is_some() && self.subagent == self.session
    }
}

/// The text of a field, if there is any.
fn filled(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = fields.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// A value as JSON. Its `Display` says the same, and takes twice as long.
pub(crate) fn json_text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The same value with its keys in one order: agents do not always write them in the same.
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

/// What texts are, without saying them.
fn hash(texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
