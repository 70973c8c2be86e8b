//! What may be spent, and what was.

use becket_think::{Deadline, Model, ModelError, Question, Tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was spent
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
pub struct Spent {
    /// Questions that were put
    pub questions: u64,
    /// Tokens that models read
    pub input: u64,
    /// Tokens that models wrote
    pub output: u64,
}

impl Spent {
    /// All tokens.
    pub fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            questions: self.questions.saturating_add(other.questions),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// A day's allowance, of which some is gone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purse {
    before: Spent,
    limit: Option<u64>,
    spent: Spent,
    is_out: bool,
}

impl Purse {
    /// What was spent today, and the limit; `None`: there is none.
    pub fn new(before: Spent, limit: Option<u64>) -> Self {
        Self {
            before,
            limit,
            spent: Spent::default(),
            is_out: false,
        }
    }

    /// The limit because of which a question could not be paid for.
    pub fn out_at(&self) -> Option<u64> {
        self.limit.filter(|_| self.is_out)
    }

    /// What was spent out of this purse.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Puts a question, if it can be paid for.
    pub(super) fn ask(
        &mut self,
        model: &dyn Model,
        question: &Question,
        deadline: &Deadline,
    ) -> Result<String, ModelError> {
        let guess = guess(question);
        let used = self.before.tokens().saturating_add(self.spent.tokens());
        if let Some(limit) = self.limit
            && used.saturating_add(guess) > limit
        {
            self.is_out = true;
            return Err(ModelError::Budget { used, limit });
        }
        let asked = model.ask(question, deadline);
        self.is_out = matches!(asked, Err(ModelError::Budget { .. }));
        let cost = match &asked {
            Ok(answer) => answer.tokens,
            // Whether it was paid for is not known.
            Err(ModelError::TimedOut | ModelError::Cancelled | ModelError::BadAnswer(_)) => {
                Tokens {
                    input: guess,
                    output: 0,
                }
            }
            Err(_) => Tokens::default(),
        };
        self.spent = self.spent.plus(Spent {
            questions: 1,
            input: cost.input,
            output: cost.output,
        });
        asked.map(|answer| answer.text)
    }
}

/// A token is about four bytes.
fn guess(question: &Question) -> u64 {
    let system = question.system.as_ref().map_or(0, String::len);
    u64::try_from((question.prompt.len() + system) / 4 + 1).unwrap_or(u64::MAX)
}
