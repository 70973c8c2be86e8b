//! The Anthropic messages API.

use becket_agents::config::LlmConfig;
use serde_json::{Map, Value, json};

use super::http_provider::{self, ProviderEndpoint};
use super::{LanguageModel, ModelError, ModelRequest, ModelResponse, TokenUsage};
use crate::deadline::Deadline;
use crate::secret::Secret;
use crate::settings::ThinkSettings;

const DEFAULT_BASE: &str = "https://api.anthropic.com";
const API_VERSION: &str = "2023-06-01";

/// The tool whose input carries a JSON answer.
const ANSWER_TOOL: &str = "answer";

/// A model behind the Anthropic messages API.
pub(super) struct AnthropicModel(ProviderEndpoint);

impl AnthropicModel {
    pub(super) fn new(llm: &LlmConfig, settings: &ThinkSettings) -> Self {
        Self(ProviderEndpoint::new(
            llm,
            settings,
            DEFAULT_BASE,
            "messages",
        ))
    }

    fn body(&self, question: &ModelRequest) -> Value {
        let mut body = json!({
            "model": self.0.model(question),
            "max_tokens": self.0.max_tokens(question),
            "messages": [{ "role": "user", "content": question.prompt }],
        });
        if let Some(system) = &question.system {
            body["system"] = json!(system);
        }
        if let Some(temperature) = self.0.temperature() {
            // The API accepts at most 1.
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

impl LanguageModel for AnthropicModel {
    fn complete(
        &self,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<ModelResponse, ModelError> {
        let version = [("anthropic-version", API_VERSION)];
        let sign = |key: &Secret| ("x-api-key", key.clone());
        let reply = self
            .0
            .send(&self.body(question), &version, sign, deadline)?;
        http_provider::response(&text(&reply)?, question, tokens(&reply))
    }
}

fn text(reply: &Map<String, Value>) -> Result<String, ModelError> {
    if reply.get("stop_reason").and_then(Value::as_str) == Some("refusal") {
        return Err(ModelError::BadAnswer("the model refused".to_owned()));
    }
    let Some(Value::Array(blocks)) = reply.get("content") else {
        return Err(ModelError::BadAnswer("it has no content".to_owned()));
    };
    // Blocks of other types contain the model's reasoning.
    Ok(blocks
        .iter()
        .filter_map(|block| match block.get("type")?.as_str()? {
            "text" => Some(block.get("text")?.as_str()?.to_owned()),
            "tool_use" => Some(block.get("input")?.to_string()),
            _ => None,
        })
        .collect())
}

fn tokens(reply: &Map<String, Value>) -> Option<TokenUsage> {
    let usage = reply.get("usage").filter(|usage| usage.is_object())?;
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|key| http_provider::count(usage, key));
    Some(TokenUsage {
        input: cached.into_iter().fold(
            http_provider::count(usage, "input_tokens"),
            u64::saturating_add,
        ),
        output: http_provider::count(usage, "output_tokens"),
    })
}
