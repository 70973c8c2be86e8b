//! Shared code of the HTTP providers: JSON request, JSON response, retries.

use becket_agents::config::LlmConfig;
use chrono::Utc;
use serde_json::{Map, Value};

use super::retry::{AttemptError, RetryAfter, retry_after_status, with_retries};
use super::{MAX_TOKENS, ModelError, ModelRequest, ModelResponse, TokenUsage, api_key};
use crate::deadline::Deadline;
use crate::http::{BODY_LIMIT, HttpClient, HttpError, HttpRequest, HttpResponse};
use crate::secret::{Secret, one_line};
use crate::settings::{EnvLookup, ThinkSettings};

/// Default number of retries.
const DEFAULT_RETRIES: u32 = 2;

/// The URL, settings and client of a provider.
pub(super) struct ProviderEndpoint {
    url: String,
    llm: LlmConfig,
    env: EnvLookup,
    client: HttpClient,
}

impl ProviderEndpoint {
    /// Uses the configured base URL, else the provider's default.
    pub(super) fn new(llm: &LlmConfig, settings: &ThinkSettings, own: &str, path: &str) -> Self {
        Self {
            url: join(llm.base_url.as_deref().unwrap_or(own), path),
            llm: llm.clone(),
            env: settings.env.clone(),
            client: HttpClient::trusted(settings),
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn model<'a>(&'a self, question: &'a ModelRequest) -> &'a str {
        let own = self.llm.model.as_deref().unwrap_or_default();
        question.model.as_deref().unwrap_or(own)
    }

    pub(super) fn max_tokens(&self, question: &ModelRequest) -> u32 {
        let requested = question.max_tokens.or(self.llm.max_tokens);
        requested.unwrap_or(MAX_TOKENS)
    }

    pub(super) fn temperature(&self) -> Option<f64> {
        self.llm.temperature
    }

    /// Sends a request body and retries where that makes sense. `sign` makes the header that carries the key.
    pub(super) fn send(
        &self,
        body: &Value,
        more: &[(&str, &str)],
        sign: impl FnOnce(&Secret) -> (&'static str, Secret),
        deadline: &Deadline,
    ) -> Result<Map<String, Value>, ModelError> {
        let key = api_key::find_api_key(self.llm.key.as_ref(), &self.env, deadline)?;
        let mut headers = vec![("content-type".to_owned(), Secret::new("application/json"))];
        let more = more
            .iter()
            .map(|(name, value)| (*name, Secret::new(*value)));
        for (name, value) in more.chain(key.as_ref().map(sign)) {
            headers.push((name.to_owned(), value));
        }
        let exchange = ProviderRequest {
            client: &self.client,
            url: &self.url,
            headers,
            key,
            body: body.to_string(),
        };
        let retries = self.llm.retries.unwrap_or(DEFAULT_RETRIES);
        with_retries(retries, deadline, || exchange.attempt(deadline))
    }
}

struct ProviderRequest<'a> {
    client: &'a HttpClient,
    url: &'a str,
    headers: Vec<(String, Secret)>,
    key: Option<Secret>,
    body: String,
}

impl ProviderRequest<'_> {
    fn attempt(&self, deadline: &Deadline) -> Result<Map<String, Value>, AttemptError> {
        let post = HttpRequest {
            url: self.url,
            headers: &self.headers,
            body: self.body.as_bytes(),
        };
        let reply = self.client.post(&post, deadline).map_err(transport_error)?;
        self.parse_response(&reply)
    }

    fn parse_response(&self, reply: &HttpResponse) -> Result<Map<String, Value>, AttemptError> {
        let body: Option<Map<String, Value>> = serde_json::from_slice(&reply.body).ok();
        if !reply.is_success() {
            let again = retry_after_status(reply.status, reply.retry_after.as_deref(), Utc::now());
            let message = self.error_message(body.as_ref(), reply);
            let status = reply.status;
            let error = ModelError::Refused { status, message };
            return Err(AttemptError {
                error,
                retry: again,
            });
        }
        match body {
            Some(body) => Ok(body),
            None if reply.truncated => {
                let why = format!("it is longer than {BODY_LIMIT} bytes");
                Err(ModelError::BadAnswer(why).into())
            }
            None => Err(ModelError::BadAnswer("it is not a JSON object".to_owned()).into()),
        }
    }

    /// The provider's error message with the key removed, since providers may echo it.
    fn error_message(&self, body: Option<&Map<String, Value>>, reply: &HttpResponse) -> String {
        let error = body.and_then(|body| body.get("error"));
        let message = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
        let text = String::from_utf8_lossy(&reply.body);
        // Scrub the whole text before it is shortened; a cut could leave half a key.
        let message = message.unwrap_or(&text);
        let scrubbed = match &self.key {
            Some(key) => key.scrub(message),
            None => message.to_owned(),
        };
        one_line(&scrubbed)
    }
}

fn transport_error(error: HttpError) -> AttemptError {
    let again = match error {
        HttpError::NotConnected { .. } | HttpError::Broken { .. } => RetryAfter::Backoff,
        _ => RetryAfter::Never,
    };
    let error = match error {
        HttpError::TimedOut => ModelError::TimedOut,
        HttpError::Cancelled => ModelError::Cancelled,
        other => ModelError::Unreachable(other.to_string()),
    };
    AttemptError {
        error,
        retry: again,
    }
}

/// Builds the response; an empty answer is an error.
pub(super) fn response(
    text: &str,
    question: &ModelRequest,
    tokens: Option<TokenUsage>,
) -> Result<ModelResponse, ModelError> {
    let tokens = tokens.unwrap_or_else(|| TokenUsage::estimate(question.length(), text.len()));
    let text = becket_runner::prompt::without_thoughts(text).trim();
    if text.is_empty() {
        return Err(ModelError::BadAnswer(
            "it is empty; `max_tokens` may be too small".to_owned(),
        ));
    }
    Ok(ModelResponse {
        text: text.to_owned(),
        tokens,
    })
}

/// Joins a base URL and a path, with `/v1` in between if the base has no path.
fn join(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    let has_path = base
        .split_once("://")
        .is_some_and(|(_, rest)| rest.contains('/'));
    if has_path {
        format!("{base}/{path}")
    } else {
        format!("{base}/v1/{path}")
    }
}

/// Reads a counter of a `usage` object.
pub(super) fn count(usage: &Value, key: &str) -> u64 {
    usage.get(key).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_without_a_path_gets_v1() {
        for (base, expected) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat"),
            ("https://h/v1/", "https://h/v1/chat"),
            ("https://h/api/v3", "https://h/api/v3/chat"),
        ] {
            assert_eq!(join(base, "chat"), expected);
        }
    }
}
