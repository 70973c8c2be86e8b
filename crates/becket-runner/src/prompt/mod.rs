//! [`PromptHook`]: a hook that asks a language model.
//!
//! The embedding program supplies the model as a [`PromptModel`]. [`fill()`] makes the prompt, [`parse_answer()`]
//! parses the answer.

mod answer;
mod fill;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::contract;
use becket_model::{
    Action, Dialect, Event, EventKind, FailureKind, HookOutcome, HookSource, HookSpec, Level,
    Verdict,
};
use futures_lite::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::hook::ConfiguredHook;
use crate::hooks_engine::HookDecision;
use crate::input::{HookContext, HookInput, payload};

pub use answer::{parse_answer, without_thoughts};
pub use fill::fill;

/// The longest deadline; keeps the timer within the range of the clock.
const MAX_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// A language model.
#[async_trait]
pub trait PromptModel: Send + Sync {
    /// Answers a prompt.
    async fn answer(&self, prompt: &str) -> Result<String>;

    /// Answers a prompt within a deadline, unless the token is cancelled. On a timeout, the future of
    /// [`PromptModel::answer`] is dropped; a model that has to clean up implements this itself.
    async fn answer_within(
        &self,
        prompt: &str,
        timeout: Duration,
        token: &CancellationToken,
    ) -> Result<String> {
        let late = async {
            futures_timer::Delay::new(timeout.min(MAX_TIMEOUT)).await;
            Err(Error::HookTimeout {
                hook: "model".to_owned(),
                after: timeout,
            })
        };
        let cancelled = async {
            token.cancelled().await;
            Err(Error::Cancelled)
        };
        self.answer(prompt).or(cancelled).or(late).await
    }
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
        let source = HookSource {
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

    /// A configured hook; `None` if its action has no prompt.
    pub fn from_spec(spec: HookSpec, model: Arc<dyn PromptModel>) -> Option<Self> {
        let (Action::Prompt { prompt, .. } | Action::Agent { prompt, .. }) = &spec.action else {
            return None;
        };
        Some(Self {
            prompt: prompt.clone(),
            events: vec![spec.event.clone()],
            spec,
            model,
        })
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = timeout;
        self
    }

    /// Asks the model about an event; returns its decision and its reason or message.
    pub async fn evaluate(
        &self,
        event: &Event,
        prompt: &str,
    ) -> Result<(HookDecision, Option<String>)> {
        let answer = self.model.answer(&fill(prompt, event)).await?;
        parse_answer(&answer).ok_or_else(|| Error::new(unclear_answer(&answer)))
    }

    /// The prompt about an event.
    fn prompt_for(&self, input: &HookInput, event: &Event, ctx: &HookContext) -> String {
        if self.spec.dialect != Dialect::Claude {
            return fill(&self.prompt, event);
        }
        // In this dialect, `$ARGUMENTS` is the stdin of a command hook.
        let payload = payload(&self.spec_for(&event.kind()), event, input, ctx);
        let arguments = String::from_utf8_lossy(&payload);
        fill::fill_with(&self.prompt, event, Some(&arguments))
    }

    fn spec_for(&self, kind: &EventKind) -> HookSpec {
        HookSpec {
            event: kind.clone(),
            ..self.spec.clone()
        }
    }

    fn decided(&self, decision: HookDecision, text: Option<String>) -> HookOutcome {
        match decision {
            HookDecision::Allow => HookOutcome {
                verdict: Verdict::Allow,
                reason: text,
                ..HookOutcome::none()
            },
            HookDecision::Block => {
                let reason = text.unwrap_or_else(|| format!("blocked by `{}`", self.spec.name));
                HookOutcome::verdict(Verdict::Deny, reason)
            }
            HookDecision::Continue => HookOutcome {
                context: text,
                ..HookOutcome::none()
            },
        }
    }

    /// Whether the hook's answer is an opinion for the model instead of a decision (agent hooks).
    fn is_opinion(&self) -> bool {
        self.spec.dialect == Dialect::CodeAgent && matches!(self.spec.action, Action::Agent { .. })
    }
}

#[async_trait]
impl ConfiguredHook for PromptHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[EventKind] {
        &self.events
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        let event = input.to_event(ctx);
        let spec = self.spec_for(&event.kind());
        let prompt = self.prompt_for(&input, &event, ctx);
        let failed = |kind, why: &str| {
            let message = format!("hook `{}` failed: {why}", spec.name);
            contract::failure_outcome(&spec, &event, kind, &message)
        };
        let answered = self
            .model
            .answer_within(&prompt, spec.timeout, &ctx.cancellation_token)
            .await;
        match answered {
            Ok(answer) => match parse_answer(&answer) {
                Some((decision, text)) => {
                    contract::constrain(&spec, &event, self.decided(decision, text))
                }
                None if self.is_opinion() => {
                    let opinion = self.decided(HookDecision::Continue, Some(answer));
                    contract::constrain(&spec, &event, opinion)
                }
                None => failed(FailureKind::BadReply, &unclear_answer(&answer)),
            },
            Err(Error::HookTimeout { after, .. }) => failed(
                FailureKind::TimedOut,
                &format!("no answer within its deadline of {after:?}"),
            ),
            Err(Error::Cancelled) => failed(FailureKind::Cancelled, "cancelled"),
            Err(error) => failed(FailureKind::Error, &error.to_string()),
        }
    }
}

fn unclear_answer(answer: &str) -> String {
    let start: String = answer.trim().chars().take(80).collect();
    format!("the model answered neither ALLOW, BLOCK nor CONTINUE: {start:?}")
}
