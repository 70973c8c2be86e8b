//! Embedding endpoints: OpenAI's `/v1/embeddings`, which many servers implement, and Ollama's API.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use becket_base::sync::MutexExt;
use becket_base::text::prefix_bytes;
use becket_guard::redact::redact_text;
use serde_json::{Value, json};
use ureq::Agent;

use super::{EmbedError, Embedder, normalise};

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size of an input; models for code accept about this much.
const MAX_INPUT_BYTES: usize = 6_000;

/// The protocol of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndpointProtocol {
    /// `POST <base>/embeddings`: OpenAI, LM Studio, vLLM and others.
    #[default]
    OpenAi,
    /// `POST <base>/api/embed`.
    Ollama,
}

/// Reads the API key when it is needed. The key is not stored.
#[derive(Clone)]
pub struct ApiKey(Arc<dyn Fn() -> Result<String, String> + Send + Sync>);

impl ApiKey {
    /// A key that is read for every request.
    pub fn new(ask: impl Fn() -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The address and model of an endpoint.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// The protocol.
    pub protocol: EndpointProtocol,
    /// The base URL: `https://api.openai.com/v1`, `http://127.0.0.1:11434`.
    pub base: String,
    /// The model name.
    pub model: String,
    /// The API key, if required.
    pub key: Option<ApiKey>,
    /// Texts per request.
    pub batch: usize,
    /// Timeout of a request.
    pub timeout: Duration,
}

impl EndpointConfig {
    /// 64 texts per request, 30 seconds timeout.
    pub fn new(protocol: EndpointProtocol, base: &str, model: &str) -> Self {
        Self {
            protocol,
            base: base.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key: None,
            batch: 64,
            timeout: Duration::from_secs(30),
        }
    }

    fn url(&self) -> String {
        match self.protocol {
            EndpointProtocol::OpenAi => format!("{}/embeddings", self.base),
            EndpointProtocol::Ollama => format!("{}/api/embed", self.base),
        }
    }
}

/// A model behind an endpoint.
#[derive(Debug)]
pub struct EndpointModel {
    config: EndpointConfig,
    agent: Agent,
    id: String,
    dimensions: usize,
    last_error: Mutex<Option<String>>,
}

impl EndpointModel {
    /// Requests one vector to learn the number of dimensions.
    pub fn connect(config: EndpointConfig) -> Result<Self, EmbedError> {
        if !config.base.starts_with("http://") && !config.base.starts_with("https://") {
            return Err(EmbedError::BadUrl(config.base));
        }
        let agent = Agent::new_with_config(
            Agent::config_builder()
                .max_redirects(0)
                .max_redirects_will_error(false)
                .http_status_as_error(false)
                .build(),
        );
        let mut endpoint = Self {
            id: String::new(),
            dimensions: 0,
            agent,
            config,
            last_error: Mutex::default(),
        };
        let probe = endpoint.request(&["becket"], endpoint.config.timeout)?;
        endpoint.dimensions = probe.first().map_or(0, Vec::len);
        if endpoint.dimensions == 0 {
            return Err(EmbedError::BadAnswer("a vector is empty".to_owned()));
        }
        endpoint.id = format!("{}/{}", endpoint.config.model, endpoint.dimensions);
        Ok(endpoint)
    }

    fn request(&self, texts: &[&str], deadline: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        let begun = Instant::now();
        let answer = self.send(texts, deadline);
        let is_impatient = deadline < self.config.timeout && begun.elapsed() >= deadline;
        if answer.is_ok() || !is_impatient {
            let trouble = answer.as_ref().err().map(ToString::to_string);
            *self.last_error.lock_ignoring_poison() = trouble;
        }
        answer
    }

    fn send(&self, texts: &[&str], deadline: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        // Redact secrets before anything leaves the machine.
        let input: Vec<String> = texts.iter().map(|text| redacted_input(text)).collect();
        let body = json!({ "model": self.config.model, "input": input });
        let request = self.agent.post(self.config.url());
        let request = request.config().timeout_global(Some(deadline));
        let mut request = request.build();
        if let Some(ApiKey(ask)) = &self.config.key {
            let key = ask().map_err(EmbedError::NoKey)?;
            request = request.header("authorization", format!("Bearer {}", key.trim()));
        }
        let sent = request
            .header("content-type", "application/json")
            .send(body.to_string());
        let mut response = sent.map_err(|error| EmbedError::NoAnswer(error.to_string()))?;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            return Err(EmbedError::Status(status));
        }
        let limited = response.body_mut().with_config().limit(MAX_RESPONSE_BYTES);
        let bytes = limited.read_to_vec();
        let bytes = bytes.map_err(|error| EmbedError::NoAnswer(error.to_string()))?;
        self.parse_response(&bytes, texts.len())
    }

    fn parse_response(&self, bytes: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let bad = |why: &str| EmbedError::BadAnswer(why.to_owned());
        let answer: Value =
            serde_json::from_slice(bytes).map_err(|error| bad(&format!("not JSON: {error}")))?;
        let mut vectors = match self.config.protocol {
            EndpointProtocol::OpenAi => openai(&answer),
            EndpointProtocol::Ollama => ollama(&answer),
        }
        .ok_or_else(|| bad("it has no list of vectors"))?;
        if vectors.len() != count {
            let got = vectors.len();
            return Err(bad(&format!("{got} vectors for {count} texts")));
        }
        for vector in &mut vectors {
            if self.dimensions != 0 && vector.len() != self.dimensions {
                let (got, expected) = (vector.len(), self.dimensions);
                return Err(bad(&format!("a vector of {got} numbers, not {expected}")));
            }
            if !vector.iter().all(|x| x.is_finite()) {
                return Err(bad("a vector contains a value that is not a number"));
            }
            normalise(vector);
        }
        Ok(vectors)
    }
}

impl Embedder for EndpointModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch(&self) -> usize {
        self.config.batch.max(1)
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn last_error(&self) -> Option<String> {
        let trouble = self.last_error.lock_ignoring_poison();
        trouble.clone()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for texts in texts.chunks(self.batch()) {
            all.extend(self.request(texts, self.config.timeout)?);
        }
        Ok(all)
    }

    fn embed_query(&self, text: &str, timeout: Duration) -> Result<Vec<f32>, EmbedError> {
        let timeout = timeout.min(self.config.timeout);
        Ok(self.request(&[text], timeout)?.pop().unwrap_or_default())
    }
}

/// Redacts and truncates an input. An endpoint may reject an empty text.
fn redacted_input(text: &str) -> String {
    // Redact before truncating: half a secret would not be recognised.
    let text = redact_text(text);
    let text = prefix_bytes(&text, MAX_INPUT_BYTES);
    if text.trim().is_empty() {
        return " .".to_owned();
    }
    text.to_owned()
}

/// Vectors may come in any order and carry their index.
fn openai(answer: &Value) -> Option<Vec<Vec<f32>>> {
    let data = answer.get("data")?.as_array()?;
    let mut placed = Vec::with_capacity(data.len());
    for (order, one) in data.iter().enumerate() {
        let place = one.get("index").and_then(Value::as_u64);
        let place = place.map_or(Some(order), |place| usize::try_from(place).ok())?;
        placed.push((place, numbers(one.get("embedding")?)?));
    }
    placed.sort_by_key(|(place, _)| *place);
    Some(placed.into_iter().map(|(_, vector)| vector).collect())
}

fn ollama(answer: &Value) -> Option<Vec<Vec<f32>>> {
    let rows = answer.get("embeddings")?.as_array()?;
    rows.iter().map(numbers).collect()
}

fn numbers(value: &Value) -> Option<Vec<f32>> {
    #[expect(clippy::cast_possible_truncation, reason = "models compute with less")]
    let number = |x: &Value| x.as_f64().map(|x| x as f32);
    value.as_array()?.iter().map(number).collect()
}
