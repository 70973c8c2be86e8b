//! Language models of several providers behind one trait.
//!
//! [`configured_model`] builds the model that the user's configuration names. It records token usage and stops at the
//! daily limit.

mod anthropic;
mod api_key;
pub(crate) mod command;
mod http_provider;
mod ledger;
mod metered;
mod openai;
mod retry;

use std::sync::Arc;

use becket_agents::config::LlmProvider;
use serde_json::Value;

use crate::deadline::{Deadline, DeadlineError};
use crate::settings::ThinkSettings;

pub use api_key::read_api_key;
pub use ledger::{DailyUsage, daily_usage};

/// Default limit for the length of an answer. Decisions are short, but some models reason first.
const MAX_TOKENS: u32 = 1024;

/// A language model.
pub trait LanguageModel: Send + Sync {
    /// Sends a request and waits for the response until the deadline.
    fn complete(
        &self,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<ModelResponse, ModelError>;
}

/// A request to a language model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: Option<String>,
    /// The user prompt.
    pub prompt: String,
    /// A JSON Schema for the answer, for providers that support it.
    pub schema: Option<Value>,
    /// Maximum length of the answer.
    pub max_tokens: Option<u32>,
    /// Overrides the configured model name.
    pub model: Option<String>,
}

impl ModelRequest {
    /// A request with only a prompt.
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

/// The response of a language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelResponse {
    /// The answer without the model's reasoning.
    pub text: String,
    /// Tokens used.
    pub tokens: TokenUsage,
}

/// Tokens of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens read by the model.
    pub input: u64,
    /// Tokens written by the model.
    pub output: u64,
}

impl TokenUsage {
    /// Input plus output.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Estimates tokens from text lengths, at four bytes per token.
    fn estimate(input: usize, output: usize) -> Self {
        let guess = |bytes: usize| u64::try_from(bytes / 4 + 1).unwrap_or(u64::MAX);
        Self {
            input: guess(input),
            output: guess(output),
        }
    }
}

/// Why a request failed. No message contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The user's configuration names no model.
    #[error("no language model is configured; add an `[llm]` table to your own config.toml")]
    NotConfigured,
    /// The API key could not be read.
    #[error("no key for the language model: {0}")]
    NoKey(String),
    /// The daily token limit is reached.
    #[error("daily token limit of the language model reached: {used} of {limit} tokens")]
    BudgetExceeded {
        /// Tokens used today.
        used: u64,
        /// The daily limit.
        limit: u64,
    },
    /// The ledger could not be read or written, so the daily limit cannot be checked.
    #[error("cannot read the token usage of today: {0}")]
    Ledger(String),
    /// The provider could not be reached.
    #[error("the language model could not be reached: {0}")]
    Unreachable(String),
    /// The provider answered with an error status.
    #[error("the language model's provider answered with status {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The provider's error message.
        message: String,
    },
    /// The answer is malformed or empty.
    #[error("invalid answer from the language model: {0}")]
    BadAnswer(String),
    /// The program that serves as the model failed.
    #[error("{0}")]
    Command(String),
    /// The deadline passed.
    #[error("the language model timed out")]
    TimedOut,
    /// The caller cancelled the request.
    #[error("cancelled")]
    Cancelled,
}

impl ModelError {
    /// Whether the failed request certainly used no tokens.
    fn is_free(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status < 500,
            Self::NotConfigured
            | Self::NoKey(_)
            | Self::BudgetExceeded { .. }
            | Self::Ledger(_)
            | Self::Unreachable(_) => true,
            _ => false,
        }
    }
}

impl From<DeadlineError> for ModelError {
    fn from(stopped: DeadlineError) -> Self {
        match stopped {
            DeadlineError::TimedOut => Self::TimedOut,
            DeadlineError::Cancelled => Self::Cancelled,
        }
    }
}

/// Builds the language model that the user's configuration names, with its daily limit.
pub fn configured_model(settings: &ThinkSettings) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let llm = settings
        .config
        .llm
        .as_ref()
        .ok_or(ModelError::NotConfigured)?;
    let inner: Box<dyn LanguageModel> = match llm.provider {
        LlmProvider::OpenAi => Box::new(openai::OpenAiModel::new(llm, settings)),
        LlmProvider::Anthropic => Box::new(anthropic::AnthropicModel::new(llm, settings)),
        LlmProvider::Command => Box::new(command::CommandModel::new(llm, settings)),
    };
    Ok(Arc::new(metered::MeteredModel::new(inner, llm, settings)))
}
