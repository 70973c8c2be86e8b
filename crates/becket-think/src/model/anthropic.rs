//! Anthropic's messages.

use becket_agents::config::{KeySource, Llm};
use serde_json::{Map, Value, json};

use super::wire::{self, Exchange, RETRIES};
use super::{Answer, MAX_TOKENS, Model, ModelError, Question, Tokens, key};
use crate::deadline::Deadline;
use crate::http::Client;
use crate::secret::Secret;
use crate::settings::{Env, ThinkSettings};

const OWN_BASE: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";

/// The tool whose input an answer in JSON is.
const ANSWER_TOOL: &str = "answer";

/// A provider of messages.
pub(super) struct Anthropic {
    url: String,
    model: String,
    key: Option<KeySource>,
    max_tokens: u32,
    temperature: Option<f64>,
    retries: u32,
    env: Env,
    client: Client,
}

impl Anthropic {
    pub(super) fn new(llm: &Llm, settings: &ThinkSettings) -> Self {
        let base = llm.base_url.as_deref().unwrap_or(OWN_BASE);
        Self {
            url: wire::join(base, "messages"),
            model: llm.model.clone().unwrap_or_default(),
            key: llm.key.clone(),
            max_tokens: llm.max_tokens.unwrap_or(MAX_TOKENS),
            temperature: llm.temperature,
            retries: llm.retries.unwrap_or(RETRIES),
            env: settings.env.clone(),
            client: Client::trusted(settings),
        }
    }

    fn body(&self, question: &Question) -> Value {
        let mut body = json!({
            "model": question.model.as_ref().unwrap_or(&self.model),
            "max_tokens": question.max_tokens.unwrap_or(self.max_tokens),
            "messages": [{ "role": "user", "content": question.prompt }],
        });
        if let Some(system) = &question.system {
            body["system"] = json!(system);
        }
        if let Some(temperature) = self.temperature {
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
        let key = key::find(self.key.as_ref(), &self.env, deadline)?;
        let mut headers = vec![
            ("content-type".to_owned(), Secret::new("application/json")),
            ("anthropic-version".to_owned(), Secret::new(VERSION)),
        ];
        if let Some(key) = &key {
            headers.push(("x-api-key".to_owned(), key.clone()));
        }
        let exchange = Exchange {
            client: &self.client,
            url: &self.url,
            headers,
            key,
            body: self.body(question),
            retries: self.retries,
        };
        let reply = exchange.send(deadline)?;
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
