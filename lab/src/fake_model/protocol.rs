//! What the server needs of a wire protocol, and the list of those it speaks.

use serde_json::{Value, json};

use super::anthropic::Anthropic;
use super::gemini::Gemini;
use super::http::{Event, Response};
use super::openai_chat::OpenAiChat;
use super::openai_responses::OpenAiResponses;
use super::record::{Heard, Position, Reply};
use crate::scenario::ApiError;

/// The protocols, in the order in which they are asked about a path.
pub(super) const PROTOCOLS: &[&dyn Protocol] =
    &[&Anthropic, &OpenAiResponses, &OpenAiChat, &Gemini];

/// What a POST wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Answer,
    TokenCount,
}

/// An answer to be put into a protocol's words.
pub(super) struct Answer<'a> {
    pub(super) heard: &'a Heard,
    pub(super) position: Position,
    pub(super) reply: &'a Reply,
    /// The number of the request, for ids that must be unique.
    pub(super) number: usize,
}

/// One wire protocol. Pure: JSON in, a response out.
pub(super) trait Protocol: Sync {
    fn name(&self) -> &'static str;

    /// What a POST to `path` wants, or nothing where the path is not of this protocol.
    fn route(&self, path: &str) -> Option<Wants>;

    /// Reads a conversation. What is missing or of another shape counts as not there.
    fn read(&self, path: &str, body: &Value) -> Heard;

    fn answer(&self, answer: &Answer<'_>) -> Response;

    /// Only asked for where [`Protocol::route`] has said so.
    fn token_count(&self) -> Response {
        Response::refusal(404, "this protocol does not count tokens")
    }
}

/// The protocol for a path, and what the path wants of it.
pub(super) fn route(path: &str) -> Option<(&'static dyn Protocol, Wants)> {
    let mut asked = PROTOCOLS.iter();
    asked.find_map(|protocol| Some((*protocol, protocol.route(path)?)))
}

impl Answer<'_> {
    /// The id of a call. The number of the request keeps ids apart where two conversations of one
    /// session play the same step, as a client and its subagent do.
    pub(super) fn call_id(&self, prefix: &str, index: usize) -> String {
        match self.position {
            Position::Step(step) | Position::After(step) => {
                format!("{prefix}_{}_{step}_{index}", self.number)
            }
            Position::Side => format!("{prefix}_{}_side_{index}", self.number),
        }
    }
}

impl Heard {
    /// Takes in what was said in the user's role.
    pub(super) fn hear_user(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        if self.answers == 0 {
            add_line(&mut self.opening, &text);
        }
        self.user.push(text);
    }

    /// Takes in what was said in the system's role.
    pub(super) fn hear_system(&mut self, text: &str) {
        if !text.is_empty() {
            add_line(&mut self.system, text);
        }
    }
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// The strings under `key` in a list of objects.
pub(super) fn names<'a>(list: &'a Value, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(move |item| item[key].as_str())
        .map(str::to_owned)
}

/// A string, or nothing for anything else.
pub(super) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A scripted error in the words of OpenAI's APIs.
pub(super) fn openai_failure(error: &ApiError) -> Response {
    let body = json!({
        "error": { "message": error.message, "type": error.kind, "param": null, "code": error.kind },
    });
    Response::json(error.status, body)
}

/// An event whose name is also the `type` of its data.
pub(super) fn named_event(name: &'static str, data: &Value) -> Event {
    Event {
        name: Some(name),
        data: data.to_string(),
    }
}

/// An event without a name.
pub(super) fn plain_event(data: impl ToString) -> Event {
    Event {
        name: None,
        data: data.to_string(),
    }
}

/// The text in a value that is a string, a block with text or content, or a list of such.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(text_of).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(block) => {
            let inner = block.get("text").or_else(|| block.get("content"));
            inner.map(text_of).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}
