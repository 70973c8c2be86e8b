//! [`PromptHook`]: a hook that asks a language model.
//!
//! The model is whatever the embedding program brings as a [`PromptModel`]. What it is asked is made in
//! [`fill()`], what its answer means is read in [`read_answer()`].

mod answer;
mod fill;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::contract;
use becket_model::{
    Action, Dialect, Event, EventKind, FailureKind, HookSpec, Level, Outcome, Source, Verdict,
};
use futures_lite::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::hook::Hook;
use crate::hooks_engine::HookDecision;
use crate::input::{HookContext, HookInput, payload};
use crate::output::HookOutput;

pub use answer::{read_answer, without_thoughts};
pub use fill::fill;

/// Nobody waits longer for a model; also keeps the timer far from the end of the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Something that answers a prompt.
#[async_trait]
pub trait PromptModel: Send + Sync {
    /// The model's answer.
    async fn answer(&self, prompt: &str) -> Result<String>;

    /// The same within a deadline, unless the token is cancelled. The future of [`PromptModel::answer`] is
    /// dropped when there is no more time; a model that has more to end than that brings its own.
    async fn answer_within(
        &self,
        prompt: &str,
        timeout: Duration,
        token: &CancellationToken,
    ) -> Result<String> {
        let late = async {
            futures_timer::Delay::new(timeout.min(LONGEST)).await;
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

    /// A hook as configured; `None` for one that asks nothing.
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
        read_answer(&answer).ok_or_else(|| Error::new(unclear(&answer)))
    }

    /// What is asked about an event.
    fn question(&self, input: &HookInput, event: &Event, ctx: &HookContext) -> String {
        if self.spec.dialect != Dialect::Claude {
            return fill(&self.prompt, event);
        }
        // There `$ARGUMENTS` is all that a command hook would read.
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

    fn decided(&self, decision: HookDecision, text: Option<String>) -> Outcome {
        match decision {
            HookDecision::Allow => Outcome {
                verdict: Verdict::Allow,
                reason: text,
                ..Outcome::none()
            },
            HookDecision::Block => {
                let reason = text.unwrap_or_else(|| format!("blocked by `{}`", self.spec.name));
                Outcome::verdict(Verdict::Deny, reason)
            }
            HookDecision::Continue => Outcome {
                context: text,
                ..Outcome::none()
            },
        }
    }

    /// An agent that was asked for its opinion and not for a decision gives it to the model.
    fn is_opinion(&self) -> bool {
        self.spec.dialect == Dialect::CodeAgent && matches!(self.spec.action, Action::Agent { .. })
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

    fn priority(&self) -> i32 {
        self.spec.priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// The model is given the deadline: it may have something to end first.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let outcome = self.run(input, ctx).await;
        match outcome.failure {
            Some(failure) => Err(Error::HookFailed {
                hook: self.spec.name.clone(),
                message: failure.message,
            }),
            None => Ok(outcome.into()),
        }
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        let event = input.to_event(ctx);
        let spec = self.spec_for(&event.kind());
        let question = self.question(&input, &event, ctx);
        let failed = |kind, why: &str| {
            let message = format!("hook `{}` failed: {why}", spec.name);
            contract::failed(&spec, &event, kind, &message)
        };
        let asked = self
            .model
            .answer_within(&question, spec.timeout, &ctx.cancellation_token)
            .await;
        match asked {
            Ok(answer) => match read_answer(&answer) {
                Some((decision, text)) => {
                    contract::settled(&spec, &event, self.decided(decision, text))
                }
                None if self.is_opinion() => {
                    let opinion = self.decided(HookDecision::Continue, Some(answer));
                    contract::settled(&spec, &event, opinion)
                }
                None => failed(FailureKind::BadReply, &unclear(&answer)),
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

fn unclear(answer: &str) -> String {
    let start: String = answer.trim().chars().take(80).collect();
    format!("the model answered neither ALLOW, BLOCK nor CONTINUE: {start:?}")
}
