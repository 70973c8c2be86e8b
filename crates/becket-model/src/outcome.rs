//! What hooks say, and what follows from it.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// What the hooks, taken together, want. Ordered by strictness; merging takes the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
    /// Nobody minded. The agent's own permission rules still apply.
    #[default]
    NoOpinion,
    /// A hook vouches for this call; the agent may skip its own prompt.
    Allow,
    /// A person should decide.
    Ask,
    /// This call must not happen.
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
    /// It was told to stop.
    Cancelled,
    /// It ended with an exit code that its dialect calls an error, or by a signal.
    Exit,
    /// It answered with something that its dialect does not know.
    BadReply,
    /// It never loaded: its definition is broken.
    Broken,
    /// It returned an error or panicked (in-process hooks).
    Error,
}

/// A hook that went wrong. What that means for the action is the verdict beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub kind: FailureKind,
    /// What to tell a person.
    pub message: String,
}

/// What one hook said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Its verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<String>,
    /// The whole tool input to use instead.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the person.
    pub system_message: Option<String>,
    /// On `Stop`: what the agent should go on with.
    pub keep_going: Option<String>,
    /// Leave this event out of the agent's log.
    pub suppress_logging: bool,
    /// Set when the hook went wrong.
    pub failure: Option<Failure>,
    /// What its program left behind, if it is one.
    pub trace: Option<Trace>,
}

/// What a hook's program left behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// Its exit code; `None` if it was ended, or never started.
    pub exit: Option<i32>,
    /// The beginning of what it wrote.
    pub output: String,
}

impl Outcome {
    /// Silence.
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

/// What one hook said, and which hook it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The hook's display name.
    pub hook: String,
    /// What it said.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// What the hooks, taken together, decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// Why: the first blocker's reason, else the latest given for the winning verdict.
    pub reason: Option<String>,
    /// The whole tool input to use instead, in canonical keys.
    pub updated_input: Option<Value>,
    /// Text for the model, in hook order, joined with newlines.
    pub context: Option<String>,
    /// Text for the person.
    pub system_message: Option<String>,
    /// On `Stop`: what the agent should go on with.
    pub keep_going: Option<String>,
    /// Whether any hook wants this event left out of the agent's log.
    pub suppress_logging: bool,
    /// Who said what, in configured order.
    pub said: Vec<Said>,
    /// Disagreements worth reporting, such as two rewrites of one input.
    pub conflicts: Vec<String>,
}

impl Decision {
    /// The JSON shape used in records and by `--json`.
    pub fn to_json(&self) -> Value {
        let said: Vec<Value> = self.said.iter().map(Said::to_json).collect();
        let mut out = json!({ "verdict": self.verdict.word() });
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                out[key] = value;
            }
        };
        put("reason", json!(self.reason));
        put("updated_input", json!(self.updated_input));
        put("context", json!(self.context));
        put("system_message", json!(self.system_message));
        put("keep_going", json!(self.keep_going));
        if !said.is_empty() {
            put("hooks", json!(said));
        }
        if !self.conflicts.is_empty() {
            put("conflicts", json!(self.conflicts));
        }
        out
    }
}

impl Said {
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
