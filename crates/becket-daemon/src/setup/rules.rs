//! Matches of the guard's rules, and rules that allow a call.

use schemars::JsonSchema;
use serde::Serialize;

/// A match of a guard rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleMatch {
    /// The rule's id.
    pub rule: String,
    /// `notice`, `doubtful`, `severe` or `catastrophic`.
    pub severity: String,
    /// The matching text.
    pub text: String,
    /// The byte offset of the match in the command; null if the call is not a command.
    pub start: Option<usize>,
    /// The end of the match.
    pub end: Option<usize>,
    /// What the command would do.
    pub explanation: String,
    /// A safer alternative.
    pub safer: String,
}

/// A rule that allows a call, before it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulePlan {
    /// The user's configuration file.
    pub file: String,
    /// The entries for the guard's `allow` list.
    pub rule: String,
    /// The diff of the file.
    pub diff: String,
    /// The digest of the plan.
    pub plan: String,
}
