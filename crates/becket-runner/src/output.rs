//! The output of a hook: [`HookOutput`].

use becket_model::{Decision, HookOutcome, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The output of one hook, or of all hooks merged.
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
    /// The reason of a block.
    pub stop_reason: Option<String>,
    /// Leaves the event out of the log.
    pub suppress_logging: bool,
    /// Text for the person, injected into the context.
    pub system_message: Option<String>,
    /// Replaces the tool input.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub additional_context: Option<String>,
    /// A verdict finer than continue or block: `Allow`, `Ask` or `Halt`.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// On `Stop`: the instruction to continue with.
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
    /// Proceed. This is no explicit permission: the agent's own rules still apply.
    pub fn allow() -> Self {
        Self::default()
    }

    /// Block the action.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            continue_execution: false,
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Ask a person.
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

    /// On `Stop`: sets the instruction to continue with.
    #[must_use]
    pub fn keep_going(mut self, instruction: impl Into<String>) -> Self {
        self.keep_going = Some(instruction.into());
        self
    }
}

impl From<HookOutput> for HookOutcome {
    fn from(output: HookOutput) -> Self {
        let default_verdict = if output.continue_execution {
            Verdict::NoOpinion
        } else {
            Verdict::Deny
        };
        Self {
            verdict: output
                .verdict
                .map_or(default_verdict, |verdict| verdict.max(default_verdict)),
            reason: output.stop_reason,
            updated_input: output.updated_input,
            context: output.additional_context,
            system_message: output.system_message,
            keep_going: output.keep_going,
            suppress_logging: output.suppress_logging,
            ..Self::none()
        }
    }
}

/// The output of a single hook. It has no field for a failure, only the failure's verdict.
impl From<HookOutcome> for HookOutput {
    fn from(outcome: HookOutcome) -> Self {
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
