//! The tables that say how Becket learns and by what it finds: `[learn]` and `[embedding]`.
//!
//! They cost money and say what leaves the machine, so only a person's own file may have them. In any other file
//! they are told about and have no effect.

use std::time::Duration;

use becket_model::Level;

use super::File;
use super::keys::{EMBEDDERS, EMBEDDING, LEARN, LLM};
use super::reader::{Entry, Place, Reader};
use super::think::{self, KeySource, Llm};
use super::tree::{self, Node};

/// What learning may cost in a day unless the person says otherwise.
const DAILY_TOKENS: u64 = 200_000;

/// How Becket learns, as far as the person's own file says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// Whether it learns at all.
    pub enabled: bool,
    /// Whether a model is asked, if there is one.
    pub by_model: bool,
    /// How many tokens learning may cost in a day.
    pub daily_tokens: u64,
    /// Another model than that of `[llm]`.
    pub llm: Option<Llm>,
    /// What the person wants cannot be told: nothing is learnt until it can.
    pub broken: bool,
}

impl Default for Learning {
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

/// A model that turns texts into vectors, behind an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedding {
    /// Which protocol.
    pub provider: EmbeddingProvider,
    /// Where it is.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// Where its key comes from. Never the key itself.
    pub key: Option<KeySource>,
    /// How many texts go into a request.
    pub batch: Option<u32>,
    /// How long a request may take.
    pub timeout: Option<Duration>,
}

/// How to talk to a model that turns texts into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// `/embeddings` as OpenAI has it, and many others after it.
    OpenAi,
    /// Ollama's own `/api/embed`.
    Ollama,
}

/// Reads those tables of the person's `config.toml`. Problems come with [`becket`](super::becket).
pub fn becket_learning(file: &File) -> (Learning, Option<Embedding>) {
    match tree::toml(file.text) {
        Ok(node) => read(&mut Reader::new(file), &node, &Place::root(1)),
        Err(_) => (broken(file.level == Level::User), None),
    }
}

fn broken(broken: bool) -> Learning {
    Learning {
        broken,
        ..Learning::default()
    }
}

pub(super) fn read(reader: &mut Reader, node: &Node, at: &Place) -> (Learning, Option<Embedding>) {
    let (mut learning, mut embedding) = (Learning::default(), None);
    for name in ["learn", "embedding"] {
        let Some(field) = node.get(name) else {
            continue;
        };
        if reader.file.level != Level::User {
            let message = "only your own configuration can have this table; it has no effect";
            reader.warn(&at.field(field), message, None);
        } else if name == "learn" {
            let found = think::table(reader, field, at, LEARN, learn);
            learning = found.unwrap_or_else(|| broken(true));
        } else {
            embedding = think::table(reader, field, at, EMBEDDING, embedder);
        }
    }
    (learning, embedding)
}

fn learn(entry: &mut Entry) -> Option<Learning> {
    let usual = Learning::default();
    let by_model = match (entry.text("by"), entry.field("by")) {
        (Some("model") | None, _) => true,
        (Some("rules"), _) => false,
        (Some(other), field) => {
            let message = format!("unknown way to learn `{other}`");
            entry.fail_with(field?, message, Some("one of model, rules".to_owned()));
            return None;
        }
    };
    Some(Learning {
        enabled: entry.flag("enabled").unwrap_or(usual.enabled),
        by_model,
        daily_tokens: entry
            .natural("daily_tokens")
            .map_or(usual.daily_tokens, u64::from),
        llm: own_model(entry),
        broken: false,
    })
}

/// `[learn.llm]`. What is wrong with it is wrong with `[learn]`.
fn own_model(entry: &mut Entry) -> Option<Llm> {
    let field = entry.field("llm")?;
    let at = entry.place;
    let found = think::table(entry.reader, field, at, LLM, think::llm);
    if found.is_none() {
        entry
            .fault
            .get_or_insert_with(|| "its model is broken".to_owned());
    }
    found
}

fn embedder(entry: &mut Entry) -> Option<Embedding> {
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
    let (base_url, model) = (think::base_url(entry)?, entry.required("model")?.to_owned());
    let batch = entry.natural("batch");
    if batch == Some(0)
        && let Some(field) = entry.field("batch")
    {
        entry.fail_at(field, "is not a number from 1 on");
    }
    Some(Embedding {
        provider,
        base_url,
        model,
        key: think::key(entry),
        batch,
        timeout: entry.duration("timeout", Duration::from_secs(1)),
    })
}
