//! What a hook answers: [`HookOutput`].

use becket_model::{Decision, Outcome, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer of a hook, and of all of them merged.
///
/// ```
/// use becket_runner::HookOutput;
///
/// let output = HookOutput::block("not on my watch").system_message("blocked by policy");
/// assert!(!output.continue_execution);
/// assert!(HookOutput::default().continue_execution, "saying nothing blocks nothing");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookOutput {
    /// `false` blocks.
    pub continue_execution: bool,
    /// Why it was blocked.
    pub stop_reason: Option<String>,
    /// Leave the event out of the log.
    pub suppress_logging: bool,
    /// Text for the person, injected into the context.
    pub system_message: Option<String>,
    /// The tool input to use instead.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub additional_context: Option<String>,
    /// Finer than continue or block: vouch (`Allow`), `Ask` a person, end the turn (`Halt`).
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// On `Stop`: what the agent should go on with.
    pub keep_going: Option<String>,
}

impl Default for HookOutput {
    fn default() -> Self {
        Self {
            continue_execution: true,
            stop_reason: None,
            suppress_logging: false,
            system_message: None,
            updated_input: None,
            additional_context: None,
            verdict: None,
            keep_going: None,
        }
    }
}

impl HookOutput {
    /// Go on. This is silence, not a permission: the agent's own rules still apply.
    pub fn allow() -> Self {
        Self::default()
    }

    /// Do not let it happen.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            continue_execution: false,
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Let a person decide.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self {
            verdict: Some(Verdict::Ask),
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Adds text for the person.
    #[must_use]
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// Adds text for the model.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.additional_context = Some(context.into());
        self
    }

    /// Replaces the tool input.
    #[must_use]
    pub fn updated_input(mut self, input: Value) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Leaves the event out of the log.
    #[must_use]
    pub fn suppress_logging(mut self) -> Self {
        self.suppress_logging = true;
        self
    }

    /// On `Stop`: go on with this.
    #[must_use]
    pub fn keep_going(mut self, instruction: impl Into<String>) -> Self {
        self.keep_going = Some(instruction.into());
        self
    }
}

impl From<HookOutput> for Outcome {
    fn from(output: HookOutput) -> Self {
        let said = if output.continue_execution {
            Verdict::NoOpinion
        } else {
            Verdict::Deny
        };
        Self {
            verdict: output.verdict.map_or(said, |verdict| verdict.max(said)),
            reason: output.stop_reason,
            updated_input: output.updated_input,
            context: output.additional_context,
            system_message: output.system_message,
            keep_going: output.keep_going,
            suppress_logging: output.suppress_logging,
            failure: None,
            trace: None,
        }
    }
}

/// What one hook said, by itself. A failure has no place here; its verdict has.
impl From<Outcome> for HookOutput {
    fn from(outcome: Outcome) -> Self {
        Self {
            continue_execution: !outcome.verdict.blocks(),
            stop_reason: outcome.reason,
            suppress_logging: outcome.suppress_logging,
            system_message: outcome.system_message,
            updated_input: outcome.updated_input,
            additional_context: outcome.context,
            verdict: Some(outcome.verdict).filter(|verdict| *verdict != Verdict::NoOpinion),
            keep_going: outcome.keep_going,
        }
    }
}

impl From<Decision> for HookOutput {
    fn from(decision: Decision) -> Self {
        Self {
            continue_execution: !decision.verdict.blocks(),
            stop_reason: decision.reason,
            suppress_logging: decision.suppress_logging,
            system_message: decision.system_message,
            updated_input: decision.updated_input,
            additional_context: decision.context,
            verdict: Some(decision.verdict).filter(|verdict| *verdict != Verdict::NoOpinion),
            keep_going: decision.keep_going,
        }
    }
}
