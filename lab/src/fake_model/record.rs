//! What the server was asked and what it answered, for assertions.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use super::script::NativeCall;
use crate::scenario::ApiError;

/// One request, whatever it was for.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its place in the order of arrival, from 1.
    pub number: usize,
    /// The HTTP method.
    pub method: String,
    /// The path and query, or for a proxy request what the client wanted to reach.
    pub target: String,
    /// Header names in lower case and values; credentials are replaced by `<set>`.
    pub headers: Vec<(String, String)>,
    /// The body where it was JSON, otherwise null.
    pub body: Value,
    /// What the server made of it.
    pub kind: Kind,
}

/// What the server made of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The model was asked for an answer.
    Model(Box<Exchange>),
    /// The model was asked to count tokens.
    CountTokens,
    /// The client tried to reach another host.
    Stray,
    /// The body was not what the path promises.
    Malformed,
    /// Anything else: listings of models, probes, telemetry.
    Other,
}

/// One question to the model and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The wire protocol.
    pub protocol: &'static str,
    /// What the request said.
    pub heard: Heard,
    /// Where in the scenario the answer comes from.
    pub position: Position,
    /// The answer.
    pub reply: Reply,
}

/// A request to the model, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heard {
    /// The model that was asked for.
    pub model: String,
    /// The user's text before the model first answered.
    pub opening: String,
    /// Everything said in the user's role, results of tools excepted.
    pub user: Vec<String>,
    /// Everything said in the system's role.
    pub system: String,
    /// What the tools gave back.
    pub results: Vec<ToolResult>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// How often the model has answered in this conversation.
    pub answers: usize,
    /// Whether the answer is to be streamed.
    pub streamed: bool,
    /// Whether the answer is to be JSON.
    pub wants_json: bool,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call that it answers.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Whether the client calls it an error.
    pub is_error: bool,
}

/// Where in the scenario an answer comes from. Steps count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// This step of the conversation.
    Step(usize),
    /// The steps are used up; this is the number that a further one would have.
    After(usize),
    /// Nowhere: the request was beside the conversation.
    Side,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Text, calls, or both.
    Answer {
        /// The text; empty for none.
        text: String,
        /// The calls.
        calls: Vec<NativeCall>,
    },
    /// An error of the API.
    Error(ApiError),
}

/// One place where a marker reached the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// The step that was played to the request, or none beside the conversation.
    pub step: Option<usize>,
    /// The place within the request.
    pub place: Place,
}

/// A place within a request to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In what a tool gave back.
    ToolResult {
        /// Whether the client called it an error.
        is_error: bool,
    },
    /// In the user's role.
    User,
    /// In the system's role.
    System,
}

/// Where `marker` reached the model: each place once, by step.
///
/// A request repeats the whole conversation, so a marker is also in the requests that follow.
pub fn told_model(requests: &[Recorded], marker: &str) -> Vec<Told> {
    let mut found = BTreeSet::new();
    for exchange in requests.iter().filter_map(Recorded::exchange) {
        let step = exchange.step();
        let heard = &exchange.heard;
        let places = heard
            .results
            .iter()
            .filter(|result| result.text.contains(marker))
            .map(|result| Place::ToolResult {
                is_error: result.is_error,
            })
            .chain(holds(&heard.user, marker).then_some(Place::User))
            .chain(heard.system.contains(marker).then_some(Place::System));
        found.extend(places.map(|place| Told { step, place }));
    }
    found.into_iter().collect()
}

fn holds(texts: &[String], marker: &str) -> bool {
    texts.iter().any(|text| text.contains(marker))
}

impl Recorded {
    /// The question to the model, if it was one.
    pub fn exchange(&self) -> Option<&Exchange> {
        match &self.kind {
            Kind::Model(exchange) => Some(exchange),
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

impl Exchange {
    /// The step that was played, or would have been had there been one more; none beside the
    /// conversation.
    pub fn step(&self) -> Option<usize> {
        match self.position {
            Position::Step(index) | Position::After(index) => Some(index),
            Position::Side => None,
        }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(out, "step {step}: ")?,
            None => write!(out, "side: ")?,
        }
        out.write_str(match self.place {
            Place::ToolResult { is_error: true } => "tool result (error)",
            Place::ToolResult { is_error: false } => "tool result",
            Place::User => "user",
            Place::System => "system",
        })
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{} {} {}", self.number, self.method, self.target)?;
        match &self.kind {
            Kind::Model(exchange) => write!(out, "\n{exchange}"),
            Kind::CountTokens => out.write_str(" (count tokens)"),
            Kind::Stray => out.write_str(" (stray: meant for another host)"),
            Kind::Malformed => out.write_str(" (malformed)"),
            Kind::Other => Ok(()),
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.heard.user.last() {
            writeln!(out, "  last user text: {}", excerpt(text))?;
        }
        for result in &self.heard.results {
            let label = if result.is_error { "error" } else { "result" };
            writeln!(out, "  {label} of {}: {}", result.id, excerpt(&result.text))?;
        }
        match self.position {
            Position::Step(index) => write!(out, "  step {index}:")?,
            Position::After(index) => write!(out, "  after the steps ({index}):")?,
            Position::Side => write!(out, "  side:")?,
        }
        match &self.reply {
            Reply::Error(error) => write!(out, " error {} {}", error.status, error.kind),
            Reply::Answer { text, calls } => {
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

/// The beginning of a text on one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}
