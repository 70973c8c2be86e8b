//! Hooks, as in `becket hooks … --json`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// All configured hooks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HookList {
    /// The version of this format.
    pub schema_version: u32,
    /// `enabled`, or `disabled` if all hooks are disabled.
    pub mode: String,
    /// In execution order; an entry for several events is listed once for each.
    pub hooks: Vec<HookEntry>,
    /// Errors and warnings in the files.
    pub problems: Vec<HookProblem>,
}

/// A configured hook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct HookEntry {
    pub name: String,
    /// The canonical event name.
    pub event: String,
    /// `enabled`, `disabled` or `untrusted`.
    pub status: String,
    /// Whether it belongs to a skill, a subagent or a plugin; the agent runs it.
    pub component: bool,
    /// Whether the user trusts it.
    pub trust: HookTrust,
    pub dialect: String,
    /// `user`, `project`, `local` or `plugin`.
    pub level: String,
    pub file: String,
    pub line: usize,
    /// The position in the file.
    pub key: String,
    pub description: Option<String>,
    pub definition: Value,
}

/// Whether the user trusts a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookTrust {
    /// It is in the user's own configuration.
    Own,
    /// Trusted in its current version.
    Trusted,
    /// Never trusted.
    Untrusted,
    /// Changed since it was trusted.
    Changed,
}

/// An error or a warning in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct HookProblem {
    pub file: String,
    pub line: usize,
    pub key: String,
    pub message: String,
    /// `error` or `warning`.
    pub severity: String,
}

/// The result of enabling or disabling a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookSwitchResult {
    /// The version of this format.
    pub schema_version: u32,
    /// False if it was in that state already.
    pub changed: bool,
    /// The hook's name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// The new status: `enabled`, `disabled` or `untrusted`.
    pub status: Option<String>,
    /// The line in its file.
    pub line: Option<usize>,
    /// `enabled`, or `disabled` if all hooks are disabled.
    pub mode: String,
    /// Hooks that were trusted together with it.
    pub trusted: Vec<String>,
    /// Further notes.
    pub notes: Vec<String>,
}

/// The result of running a hook with a sample event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HookTestResult {
    /// The version of this format.
    pub schema_version: u32,
    /// The hook's name.
    pub name: String,
    /// The sample event.
    pub event: Value,
    /// The verdict.
    pub verdict: String,
    /// The reason for the verdict.
    pub reason: Option<String>,
    /// The rewritten tool input.
    pub updated_input: Option<Value>,
    /// Context for the model.
    pub context: Option<String>,
    /// A message for the user.
    pub system_message: Option<String>,
    /// The instruction to continue the turn.
    pub keep_going: Option<String>,
    /// The hook error.
    pub failure: Option<String>,
    /// The exit code.
    pub exit: Option<i32>,
    /// How the process ended.
    pub ending: Option<String>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// The duration in milliseconds.
    pub ms: u64,
    /// Differences from a real event.
    pub notes: Vec<String>,
}
