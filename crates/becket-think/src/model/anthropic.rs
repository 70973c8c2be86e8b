//! Anthropic's messages.

use becket_agents::config::Llm;
use serde_json::{Map, Value, json};

use super::wire::{self, Endpoint};
use super::{Answer, Model, ModelError, Question, Tokens};
use crate::deadline::Deadline;
use crate::secret::Secret;
use crate::settings::ThinkSettings;

const OWN_BASE: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";

/// The tool whose input an answer in JSON is.
const ANSWER_TOOL: &str = "answer";

/// A provider of messages.
pub(super) struct Anthropic(Endpoint);

impl Anthropic {
    pub(super) fn new(llm: &Llm, settings: &ThinkSettings) -> Self {
        Self(Endpoint::new(llm, settings, OWN_BASE, "messages"))
    }

    fn body(&self, question: &Question) -> Value {
        let mut body = json!({
            "model": self.0.model(question),
            "max_tokens": self.0.max_tokens(question),
            "messages": [{ "role": "user", "content": question.prompt }],
        });
        if let Some(system) = &question.system {
            body["system"] = json!(system);
        }
        if let Some(temperature) = self.0.temperature() {
            // The scale ends at 1 there.
            body["temperature"] = json!(temperature.min(1.0));
        }
        if let Some(schema) = &question.schema {
            let tool = json!({
                "name": ANSWER_TOOL, "description": "Gives the answer.", "input_schema": schema,
            });
            body["tools"] = json!([tool]);
            body["tool_choice"] = json!({ "type": "tool", "name": ANSWER_TOOL });
        }
        body
    }
}

impl Model for Anthropic {
    fn ask(&self, question: &Question, deadline: &Deadline) -> Result<Answer, ModelError> {
        let version = [("anthropic-version", VERSION)];
        let sign = |key: &Secret| ("x-api-key", key.clone());
        let reply = self
            .0
            .send(&self.body(question), &version, sign, deadline)?;
        wire::answer(&text(&reply)?, question, tokens(&reply))
    }
}

fn text(reply: &Map<String, Value>) -> Result<String, ModelError> {
    if reply.get("stop_reason").and_then(Value::as_str) == Some("refusal") {
        return Err(ModelError::BadAnswer("the model declined".to_owned()));
    }
    let Some(Value::Array(blocks)) = reply.get("content") else {
        return Err(ModelError::BadAnswer("it has no content".to_owned()));
    };
    // Blocks of other types hold what the model thought.
    Ok(blocks
        .iter()
        .filter_map(|block| match block.get("type")?.as_str()? {
            "text" => Some(block.get("text")?.as_str()?.to_owned()),
            "tool_use" => Some(block.get("input")?.to_string()),
            _ => None,
        })
        .collect())
}

fn tokens(reply: &Map<String, Value>) -> Option<Tokens> {
    let usage = reply.get("usage").filter(|usage| usage.is_object())?;
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|key| wire::count(usage, key));
    Some(Tokens {
        input: cached
            .into_iter()
            .fold(wire::count(usage, "input_tokens"), u64::saturating_add),
        output: wire::count(usage, "output_tokens"),
    })
}
