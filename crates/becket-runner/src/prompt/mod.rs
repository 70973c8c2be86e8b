//! [`PromptHook`]: a hook that asks a language model.
//!
//! The model is whatever the embedding program brings as a [`PromptModel`].

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, Dialect, Event, EventData, EventKind, HookSpec, Level, Source};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::hook::Hook;
use crate::hooks_engine::HookDecision;
use crate::input::{HookContext, HookInput};
use crate::output::HookOutput;

/// Something that answers a prompt.
#[async_trait]
pub trait PromptModel: Send + Sync {
    /// The model's answer.
    async fn answer(&self, prompt: &str) -> Result<String>;
}

/// Asks a model whether to allow, block or continue.
pub struct PromptHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    prompt: String,
    model: Arc<dyn PromptModel>,
}

impl PromptHook {
    /// A hook that asks `model` with `prompt` (variables such as `$COMMAND` are filled in).
    pub fn new(
        name: impl Into<String>,
        prompt: impl Into<String>,
        events: impl IntoIterator<Item = EventKind>,
        model: Arc<dyn PromptModel>,
    ) -> Self {
        let (name, prompt) = (name.into(), prompt.into());
        let events: Vec<EventKind> = events.into_iter().collect();
        let source = Source {
            level: Level::Builtin,
            file: PathBuf::new(),
            line: 0,
            key: name.clone(),
        };
        let first = events.first().cloned().unwrap_or(EventKind::PreToolUse);
        let mut spec = HookSpec::command(name, Dialect::CodeAgent, first, "", source);
        spec.action = Action::Prompt {
            prompt: prompt.clone(),
            model: None,
        };
        spec.timeout = Duration::from_secs(10);
        Self {
            spec,
            events,
            prompt,
            model,
        }
    }

    /// With another deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = timeout;
        self
    }

    /// Asks the model about an event; the second part is the reason or message, if it gave one.
    pub async fn evaluate(
        &self,
        event: &Event,
        prompt: &str,
    ) -> Result<(HookDecision, Option<String>)> {
        let answer = self.model.answer(&fill(prompt, event)).await?;
        read_answer(&answer).ok_or_else(|| {
            let start: String = answer.chars().take(80).collect();
            Error::new(format!(
                "the model answered neither ALLOW, BLOCK nor CONTINUE: {start:?}"
            ))
        })
    }
}

#[async_trait]
impl Hook for PromptHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[EventKind] {
        &self.events
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    fn deadline(&self) -> Option<Duration> {
        Some(self.spec.timeout)
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let (decision, text) = self.evaluate(&input.to_event(ctx), &self.prompt).await?;
        Ok(match (decision, text) {
            (HookDecision::Block, reason) => HookOutput::block(
                reason.unwrap_or_else(|| format!("blocked by `{}`", self.spec.name)),
            ),
            (HookDecision::Continue, Some(message)) => HookOutput::allow().context(message),
            (HookDecision::Allow, _) => HookOutput {
                verdict: Some(becket_model::Verdict::Allow),
                ..HookOutput::allow()
            },
            (HookDecision::Continue, None) => HookOutput::allow(),
        })
    }
}

/// Reads `ALLOW`, `BLOCK[: reason]` or `CONTINUE[: message]`, in any case.
pub fn read_answer(answer: &str) -> Option<(HookDecision, Option<String>)> {
    let answer = answer.trim();
    let word_end = answer
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(answer.len());
    let decision = match answer[..word_end].to_ascii_uppercase().as_str() {
        "ALLOW" => HookDecision::Allow,
        "BLOCK" => HookDecision::Block,
        "CONTINUE" => HookDecision::Continue,
        _ => return None,
    };
    let text = answer[word_end..]
        .trim_start_matches([':', '-', '.', ',', ' ', '\n'])
        .trim();
    Some((decision, (!text.is_empty()).then(|| text.to_owned())))
}

/// Fills variables in, in one pass: what is filled in is data and is not looked at again.
pub fn fill(prompt: &str, event: &Event) -> String {
    let mut out = String::with_capacity(prompt.len() + 64);
    let mut rest = prompt;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest
            .find(|c: char| !(c.is_ascii_uppercase() || c == '_'))
            .unwrap_or(rest.len());
        match variable(&rest[..end], event) {
            Some(value) => out.push_str(&value),
            None => {
                out.push('$');
                out.push_str(&rest[..end]);
            }
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn variable(name: &str, event: &Event) -> Option<String> {
    let call = event.call();
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    Some(match name {
        "EVENT" => event.kind().name().to_owned(),
        "SESSION_ID" => event.session.to_string(),
        "WORKING_DIR" => text(event.cwd.as_deref()),
        "TOOL_NAME" => text(call.map(|call| call.name.as_str())),
        "TOOL_INPUT" => call.map(|call| call.input.to_string()).unwrap_or_default(),
        "COMMAND" => text(call.and_then(|call| call.command())),
        "FILE_PATH" => text(event.paths().first().copied()),
        "ARGUMENTS" => call.map_or_else(
            || event.to_json().to_string(),
            |call| call.input.to_string(),
        ),
        "USER_PROMPT" => match &event.data {
            EventData::UserPromptSubmit { prompt } => prompt.clone(),
            _ => String::new(),
        },
        "TOOL_OUTPUT" => match &event.data {
            EventData::PostToolUse {
                response: Value::String(text),
                ..
            } => text.clone(),
            EventData::PostToolUse { response, .. } => response.to_string(),
            _ => String::new(),
        },
        "ERROR_MESSAGE" => match &event.data {
            EventData::PostToolUseFailure { error, .. } => error.clone(),
            _ => String::new(),
        },
        _ => return None,
    })
}
