//! Learning with a language model.
//!
//! Three questions: what a turn was about, what is to be remembered of it, what a session was. What the model
//! is shown is a recording, fenced as such; what it answers is believed no further than it can be checked.

mod answer;
mod digest;
mod json;
mod prompts;
mod purse;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use becket_store::Class;
use becket_think::{Deadline, Model, ModelError, Question};
use serde_json::{Map, Value};

use crate::observation::{Learnt, Told};
use crate::rules;
use crate::turn::{Material, Turn};
use digest::Digest;

pub use digest::Budget;
pub use prompts::VERSION;
pub use purse::{Purse, Spent};

/// A model that is asked what a turn taught.
pub struct Llm {
    model: Arc<dyn Model>,
    budget: Budget,
    /// The provider does not know schemas.
    is_plain: Arc<AtomicBool>,
}

impl Llm {
    /// A model, and how much it is shown at a time.
    pub fn new(model: Arc<dyn Model>, budget: Budget) -> Self {
        Self {
            model,
            budget,
            is_plain: Arc::default(),
        }
    }

    /// The same, with what others have found out about its provider: whether it refuses schemas.
    #[must_use]
    pub fn with_plain(mut self, is_plain: Arc<AtomicBool>) -> Self {
        self.is_plain = is_plain;
        self
    }

    /// What a turn taught. What the person said, and what many turns show together, is found by rule in any case.
    pub fn learn(
        &self,
        material: &Material,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<Learnt, ModelError> {
        let digest = Digest::new(material, &self.budget);
        let class = match self.classify(&digest, purse, deadline) {
            // It says what to look for, and no more than that: counting tells it nearly as well.
            Err(ModelError::BadAnswer(_)) => material.stats.class(),
            other => other?,
        };
        let values = [
            ("focus", prompts::focus(class)),
            ("prompt", digest.prompt.as_str()),
            ("steps", digest.steps.as_str()),
            ("answer", digest.answer.as_str()),
        ];
        let prompt = prompts::fill(prompts::OBSERVE, &values);
        let schema = answer::observations_schema();
        let read = |said: &_| answer::observations(said, material);
        let found = self.ask(&prompt, &schema, read, purse, deadline)?;
        let mut observations = rules::said_by_person(material);
        observations.extend(rules::shown_by_many(material));
        for one in found {
            if !observations.iter().any(|known| known.text == one.text) {
                observations.push(one);
            }
        }
        Ok(Learnt {
            class,
            observations,
            commit: rules::commit_of(material),
        })
    }

    /// What a session was.
    pub fn tell(
        &self,
        turns: &[Turn],
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<Told, ModelError> {
        let session = digest::session(turns, &self.budget);
        let prompt = prompts::fill(prompts::SUMMARISE, &[("session", &session)]);
        let schema = answer::told_schema();
        self.ask(&prompt, &schema, answer::told, purse, deadline)
    }

    fn classify(
        &self,
        digest: &Digest,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<Class, ModelError> {
        let values = [
            ("prompt", digest.prompt.as_str()),
            ("steps", digest.first_steps.as_str()),
        ];
        let prompt = prompts::fill(prompts::CLASSIFY, &values);
        let schema = answer::class_schema();
        self.ask(&prompt, &schema, answer::class, purse, deadline)
    }

    /// Asks for a JSON object that `read` understands; once more if the answer is none.
    fn ask<T>(
        &self,
        prompt: &str,
        schema: &Value,
        read: impl Fn(&Map<String, Value>) -> Result<T, String>,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<T, ModelError> {
        let understood = |said: &str| json::object(said).and_then(|object| read(&object));
        let said = self.put(prompt, schema, purse, deadline)?;
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
        let said = self.put(&again, schema, purse, deadline)?;
        understood(&said).map_err(ModelError::BadAnswer)
    }

    /// Puts a question, with its schema in words where the provider refuses schemas.
    fn put(
        &self,
        prompt: &str,
        schema: &Value,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<String, ModelError> {
        let mut question = Question {
            system: Some(prompts::SYSTEM.to_owned()),
            prompt: prompt.to_owned(),
            schema: Some(schema.clone()),
            max_tokens: Some(self.budget.answer),
            model: None,
        };
        if !self.is_plain.load(Ordering::Relaxed) {
            match purse.ask(self.model.as_ref(), &question, deadline) {
                Err(ModelError::Refused {
                    status: 400 | 422, ..
                }) => {}
                other => return other,
            }
        }
        question.schema = None;
        question.prompt = format!("{prompt}\n\nThe JSON Schema of the answer: {schema}");
        let said = purse.ask(self.model.as_ref(), &question, deadline)?;
        self.is_plain.store(true, Ordering::Relaxed);
        Ok(said)
    }
}
