//! A language model with a daily token limit.

use std::time::Duration;

use becket_agents::config::LlmConfig;

use super::ledger::UsageLedger;
use super::{LanguageModel, ModelError, ModelRequest, ModelResponse, TokenUsage};
use crate::deadline::Deadline;
use crate::settings::ThinkSettings;

/// A model that records its usage.
pub(super) struct MeteredModel {
    inner: Box<dyn LanguageModel>,
    ledger: UsageLedger,
    limit: Option<u64>,
    timeout: Option<Duration>,
}

impl MeteredModel {
    pub(super) fn new(
        inner: Box<dyn LanguageModel>,
        llm: &LlmConfig,
        settings: &ThinkSettings,
    ) -> Self {
        Self {
            inner,
            ledger: UsageLedger::new(&settings.state),
            limit: llm.daily_tokens,
            timeout: llm.timeout,
        }
    }
}

impl LanguageModel for MeteredModel {
    /// Reserves tokens before the request, so that concurrent processes see each other's usage, and corrects the
    /// reservation afterwards.
    fn complete(
        &self,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<ModelResponse, ModelError> {
        let deadline = match self.timeout {
            Some(timeout) => deadline.at_most(timeout),
            None => deadline.clone(),
        };
        let paid = TokenUsage {
            output: 0,
            ..TokenUsage::estimate(question.length(), 0)
        };
        let known = self.ledger.reserve(paid, self.limit, &deadline);
        match (known, self.limit) {
            // There is no limit, so a broken ledger must not stop the request.
            (Err(ModelError::Ledger(_)), None) => return self.inner.complete(question, &deadline),
            (known, _) => known?,
        }
        let asked = self.inner.complete(question, &deadline);
        let cost = match &asked {
            Ok(answer) => answer.tokens,
            Err(error) if error.is_free() => TokenUsage::default(),
            Err(_) => paid,
        };
        self.ledger.adjust(paid, cost, asked.is_ok());
        asked
    }
}
