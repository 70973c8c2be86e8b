//! A model within its daily budget.

use std::time::Duration;

use becket_agents::config::Llm;

use super::ledger::Ledger;
use super::{Answer, Model, ModelError, Question, Tokens};
use crate::deadline::Deadline;
use crate::settings::ThinkSettings;

/// A model whose costs are written down.
pub(super) struct Metered {
    inner: Box<dyn Model>,
    ledger: Ledger,
    limit: Option<u64>,
    timeout: Option<Duration>,
}

impl Metered {
    pub(super) fn new(inner: Box<dyn Model>, llm: &Llm, settings: &ThinkSettings) -> Self {
        Self {
            inner,
            ledger: Ledger::new(&settings.state),
            limit: llm.daily_tokens,
            timeout: llm.timeout,
        }
    }
}

impl Model for Metered {
    /// The question is paid for before it is asked, so that processes that ask at the same time see each
    /// other; what it really cost is put right afterwards.
    fn ask(&self, question: &Question, deadline: &Deadline) -> Result<Answer, ModelError> {
        let deadline = match self.timeout {
            Some(timeout) => deadline.at_most(timeout),
            None => deadline.clone(),
        };
        let paid = Tokens {
            output: 0,
            ..Tokens::guessed(question.length(), 0)
        };
        let known = self.ledger.pay(paid, self.limit, &deadline);
        match (known, self.limit) {
            // Nobody counts, so that not being able to is no reason to be silent.
            (Err(ModelError::Ledger(_)), None) => return self.inner.ask(question, &deadline),
            (known, _) => known?,
        }
        let asked = self.inner.ask(question, &deadline);
        let cost = match &asked {
            Ok(answer) => answer.tokens,
            Err(error) if error.cost_nothing() => Tokens::default(),
            Err(_) => paid,
        };
        self.ledger.settle(paid, cost, asked.is_ok());
        asked
    }
}
