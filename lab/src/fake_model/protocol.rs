//! What the server needs of a wire protocol, and the list of those it speaks.

use serde_json::Value;

use super::anthropic::Anthropic;
use super::http::Response;
use super::record::{Heard, Position, Reply};

/// The protocols, in the order in which they are asked about a path.
pub(super) const PROTOCOLS: &[&dyn Protocol] = &[&Anthropic];

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

    fn token_count(&self) -> Response;
}

/// The protocol for a path, and what the path wants of it.
pub(super) fn route(path: &str) -> Option<(&'static dyn Protocol, Wants)> {
    let mut asked = PROTOCOLS.iter();
    asked.find_map(|protocol| Some((*protocol, protocol.route(path)?)))
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
