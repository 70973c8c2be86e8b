//! The tables `[learn]` and `[embedding]`: how Becket learns, and which embedding model search uses.
//!
//! They cost money and decide what leaves the machine, so only the user's own file may contain them. In
//! any other file they are reported and have no effect.

use std::time::Duration;

use becket_model::Level;

use super::ConfigFile;
use super::keys::{EMBEDDERS, EMBEDDING, LEARN, LLM};
use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::services::{self, KeySource, LlmConfig};
use super::tree::{self, ConfigNode};

/// The default daily token limit for learning.
const DAILY_TOKENS: u64 = 200_000;

/// The `[learn]` table of the user's own file.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnConfig {
    /// Whether Becket learns at all.
    pub enabled: bool,
    /// Whether a language model is used, if one is configured.
    pub by_model: bool,
    /// The token limit for learning per day.
    pub daily_tokens: u64,
    /// A different model than the one in `[llm]`.
    pub llm: Option<LlmConfig>,
    /// The table is invalid, so learning is off until it is fixed.
    pub broken: bool,
}

impl Default for LearnConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            by_model: true,
            daily_tokens: DAILY_TOKENS,
            llm: None,
            broken: false,
        }
    }
}

/// An embedding model behind an HTTP endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingConfig {
    /// The protocol.
    pub provider: EmbeddingProvider,
    /// The address of the endpoint.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// Where the API key comes from. Never the key itself.
    pub key: Option<KeySource>,
    /// How many texts one request contains.
    pub batch: Option<u32>,
    /// How long a request may take.
    pub timeout: Option<Duration>,
}

/// The protocol of an embedding endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// OpenAI's `/embeddings`, which many other servers implement.
    OpenAi,
    /// Ollama's own `/api/embed`.
    Ollama,
}

/// Reads these tables from the user's `config.toml`. [`becket()`](super::becket()) reports their problems.
pub fn becket_learn_config(file: &ConfigFile) -> (LearnConfig, Option<EmbeddingConfig>) {
    match tree::toml(file.text) {
        Ok(node) => read(&mut ConfigReader::new(file), &node, &KeyPath::root(1)),
        Err(_) => (broken(file.level == Level::User), None),
    }
}

fn broken(broken: bool) -> LearnConfig {
    LearnConfig {
        broken,
        ..LearnConfig::default()
    }
}

pub(super) fn read(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
) -> (LearnConfig, Option<EmbeddingConfig>) {
    let (mut learning, mut embedding) = (LearnConfig::default(), None);
    for name in ["learn", "embedding"] {
        let Some(field) = node.get(name) else {
            continue;
        };
        if reader.file.level != Level::User {
            let message =
                "this table is only allowed in the user configuration; it has no effect here";
            reader.warn(&at.field(field), message, None);
        } else if name == "learn" {
            let found = services::table(reader, field, at, LEARN, learn);
            learning = found.unwrap_or_else(|| broken(true));
        } else {
            embedding = services::table(reader, field, at, EMBEDDING, embedder);
        }
    }
    (learning, embedding)
}

fn learn(entry: &mut EntryReader) -> Option<LearnConfig> {
    let usual = LearnConfig::default();
    let by_model = match (entry.text("by"), entry.field("by")) {
        (Some("model") | None, _) => true,
        (Some("rules"), _) => false,
        (Some(other), field) => {
            let message = format!("unknown learning mode `{other}`");
            entry.fail_with(field?, message, Some("one of model, rules".to_owned()));
            return None;
        }
    };
    Some(LearnConfig {
        enabled: entry.flag("enabled").unwrap_or(usual.enabled),
        by_model,
        daily_tokens: entry
            .natural("daily_tokens")
            .map_or(usual.daily_tokens, u64::from),
        llm: own_model(entry),
        broken: false,
    })
}

/// Reads `[learn.llm]`. A problem with it is a problem of `[learn]`.
fn own_model(entry: &mut EntryReader) -> Option<LlmConfig> {
    let field = entry.field("llm")?;
    let at = entry.place;
    let found = services::table(entry.reader, field, at, LLM, services::llm);
    if found.is_none() {
        entry
            .fault
            .get_or_insert_with(|| "its `llm` table is invalid".to_owned());
    }
    found
}

fn embedder(entry: &mut EntryReader) -> Option<EmbeddingConfig> {
    let field = entry.field("provider");
    let provider = match entry.required("provider")? {
        "openai" => EmbeddingProvider::OpenAi,
        "ollama" => EmbeddingProvider::Ollama,
        other => {
            let message = format!("unknown provider `{other}`");
            let hint = format!("one of {}", EMBEDDERS.join(", "));
            entry.fail_with(field?, message, Some(hint));
            return None;
        }
    };
    entry.required("base_url")?;
    let (base_url, model) = (
        services::base_url(entry)?,
        entry.required("model")?.to_owned(),
    );
    let batch = entry.natural("batch");
    if batch == Some(0)
        && let Some(field) = entry.field("batch")
    {
        entry.fail_at(field, "must be at least 1");
    }
    Some(EmbeddingConfig {
        provider,
        base_url,
        model,
        key: services::key(entry),
        batch,
        timeout: entry.duration("timeout", Duration::from_secs(1)),
    })
}
