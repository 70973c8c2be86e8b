//! Models behind an endpoint: OpenAI's `/v1/embeddings`, which many programs speak, and Ollama's own.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use becket_guard::redact::redact_text;
use serde_json::{Value, json};
use ureq::Agent;

use super::{EmbedError, Embedder, normalise};

/// The most that is read of an answer.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What is sent of a text; models that read code take about this much.
const MOST_CHARS: usize = 6_000;

/// How an endpoint wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// `POST <base>/embeddings`, as OpenAI, LM Studio, vLLM and others have it.
    #[default]
    OpenAi,
    /// `POST <base>/api/embed`.
    Ollama,
}

/// Tells the key at the moment it is needed; it is kept nowhere.
#[derive(Clone)]
pub struct Key(Arc<dyn Fn() -> Result<String, String> + Send + Sync>);

impl Key {
    /// A key that is asked for each time.
    pub fn new(ask: impl Fn() -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Where a model is and how it is asked.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// How.
    pub protocol: Protocol,
    /// Where, without the last part: `https://api.openai.com/v1`, `http://127.0.0.1:11434`.
    pub base: String,
    /// The name of the model.
    pub model: String,
    /// The key, if one is needed.
    pub key: Option<Key>,
    /// How many texts go into a request.
    pub batch: usize,
    /// How long a request may take, all in all.
    pub deadline: Duration,
}

impl EndpointConfig {
    /// Thirty seconds for 64 texts.
    pub fn new(protocol: Protocol, base: &str, model: &str) -> Self {
        Self {
            protocol,
            base: base.trim_end_matches('/').to_owned(),
            model: model.to_owned(),
            key: None,
            batch: 64,
            deadline: Duration::from_secs(30),
        }
    }

    fn url(&self) -> String {
        match self.protocol {
            Protocol::OpenAi => format!("{}/embeddings", self.base),
            Protocol::Ollama => format!("{}/api/embed", self.base),
        }
    }
}

/// A model behind an endpoint.
#[derive(Debug)]
pub struct Endpoint {
    config: EndpointConfig,
    agent: Agent,
    id: String,
    dimensions: usize,
    trouble: Mutex<Option<String>>,
}

impl Endpoint {
    /// Asks the endpoint for one vector, to learn how long they are.
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
            trouble: Mutex::default(),
        };
        let probe = endpoint.request(&["becket"], endpoint.config.deadline)?;
        endpoint.dimensions = probe.first().map_or(0, Vec::len);
        if endpoint.dimensions == 0 {
            return Err(EmbedError::BadAnswer("a vector is empty".to_owned()));
        }
        endpoint.id = format!("{}/{}", endpoint.config.model, endpoint.dimensions);
        Ok(endpoint)
    }

    fn request(&self, texts: &[&str], deadline: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        let begun = Instant::now();
        let answer = self.put(texts, deadline);
        let is_impatient = deadline < self.config.deadline && begun.elapsed() >= deadline;
        if answer.is_ok() || !is_impatient {
            let trouble = answer.as_ref().err().map(ToString::to_string);
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        }
        answer
    }

    fn put(&self, texts: &[&str], deadline: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        // What leaves the machine has no secret in it.
        let input: Vec<String> = texts.iter().map(|text| prepared(text)).collect();
        let body = json!({ "model": self.config.model, "input": input });
        let request = self.agent.post(self.config.url());
        let request = request.config().timeout_global(Some(deadline));
        let mut request = request.build();
        if let Some(Key(ask)) = &self.config.key {
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
        let limited = response.body_mut().with_config().limit(MOST_BYTES);
        let bytes = limited.read_to_vec();
        let bytes = bytes.map_err(|error| EmbedError::NoAnswer(error.to_string()))?;
        self.read(&bytes, texts.len())
    }

    fn read(&self, bytes: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let bad = |why: &str| EmbedError::BadAnswer(why.to_owned());
        let answer: Value =
            serde_json::from_slice(bytes).map_err(|error| bad(&format!("not JSON: {error}")))?;
        let mut vectors = match self.config.protocol {
            Protocol::OpenAi => openai(&answer),
            Protocol::Ollama => ollama(&answer),
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
                return Err(bad("a vector has what is not a number"));
            }
            normalise(vector);
        }
        Ok(vectors)
    }
}

impl Embedder for Endpoint {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch(&self) -> usize {
        self.config.batch.max(1)
    }

    fn is_far(&self) -> bool {
        true
    }

    fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for texts in texts.chunks(self.batch()) {
            all.extend(self.request(texts, self.config.deadline)?);
        }
        Ok(all)
    }

    fn embed_query(&self, text: &str, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        let patience = patience.min(self.config.deadline);
        Ok(self.request(&[text], patience)?.pop().unwrap_or_default())
    }
}

/// An endpoint may refuse an empty text.
fn prepared(text: &str) -> String {
    // Before it is cut: half a secret would not be known for one.
    let text = redact_text(text);
    let text = crate::text::cut(&text, MOST_CHARS);
    if text.trim().is_empty() {
        return " .".to_owned();
    }
    text.to_owned()
}

/// Vectors may come in any order; each says its place.
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
