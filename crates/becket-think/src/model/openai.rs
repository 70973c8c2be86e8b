//! Chat completions: OpenAI, Ollama, LM Studio, vLLM and many more.

use becket_agents::config::{KeySource, Llm};
use serde_json::{Map, Value, json};

use super::wire::{self, Exchange, RETRIES};
use super::{Answer, MAX_TOKENS, Model, ModelError, Question, Tokens, key};
use crate::deadline::Deadline;
use crate::http::Client;
use crate::secret::Secret;
use crate::settings::{Env, ThinkSettings};

const OWN_BASE: &str = "https://api.openai.com/v1";

/// A provider of chat completions.
pub(super) struct OpenAi {
    url: String,
    /// OpenAI's own models refuse the older name of the limit, which is the only one that others know.
    limit_key: &'static str,
    model: String,
    key: Option<KeySource>,
    max_tokens: u32,
    temperature: Option<f64>,
    retries: u32,
    env: Env,
    client: Client,
}

impl OpenAi {
    pub(super) fn new(llm: &Llm, settings: &ThinkSettings) -> Self {
        let base = llm.base_url.as_deref().unwrap_or(OWN_BASE);
        Self {
            url: wire::join(base, "chat/completions"),
            limit_key: if base.contains("://api.openai.com") {
                "max_completion_tokens"
            } else {
                "max_tokens"
            },
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
        let mut messages = Vec::new();
        if let Some(system) = &question.system {
            messages.push(json!({ "role": "system", "content": system }));
        }
        messages.push(json!({ "role": "user", "content": question.prompt }));
        let mut body = json!({
            "model": question.model.as_ref().unwrap_or(&self.model),
            "messages": messages,
            "stream": false,
        });
        body[self.limit_key] = json!(question.max_tokens.unwrap_or(self.max_tokens));
        if let Some(temperature) = self.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = &question.schema {
            let schema = json!({ "name": "answer", "strict": true, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }
}

impl Model for OpenAi {
    fn ask(&self, question: &Question, deadline: &Deadline) -> Result<Answer, ModelError> {
        let key = key::find(self.key.as_ref(), &self.env, deadline)?;
        let mut headers = vec![("content-type".to_owned(), Secret::new("application/json"))];
        if let Some(key) = &key {
            let bearer = Secret::new(format!("Bearer {}", key.reveal()));
            headers.push(("authorization".to_owned(), bearer));
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
    let bad = |why: &str| ModelError::BadAnswer(why.to_owned());
    let choices = reply.get("choices").and_then(Value::as_array);
    let message = choices
        .and_then(|choices| choices.first())
        .and_then(|choice| choice.get("message"))
        .ok_or_else(|| bad("it has no message"))?;
    if message.get("refusal").is_some_and(Value::is_string) {
        return Err(bad("the model declined"));
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

fn tokens(reply: &Map<String, Value>) -> Option<Tokens> {
    let usage = reply.get("usage").filter(|usage| usage.is_object())?;
    Some(Tokens {
        input: wire::count(usage, "prompt_tokens"),
        output: wire::count(usage, "completion_tokens"),
    })
}
