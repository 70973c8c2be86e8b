//! The chat completions API: OpenAI, Ollama, LM Studio, vLLM and others.

use becket_agents::config::LlmConfig;
use serde_json::{Map, Value, json};

use super::http_provider::{self, ProviderEndpoint};
use super::{LanguageModel, ModelError, ModelRequest, ModelResponse, TokenUsage};
use crate::deadline::Deadline;
use crate::secret::Secret;
use crate::settings::ThinkSettings;

const DEFAULT_BASE: &str = "https://api.openai.com/v1";

/// A model behind the chat completions API.
pub(super) struct OpenAiModel(ProviderEndpoint);

impl OpenAiModel {
    pub(super) fn new(llm: &LlmConfig, settings: &ThinkSettings) -> Self {
        Self(ProviderEndpoint::new(
            llm,
            settings,
            DEFAULT_BASE,
            "chat/completions",
        ))
    }

    /// OpenAI's own API rejects `max_tokens`; other servers know only that name.
    fn limit_key(&self) -> &'static str {
        if self.0.url().starts_with(DEFAULT_BASE) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    fn body(&self, question: &ModelRequest) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = &question.system {
            messages.push(json!({ "role": "system", "content": system }));
        }
        messages.push(json!({ "role": "user", "content": question.prompt }));
        let mut body = json!({
            "model": self.0.model(question),
            "messages": messages,
            "stream": false,
        });
        body[self.limit_key()] = json!(self.0.max_tokens(question));
        if let Some(temperature) = self.0.temperature() {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = &question.schema {
            let schema = json!({ "name": "answer", "strict": true, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }
}

impl LanguageModel for OpenAiModel {
    fn complete(
        &self,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<ModelResponse, ModelError> {
        let bearer = |key: &Secret| {
            let words = format!("Bearer {}", key.reveal());
            ("authorization", Secret::new(words))
        };
        let reply = self.0.send(&self.body(question), &[], bearer, deadline)?;
        http_provider::response(&text(&reply)?, question, tokens(&reply))
    }
}

fn text(reply: &Map<String, Value>) -> Result<String, ModelError> {
    let bad = |why: &str| ModelError::BadAnswer(why.to_owned());
    let choices = reply.get("choices").and_then(Value::as_array);
    let message = choices
        .and_then(|choices| choices.first())
        .and_then(|choice| choice.get("message"))
        .ok_or_else(|| bad("it has no message"))?;
    if message.get("refusal").is_some_and(Value::is_string) {
        return Err(bad("the model refused"));
    }
    match message.get("content") {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => Ok(parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect()),
        Some(Value::Null) | None => Ok(String::new()),
        Some(_) => Err(bad("its content is not text")),
    }
}

fn tokens(reply: &Map<String, Value>) -> Option<TokenUsage> {
    let usage = reply.get("usage").filter(|usage| usage.is_object())?;
    Some(TokenUsage {
        input: http_provider::count(usage, "prompt_tokens"),
        output: http_provider::count(usage, "completion_tokens"),
    })
}
