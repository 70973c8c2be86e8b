//! Learning with a language model.
//!
//! There are three requests: classify a turn, extract observations from it, summarize a session. The prompt contains the
//! recording as fenced data. Answers are validated against the recording.

mod digest;
mod json;
mod prompts;
mod response;
mod token_budget;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use becket_store::BatchClass;
use becket_think::{Deadline, LanguageModel, ModelError, ModelRequest};
use serde_json::{Map, Value};

use crate::observation::{LearnedTurn, SessionSummary};
use crate::rules;
use crate::turn::{LearningInput, RecordedTurn};
use digest::TurnDigest;

pub use digest::PromptBudget;
pub use prompts::VERSION;
pub use token_budget::{TokenBudget, TokensSpent};

/// Learns from turns with a language model.
pub struct LlmLearner {
    model: Arc<dyn LanguageModel>,
    budget: PromptBudget,
    /// Whether the provider rejects JSON Schemas.
    rejects_schemas: Arc<AtomicBool>,
}

impl LlmLearner {
    /// Uses a model with these prompt limits.
    pub fn new(model: Arc<dyn LanguageModel>, budget: PromptBudget) -> Self {
        Self {
            model,
            budget,
            rejects_schemas: Arc::default(),
        }
    }

    /// Shares the flag that records whether the provider rejects schemas.
    #[must_use]
    pub fn with_rejects_schemas(mut self, rejects_schemas: Arc<AtomicBool>) -> Self {
        self.rejects_schemas = rejects_schemas;
        self
    }

    /// Learns from a turn. Rules always find the user's statements and patterns across turns.
    pub fn learn(
        &self,
        input: &LearningInput,
        budget: &mut TokenBudget,
        deadline: &Deadline,
    ) -> Result<LearnedTurn, ModelError> {
        let digest = TurnDigest::new(input, &self.budget);
        let class = match self.classify(&digest, budget, deadline) {
            // The class only selects the focus of the prompt; statistics give nearly the same class.
            Err(ModelError::BadAnswer(_)) => input.stats.class(),
            other => other?,
        };
        let types = prompts::types();
        let values = [
            ("types", types.as_str()),
            ("focus", prompts::focus(class)),
            ("prompt", digest.prompt.as_str()),
            ("steps", digest.steps.as_str()),
            ("answer", digest.answer.as_str()),
        ];
        let prompt = prompts::fill(prompts::OBSERVE, &values);
        let schema = response::observations_schema();
        let read = |said: &_| response::parse_observations(said, input);
        let found = self.query(&prompt, &schema, read, budget, deadline)?;
        let mut observations = rules::stated_by_person(input);
        observations.extend(rules::shown_across_turns(input));
        for one in found {
            if !observations.iter().any(|known| known.text == one.text) {
                observations.push(one);
            }
        }
        Ok(LearnedTurn {
            class,
            observations,
            commit: rules::commit_of(input),
        })
    }

    /// Summarizes a session.
    pub fn summarize(
        &self,
        turns: &[RecordedTurn],
        budget: &mut TokenBudget,
        deadline: &Deadline,
    ) -> Result<SessionSummary, ModelError> {
        let session = digest::session_digest(turns, &self.budget);
        let prompt = prompts::fill(prompts::SUMMARISE, &[("session", &session)]);
        let schema = response::summary_schema();
        self.query(&prompt, &schema, response::parse_summary, budget, deadline)
    }

    fn classify(
        &self,
        digest: &TurnDigest,
        budget: &mut TokenBudget,
        deadline: &Deadline,
    ) -> Result<BatchClass, ModelError> {
        let values = [
            ("prompt", digest.prompt.as_str()),
            ("steps", digest.first_steps.as_str()),
        ];
        let prompt = prompts::fill(prompts::CLASSIFY, &values);
        let schema = response::class_schema();
        self.query(&prompt, &schema, response::parse_class, budget, deadline)
    }

    /// Requests a JSON object that `read` accepts, and repeats the request once if the answer is invalid.
    fn query<T>(
        &self,
        prompt: &str,
        schema: &Value,
        read: impl Fn(&Map<String, Value>) -> Result<T, String>,
        budget: &mut TokenBudget,
        deadline: &Deadline,
    ) -> Result<T, ModelError> {
        let understood = |said: &str| json::parse_object(said).and_then(|object| read(&object));
        let said = self.send(prompt, schema, budget, deadline)?;
        let why = match understood(&said) {
            Ok(answer) => return Ok(answer),
            Err(why) => why,
        };
        let values = [
            ("why", why.as_str()),
            ("schema", &schema.to_string()),
            ("question", prompt),
        ];
        let again = prompts::fill(prompts::REPAIR, &values);
        let said = self.send(&again, schema, budget, deadline)?;
        understood(&said).map_err(ModelError::BadAnswer)
    }

    /// Sends a request. If the provider rejects schemas, the schema becomes part of the prompt.
    fn send(
        &self,
        prompt: &str,
        schema: &Value,
        budget: &mut TokenBudget,
        deadline: &Deadline,
    ) -> Result<String, ModelError> {
        let mut question = ModelRequest {
            system: Some(prompts::SYSTEM.to_owned()),
            prompt: prompt.to_owned(),
            schema: Some(schema.clone()),
            max_tokens: Some(self.budget.answer),
            model: None,
        };
        if !self.rejects_schemas.load(Ordering::Relaxed) {
            match budget.complete(self.model.as_ref(), &question, deadline) {
                Err(ModelError::Refused {
                    status: 400 | 422, ..
                }) => {}
                other => return other,
            }
        }
        question.schema = None;
        question.prompt = format!("{prompt}\n\nThe JSON Schema of the answer: {schema}");
        let said = budget.complete(self.model.as_ref(), &question, deadline)?;
        self.rejects_schemas.store(true, Ordering::Relaxed);
        Ok(said)
    }
}
