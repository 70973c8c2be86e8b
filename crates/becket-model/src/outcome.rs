//! Verdicts, the outcome of one hook, and the merged decision.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// The strictness of a decision. Ordered; merging takes the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
    /// No hook decided. The agent's own permission rules apply.
    #[default]
    NoOpinion,
    /// A hook allows the call; the agent may skip its own permission prompt.
    Allow,
    /// A person should decide.
    Ask,
    /// The call must not run.
    Deny,
    /// End the turn, not only this call.
    Halt,
}

impl Verdict {
    /// The word used in JSON and on the terminal.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoOpinion => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }

    /// Whether the action must not proceed.
    pub fn blocks(self) -> bool {
        self >= Self::Deny
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a hook went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It could not be started.
    NotStarted,
    /// It did not finish in time.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// Its dialect treats the exit code as an error, or a signal ended it.
    Exit,
    /// Its reply is invalid in its dialect.
    BadReply,
    /// It never loaded, because its definition is invalid.
    Broken,
    /// It returned an error or panicked (in-process hooks).
    Error,
}

/// A failed hook. The verdict of its [`HookOutcome`] says what that means for the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub kind: FailureKind,
    /// The message for a person.
    pub message: String,
}

/// The outcome of one hook.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookOutcome {
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason.
    pub reason: Option<String>,
    /// The complete tool input to use instead.
    pub updated_input: Option<Value>,
    /// What the model sees instead of the tool's output.
    pub updated_output: Option<Value>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the person.
    pub system_message: Option<String>,
    /// On `Stop`: the instruction to continue with.
    pub keep_going: Option<String>,
    /// Leave this event out of the agent's log.
    pub suppress_logging: bool,
    /// Set if the hook failed.
    pub failure: Option<Failure>,
    /// The exit code and output of its program, if it has one.
    pub trace: Option<Trace>,
}

/// The exit code and output of a hook's program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// The exit code; `None` if it was killed or never started.
    pub exit: Option<i32>,
    /// The beginning of its output.
    pub output: String,
}

impl HookOutcome {
    /// An outcome without a verdict.
    pub fn none() -> Self {
        Self::default()
    }

    /// A verdict with its reason.
    pub fn verdict(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// A failure and the verdict that the failure policy gives it.
    pub fn failed(kind: FailureKind, message: impl Into<String>, verdict: Verdict) -> Self {
        let message = message.into();
        let reason = (verdict > Verdict::NoOpinion).then(|| message.clone());
        Self {
            verdict,
            reason,
            failure: Some(Failure { kind, message }),
            ..Self::default()
        }
    }
}

/// One execution of a hook: its name, outcome and duration.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRun {
    /// The hook's display name.
    pub hook: String,
    /// Its outcome.
    pub outcome: HookOutcome,
    /// How long it took.
    pub took: Duration,
}

/// The merged decision of all hooks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// The first blocker's reason, or else the latest one given for the winning verdict.
    pub reason: Option<String>,
    /// The complete tool input to use instead, in canonical keys.
    pub updated_input: Option<Value>,
    /// What the model sees instead of the tool's output.
    pub updated_output: Option<Value>,
    /// Text for the model, in hook order, joined with newlines.
    pub context: Option<String>,
    /// Text for the person.
    pub system_message: Option<String>,
    /// On `Stop`: the instruction to continue with.
    pub keep_going: Option<String>,
    /// Whether any hook wants this event left out of the agent's log.
    pub suppress_logging: bool,
    /// All hook runs, in configured order.
    pub hook_runs: Vec<HookRun>,
    /// Conflicts worth reporting, such as two rewrites of one input.
    pub conflicts: Vec<String>,
}

impl Decision {
    /// The JSON shape used in records and by `--json`.
    pub fn to_json(&self) -> Value {
        let runs: Vec<Value> = self.hook_runs.iter().map(HookRun::to_json).collect();
        let mut out = json!({ "verdict": self.verdict.word() });
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                out[key] = value;
            }
        };
        put("reason", json!(self.reason));
        put("updated_input", json!(self.updated_input));
        put("updated_output", json!(self.updated_output));
        put("context", json!(self.context));
        put("system_message", json!(self.system_message));
        put("keep_going", json!(self.keep_going));
        if !runs.is_empty() {
            put("hooks", json!(runs));
        }
        if !self.conflicts.is_empty() {
            put("conflicts", json!(self.conflicts));
        }
        out
    }
}

impl HookRun {
    fn to_json(&self) -> Value {
        let mut out = json!({
            "hook": self.hook,
            "verdict": self.outcome.verdict.word(),
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        });
        if let Some(failure) = &self.outcome.failure {
            out["error"] = json!(failure.message);
        }
        if let Some(reason) = &self.outcome.reason {
            out["reason"] = json!(reason);
        }
        if let Some(trace) = &self.outcome.trace {
            if let Some(exit) = trace.exit {
                out["exit"] = json!(exit);
            }
            if !trace.output.is_empty() {
                out["output"] = json!(trace.output);
            }
        }
        if self.outcome.updated_input.is_some() {
            out["rewrote"] = json!(true);
        }
        out
    }
}
