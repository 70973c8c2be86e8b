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
    is_plain: AtomicBool,
}

impl Llm {
    /// A model, and how much it is shown at a time.
    pub fn new(model: Arc<dyn Model>, budget: Budget) -> Self {
        Self {
            model,
            budget,
            is_plain: AtomicBool::new(false),
        }
    }

    /// What a turn taught. What the person said is found by rule in any case.
    pub fn learn(
        &self,
        material: &Material,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<Learnt, ModelError> {
        let digest = Digest::new(material, &self.budget);
        let class = self.classify(&digest, purse, deadline)?;
        let values = [
            ("focus", prompts::focus(class)),
            ("prompt", digest.prompt.as_str()),
            ("steps", digest.steps.as_str()),
            ("answer", digest.answer.as_str()),
        ];
        let prompt = prompts::fill(prompts::OBSERVE, &values);
        let schema = answer::observations_schema();
        let said = self.ask(&prompt, &schema, purse, deadline)?;
        let mut observations = rules::said_by_person(material);
        for one in answer::observations(&said, material)? {
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
        let said = self.ask(&prompt, &schema, purse, deadline)?;
        answer::told(&said)
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
        let said = self.ask(&prompt, &answer::class_schema(), purse, deadline)?;
        answer::class(&said)
    }

    /// Asks for a JSON object; once more if the answer is none.
    fn ask(
        &self,
        prompt: &str,
        schema: &Value,
        purse: &mut Purse,
        deadline: &Deadline,
    ) -> Result<Map<String, Value>, ModelError> {
        let said = self.put(prompt, schema, purse, deadline)?;
        let why = match json::object(&said) {
            Ok(object) => return Ok(object),
            Err(why) => why,
        };
        let values = [
            ("why", why.as_str()),
            ("schema", &schema.to_string()),
            ("question", prompt),
        ];
        let again = prompts::fill(prompts::REPAIR, &values);
        let said = self.put(&again, schema, purse, deadline)?;
        json::object(&said).map_err(ModelError::BadAnswer)
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
