//! A model as the one that a prompt hook asks.

use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookSpec, Outcome};
use becket_runner::{CancellationToken, Error, HookOutput, PromptModel, Result};

use crate::deadline::{Stopped, on_thread};
use crate::model::{ModelError, Question, model};
use crate::settings::ThinkSettings;

/// Who the model is to be.
pub(crate) const SYSTEM: &str = "You judge one event of a coding agent for the person who runs it. Answer in the form \
    that the question asks for. If it asks for none, begin your answer with ALLOW, with BLOCK: and a reason, or \
    with CONTINUE: and a remark. Say nothing before that.";

/// The person's model, for one hook.
pub(crate) struct Asked {
    model: Option<String>,
    timeout: Duration,
    settings: ThinkSettings,
}

impl Asked {
    pub(crate) fn new(spec: &HookSpec, settings: &ThinkSettings) -> Self {
        let model = match &spec.action {
            Action::Prompt { model, .. } => model.clone(),
            _ => None,
        };
        Self {
            model,
            timeout: spec.timeout,
            settings: settings.clone(),
        }
    }

    fn question(&self, prompt: &str) -> Question {
        Question {
            system: Some(SYSTEM.to_owned()),
            prompt: prompt.to_owned(),
            model: self.model.clone(),
            ..Question::default()
        }
    }
}

#[async_trait]
impl PromptModel for Asked {
    async fn answer(&self, prompt: &str) -> Result<String> {
        let never = CancellationToken::new();
        self.answer_within(prompt, self.timeout, &never).await
    }

    async fn answer_within(
        &self,
        prompt: &str,
        timeout: Duration,
        token: &CancellationToken,
    ) -> Result<String> {
        let (question, settings) = (self.question(prompt), self.settings.clone());
        let asked = on_thread(timeout, token, move |deadline| {
            model(&settings)?.ask(&question, deadline)
        })
        .await;
        match flatten(asked) {
            Ok(answer) => Ok(answer.text),
            Err(error) => Err(failure(&error, timeout)),
        }
    }
}

/// What stopped the thread, or what it came to.
pub(crate) fn flatten<T>(asked: Result<Result<T, ModelError>, Stopped>) -> Result<T, ModelError> {
    asked.unwrap_or_else(|stopped| Err(stopped.into()))
}

/// The same error in the engine's words.
pub(crate) fn failure(error: &ModelError, after: Duration) -> Error {
    match error {
        ModelError::TimedOut => Error::HookTimeout {
            hook: "model".to_owned(),
            after,
        },
        ModelError::Cancelled => Error::Cancelled,
        other => Error::new(other.to_string()),
    }
}

/// An outcome in the words of in-process hooks.
pub(crate) fn output(hook: &str, outcome: Outcome) -> Result<HookOutput> {
    match outcome.failure {
        Some(failure) => Err(Error::HookFailed {
            hook: hook.to_owned(),
            message: failure.message,
        }),
        None => Ok(outcome.into()),
    }
}
