//! Hooks of type `prompt`: ask the configured language model.

use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookSpec};
use becket_runner::{CancellationToken, Error, PromptModel, Result};

use crate::deadline::{DeadlineError, run_blocking};
use crate::model::{ModelError, ModelRequest, configured_model};
use crate::settings::ThinkSettings;

/// The system prompt.
pub(crate) const SYSTEM: &str = "You judge one event of a coding agent for the person who runs it. Answer in the form \
    that the question asks for. If it asks for none, begin your answer with ALLOW, with BLOCK: and a reason, or \
    with CONTINUE: and a remark. Say nothing before that.";

/// Answers a hook's prompt with the configured language model.
pub(crate) struct LlmPromptModel {
    model: Option<String>,
    timeout: Duration,
    settings: ThinkSettings,
}

impl LlmPromptModel {
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

    fn request(&self, prompt: &str) -> ModelRequest {
        ModelRequest {
            system: Some(SYSTEM.to_owned()),
            prompt: prompt.to_owned(),
            model: self.model.clone(),
            ..ModelRequest::default()
        }
    }
}

#[async_trait]
impl PromptModel for LlmPromptModel {
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
        let (question, settings) = (self.request(prompt), self.settings.clone());
        let asked = run_blocking(timeout, token, move |deadline| {
            configured_model(&settings)?.complete(&question, deadline)
        })
        .await;
        match flatten_error(asked) {
            Ok(answer) => Ok(answer.text),
            Err(error) => Err(hook_error(&error, timeout)),
        }
    }
}

/// Merges a timeout or cancellation of the thread with the error of its work.
pub(crate) fn flatten_error<T>(
    asked: Result<Result<T, ModelError>, DeadlineError>,
) -> Result<T, ModelError> {
    asked.unwrap_or_else(|stopped| Err(stopped.into()))
}

/// Converts a model error to an error of the hook engine.
pub(crate) fn hook_error(error: &ModelError, after: Duration) -> Error {
    match error {
        ModelError::TimedOut => Error::HookTimeout {
            hook: "model".to_owned(),
            after,
        },
        ModelError::Cancelled => Error::Cancelled,
        other => Error::new(other.to_string()),
    }
}
