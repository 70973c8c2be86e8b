//! The interface of a wire protocol, and the list of supported ones.

use serde_json::{Value, json};

use super::anthropic::Anthropic;
use super::gemini::GeminiApi;
use super::http::{HttpResponse, SseEvent};
use super::openai_chat::OpenAiChat;
use super::openai_responses::OpenAiResponses;
use super::record::{ModelReply, ParsedConversation, ScriptPosition};
use crate::scenario::ApiError;

/// The protocols, in the order in which a path is matched.
pub(super) const PROTOCOLS: &[&dyn Protocol] =
    &[&Anthropic, &OpenAiResponses, &OpenAiChat, &GeminiApi];

/// What a POST request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedResult {
    Answer,
    TokenCount,
}

/// An answer to render, with its conversation and position.
pub(super) struct ReplyContext<'a> {
    pub(super) conversation: &'a ParsedConversation,
    pub(super) position: ScriptPosition,
    pub(super) reply: &'a ModelReply,
    /// The number of the request, for unique ids.
    pub(super) number: usize,
}

/// One wire protocol: a pure mapping from JSON to a response.
pub(super) trait Protocol: Sync {
    fn name(&self) -> &'static str;

    /// What a POST to `path` asks for; `None` if the path is not of this protocol.
    fn route(&self, path: &str) -> Option<RequestedResult>;

    /// Parses a conversation. Missing or malformed parts count as absent.
    fn read(&self, path: &str, body: &Value) -> ParsedConversation;

    fn render(&self, context: &ReplyContext<'_>) -> HttpResponse;

    /// The token count, only called if [`Protocol::route`] asked for it.
    fn token_count(&self) -> HttpResponse {
        HttpResponse::refusal(404, "this protocol does not count tokens")
    }
}

/// The protocol for a path, and what the path asks for.
pub(super) fn route(path: &str) -> Option<(&'static dyn Protocol, RequestedResult)> {
    let mut asked = PROTOCOLS.iter();
    asked.find_map(|protocol| Some((*protocol, protocol.route(path)?)))
}

impl ReplyContext<'_> {
    /// The id of a call. The request number keeps ids unique if two conversations of one session play the same step, as a
    /// client and its subagent do.
    pub(super) fn call_id(&self, prefix: &str, index: usize) -> String {
        match self.position {
            ScriptPosition::Step(step) | ScriptPosition::After(step) => {
                format!("{prefix}_{}_{step}_{index}", self.number)
            }
            ScriptPosition::Side => format!("{prefix}_{}_side_{index}", self.number),
        }
    }
}

impl ParsedConversation {
    /// Adds text with the user's role.
    pub(super) fn add_user_text(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        if self.answers == 0 {
            add_line(&mut self.opening, &text);
        }
        self.user.push(text);
    }

    /// Adds text with the system's role.
    pub(super) fn add_system_text(&mut self, text: &str) {
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

/// A string; empty for any other value.
pub(super) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A scripted error in the format of OpenAI's APIs.
pub(super) fn openai_failure(error: &ApiError) -> HttpResponse {
    let body = json!({
        "error": { "message": error.message, "type": error.kind, "param": null, "code": error.kind },
    });
    HttpResponse::json(error.status, body)
}

/// An event whose name is also the `type` of its data.
pub(super) fn named_event(name: &'static str, data: &Value) -> SseEvent {
    SseEvent {
        name: Some(name),
        data: data.to_string(),
    }
}

/// An event without a name.
pub(super) fn plain_event(data: impl ToString) -> SseEvent {
    SseEvent {
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
