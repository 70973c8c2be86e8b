//! The daily token budget for learning.

use becket_think::{Deadline, LanguageModel, ModelError, ModelRequest, TokenUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens used by language models
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Spent")]
pub struct TokensSpent {
    /// Requests sent
    pub questions: u64,
    /// Tokens read by models
    pub input: u64,
    /// Tokens written by models
    pub output: u64,
}

impl TokensSpent {
    /// Input plus output.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            questions: self.questions.saturating_add(other.questions),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// A daily token limit and the usage so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenBudget {
    before: TokensSpent,
    limit: Option<u64>,
    spent: TokensSpent,
    is_exceeded: bool,
}

impl TokenBudget {
    /// A budget with the usage of today and the limit; `None` means no limit.
    pub fn new(before: TokensSpent, limit: Option<u64>) -> Self {
        Self {
            before,
            limit,
            spent: TokensSpent::default(),
            is_exceeded: false,
        }
    }

    /// The limit that stopped the last request, if it did.
    pub fn exceeded_limit(&self) -> Option<u64> {
        self.limit.filter(|_| self.is_exceeded)
    }

    /// Tokens used through this budget.
    pub fn spent(&self) -> TokensSpent {
        self.spent
    }

    /// Sends a request, if the budget allows it.
    pub(super) fn complete(
        &mut self,
        model: &dyn LanguageModel,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<String, ModelError> {
        let guess = estimate_tokens(question);
        let used = self.before.total().saturating_add(self.spent.total());
        if let Some(limit) = self.limit
            && used.saturating_add(guess) > limit
        {
            self.is_exceeded = true;
            return Err(ModelError::BudgetExceeded { used, limit });
        }
        let asked = model.complete(question, deadline);
        self.is_exceeded = matches!(asked, Err(ModelError::BudgetExceeded { .. }));
        let cost = match &asked {
            Ok(answer) => answer.tokens,
            // It is unknown whether the provider counted the request.
            Err(ModelError::TimedOut | ModelError::Cancelled | ModelError::BadAnswer(_)) => {
                TokenUsage {
                    input: guess,
                    output: 0,
                }
            }
            Err(_) => TokenUsage::default(),
        };
        self.spent = self.spent.plus(TokensSpent {
            questions: 1,
            input: cost.input,
            output: cost.output,
        });
        asked.map(|answer| answer.text)
    }
}

/// Estimates four bytes per token.
fn estimate_tokens(question: &ModelRequest) -> u64 {
    let system = question.system.as_ref().map_or(0, String::len);
    u64::try_from((question.prompt.len() + system) / 4 + 1).unwrap_or(u64::MAX)
}
