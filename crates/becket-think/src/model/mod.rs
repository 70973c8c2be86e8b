//! Language models behind one trait, whatever protocol they speak.
//!
//! [`model()`] makes the one that the person's file names. What it costs is written down, and past the daily budget
//! nothing is asked.

mod anthropic;
pub(crate) mod command;
mod key;
mod ledger;
mod metered;
mod openai;
mod retry;
mod wire;

use std::sync::Arc;

use becket_agents::config::Provider;
use serde_json::Value;

use crate::deadline::{Deadline, Stopped};
use crate::settings::ThinkSettings;

pub use key::key;
pub use ledger::{Usage, usage};

/// How long an answer may be unless somebody says otherwise: a decision is short, but some models think first.
const MAX_TOKENS: u32 = 1024;

/// Something that answers questions.
pub trait Model: Send + Sync {
    /// Asks, and waits for the answer until the deadline.
    fn ask(&self, question: &Question, deadline: &Deadline) -> Result<Answer, ModelError>;
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// Who it is to be.
    pub system: Option<String>,
    /// What it is asked.
    pub prompt: String,
    /// A JSON Schema that the answer has to fit, where the provider can see to that.
    pub schema: Option<Value>,
    /// How long the answer may be.
    pub max_tokens: Option<u32>,
    /// Another model of the same provider.
    pub model: Option<String>,
}

impl Question {
    /// A question with nothing but its words.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            ..Self::default()
        }
    }

    fn length(&self) -> usize {
        self.prompt.len() + self.system.as_ref().map_or(0, String::len)
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The answer, without what the model thought before it.
    pub text: String,
    /// What it cost.
    pub tokens: Tokens,
}

/// What a question cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Read by the model.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
}

impl Tokens {
    /// Both together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// A guess from the length of texts: a token is about four bytes.
    fn guessed(input: usize, output: usize) -> Self {
        let guess = |bytes: usize| u64::try_from(bytes / 4 + 1).unwrap_or(u64::MAX);
        Self {
            input: guess(input),
            output: guess(output),
        }
    }
}

/// Why there is no answer. No message holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The person's file names no model.
    #[error("no language model is configured; add an `[llm]` table to your own config.toml")]
    NotConfigured,
    /// The key could not be had.
    #[error("no key for the language model: {0}")]
    NoKey(String),
    /// The daily budget is spent.
    #[error("the language model's daily budget is spent: {used} of {limit} tokens")]
    Budget {
        /// Tokens that were spent today.
        used: u64,
        /// Tokens that may be spent.
        limit: u64,
    },
    /// What was spent is not known, so it is not known whether more may be.
    #[error("cannot tell what was spent today: {0}")]
    Ledger(String),
    /// The provider was not reached.
    #[error("the language model was not reached: {0}")]
    Unreachable(String),
    /// The provider would not answer.
    #[error("the language model's provider answered with status {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The answer makes no sense.
    #[error("the language model's answer cannot be used: {0}")]
    BadAnswer(String),
    /// The program that answers went wrong.
    #[error("{0}")]
    Command(String),
    /// No answer in time.
    #[error("the language model did not answer in time")]
    TimedOut,
    /// Nobody waits any longer.
    #[error("cancelled")]
    Cancelled,
}

impl ModelError {
    /// Whether nothing can have been spent.
    fn cost_nothing(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status < 500,
            Self::NotConfigured
            | Self::NoKey(_)
            | Self::Budget { .. }
            | Self::Ledger(_)
            | Self::Unreachable(_) => true,
            _ => false,
        }
    }
}

impl From<Stopped> for ModelError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::TimedOut => Self::TimedOut,
            Stopped::Cancelled => Self::Cancelled,
        }
    }
}

/// The model that the person's file names, with its budget.
pub fn model(settings: &ThinkSettings) -> Result<Arc<dyn Model>, ModelError> {
    let llm = settings
        .asking
        .llm
        .as_ref()
        .ok_or(ModelError::NotConfigured)?;
    let inner: Box<dyn Model> = match llm.provider {
        Provider::OpenAi => Box::new(openai::OpenAi::new(llm, settings)),
        Provider::Anthropic => Box::new(anthropic::Anthropic::new(llm, settings)),
        Provider::Command => Box::new(command::Program::new(llm, settings)),
    };
    Ok(Arc::new(metered::Metered::new(inner, llm, settings)))
}
