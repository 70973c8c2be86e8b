//! What the guard met, and the rule that would let it pass.

use schemars::JsonSchema;
use serde::Serialize;

/// A rule of the guard that a call met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Matched {
    /// The rule's id.
    pub rule: String,
    /// `notice`, `doubtful`, `severe` or `catastrophic`.
    pub severity: String,
    /// What it met.
    pub text: String,
    /// Where that begins in the command, in bytes; nothing where the call is no command.
    pub start: Option<usize>,
    /// Where it ends.
    pub end: Option<usize>,
    /// What it would do.
    pub explanation: String,
    /// What to do instead.
    pub safer: String,
}

/// What would be written so that a call passes in future.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulePlan {
    /// The person's own configuration.
    pub file: String,
    /// The entries for the guard's `allow`, as they would be written.
    pub rule: String,
    /// How the file would change.
    pub diff: String,
    /// Stands for all of it.
    pub plan: String,
}
