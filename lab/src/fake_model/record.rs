//! Records requests and answers, for assertions.

use std::collections::BTreeSet;
use std::fmt;

use becket_base::text::ellipsize;
use serde_json::{Value, json};

use super::script::NativeCall;
use crate::scenario::ApiError;

/// One request of any kind.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// Its number in order of arrival, from 1.
    pub number: usize,
    /// The HTTP method.
    pub method: String,
    /// The path and query; for a proxy request, the address that the client tried to reach.
    pub target: String,
    /// Lower-case header names and values; credentials are replaced by `<set>`.
    pub headers: Vec<(String, String)>,
    /// The body if it is JSON, otherwise null.
    pub body: Value,
    /// How the server classified it.
    pub kind: RequestKind,
}

/// How the server classified a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestKind {
    /// A request for a model answer.
    Model(Box<ModelExchange>),
    /// A request for a token count.
    CountTokens,
    /// An attempt to reach another host.
    Stray,
    /// A body that does not fit the path.
    Malformed,
    /// Anything else: model lists, probes, telemetry.
    Other,
}

/// One model request and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelExchange {
    /// The wire protocol.
    pub protocol: &'static str,
    /// The parsed conversation of the request.
    pub conversation: ParsedConversation,
    /// The answer's position in the scenario.
    pub position: ScriptPosition,
    /// The answer.
    pub reply: ModelReply,
}

/// A parsed model request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedConversation {
    /// The requested model.
    pub model: String,
    /// The user's text before the model's first answer.
    pub opening: String,
    /// All texts with the user's role, without tool results.
    pub user: Vec<String>,
    /// All text with the system's role.
    pub system: String,
    /// The tool results.
    pub results: Vec<ToolResult>,
    /// The names of the offered tools.
    pub tools: Vec<String>,
    /// How many answers of the model the conversation has.
    pub answers: usize,
    /// Whether the client asked for a stream.
    pub streamed: bool,
    /// Whether the client asked for JSON.
    pub wants_json: bool,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Whether the client marks it as an error.
    pub is_error: bool,
}

/// The position of an answer in the scenario. Steps count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptPosition {
    /// A step of the conversation.
    Step(usize),
    /// After the last step; the number is the index of the missing step.
    After(usize),
    /// A side request, outside the conversation.
    Side,
}

/// The model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelReply {
    /// Text, calls, or both.
    Answer {
        /// The text; may be empty.
        text: String,
        /// The calls.
        calls: Vec<NativeCall>,
    },
    /// An API error.
    Error(ApiError),
}

/// One place where a marker reached the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkerSighting {
    /// The step that answered the request; none for a side request.
    pub step: Option<usize>,
    /// The part of the request.
    pub place: PromptPart,
}

/// A part of a model request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptPart {
    /// A tool result.
    ToolResult {
        /// Whether the client marks it as an error.
        is_error: bool,
    },
    /// Text with the user's role.
    User,
    /// Text with the system's role.
    System,
}

/// Where `marker` reached the model: each place once, ordered by step.
///
/// A request repeats the whole conversation, so later requests contain the marker again.
pub fn marker_sightings(requests: &[RecordedRequest], marker: &str) -> Vec<MarkerSighting> {
    let mut found = BTreeSet::new();
    for exchange in requests.iter().filter_map(RecordedRequest::exchange) {
        let step = exchange.step();
        let conversation = &exchange.conversation;
        let places = conversation
            .results
            .iter()
            .filter(|result| result.text.contains(marker))
            .map(|result| PromptPart::ToolResult {
                is_error: result.is_error,
            })
            .chain(holds(&conversation.user, marker).then_some(PromptPart::User))
            .chain(
                conversation
                    .system
                    .contains(marker)
                    .then_some(PromptPart::System),
            );
        found.extend(places.map(|place| MarkerSighting { step, place }));
    }
    found.into_iter().collect()
}

fn holds(texts: &[String], marker: &str) -> bool {
    texts.iter().any(|text| text.contains(marker))
}

impl RecordedRequest {
    /// The model exchange, if the request is one.
    pub fn exchange(&self) -> Option<&ModelExchange> {
        match &self.kind {
            RequestKind::Model(exchange) => Some(exchange),
            _ => None,
        }
    }

    /// Everything, as one JSON value.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "number": self.number,
            "method": self.method,
            "target": self.target,
            "summary": self.to_string(),
            "headers": self.headers.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "body": self.body,
        })
    }
}

impl ModelExchange {
    /// The step that was played, or the index of the missing one; none for a side request.
    pub fn step(&self) -> Option<usize> {
        match self.position {
            ScriptPosition::Step(index) | ScriptPosition::After(index) => Some(index),
            ScriptPosition::Side => None,
        }
    }
}

impl fmt::Display for MarkerSighting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(out, "step {step}: ")?,
            None => write!(out, "side: ")?,
        }
        out.write_str(match self.place {
            PromptPart::ToolResult { is_error: true } => "tool result (error)",
            PromptPart::ToolResult { is_error: false } => "tool result",
            PromptPart::User => "user",
            PromptPart::System => "system",
        })
    }
}

impl fmt::Display for RecordedRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{} {} {}", self.number, self.method, self.target)?;
        match &self.kind {
            RequestKind::Model(exchange) => write!(out, "\n{exchange}"),
            RequestKind::CountTokens => out.write_str(" (count tokens)"),
            RequestKind::Stray => out.write_str(" (stray: meant for another host)"),
            RequestKind::Malformed => out.write_str(" (malformed)"),
            RequestKind::Other => Ok(()),
        }
    }
}

impl fmt::Display for ModelExchange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.conversation.user.last() {
            writeln!(out, "  last user text: {}", excerpt(text))?;
        }
        for result in &self.conversation.results {
            let label = if result.is_error { "error" } else { "result" };
            writeln!(out, "  {label} of {}: {}", result.id, excerpt(&result.text))?;
        }
        match self.position {
            ScriptPosition::Step(index) => write!(out, "  step {index}:")?,
            ScriptPosition::After(index) => write!(out, "  after the steps ({index}):")?,
            ScriptPosition::Side => write!(out, "  side:")?,
        }
        match &self.reply {
            ModelReply::Error(error) => write!(out, " error {} {}", error.status, error.kind),
            ModelReply::Answer { text, calls } => {
                if !text.is_empty() {
                    write!(out, " say {}", excerpt(text))?;
                }
                for call in calls {
                    let input = call.input.to_string();
                    write!(out, " call {} {}", call.name, excerpt(&input))?;
                }
                Ok(())
            }
        }
    }
}

/// The start of a text on one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 300;
    format!("{:?}", ellipsize(text, LONGEST))
}
