//! Hooks, as `becket hooks … --json` tells of them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Every hook that is configured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HookList {
    /// Of this shape.
    pub schema_version: u32,
    /// `enabled`, or `disabled` where all hooks rest.
    pub mode: String,
    /// In running order; an entry for several events is there once for each.
    pub hooks: Vec<HookEntry>,
    /// What is wrong with the files.
    pub problems: Vec<HookProblem>,
}

/// A hook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct HookEntry {
    pub name: String,
    /// The canonical name of its event.
    pub event: String,
    /// `enabled`, `disabled` or `untrusted`.
    pub status: String,
    /// Whether it belongs to a skill, a subagent or a plugin, whose agent runs it.
    pub component: bool,
    /// Whether the person has allowed it to run.
    pub trust: HookTrust,
    pub dialect: String,
    /// `user`, `project`, `local` or `plugin`.
    pub level: String,
    pub file: String,
    pub line: usize,
    /// Where in the file.
    pub key: String,
    pub description: Option<String>,
    pub definition: Value,
}

/// Whether a person has allowed a hook to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookTrust {
    /// It stands in a file of the person's own.
    Own,
    /// As it stands.
    Trusted,
    /// Never.
    Untrusted,
    /// Not since it was changed.
    Changed,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct HookProblem {
    pub file: String,
    pub line: usize,
    pub key: String,
    pub message: String,
    /// `error` or `warning`.
    pub severity: String,
}

/// A hook that was switched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Switched {
    /// Of this shape.
    pub schema_version: u32,
    /// False if it was so already.
    pub changed: bool,
    /// The hook.
    pub name: String,
    /// Its file.
    pub file: String,
    /// What it is now: `enabled`, `disabled` or `untrusted`.
    pub status: Option<String>,
    /// Where in its file.
    pub line: Option<usize>,
    /// `enabled`, or `disabled` where all hooks rest.
    pub mode: String,
    /// Hooks that were trusted along with it.
    pub trusted: Vec<String>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// A hook that was run with a sample event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HookTried {
    /// Of this shape.
    pub schema_version: u32,
    /// The hook.
    pub name: String,
    /// What it was given.
    pub event: Value,
    /// What it said.
    pub verdict: String,
    /// Why.
    pub reason: Option<String>,
    /// What it made of the tool's input.
    pub updated_input: Option<Value>,
    /// What it told the model.
    pub context: Option<String>,
    /// What it told the person.
    pub system_message: Option<String>,
    /// What it wants the agent to go on with.
    pub keep_going: Option<String>,
    /// How it failed.
    pub failure: Option<String>,
    /// The code it ended with.
    pub exit: Option<i32>,
    /// How it ended.
    pub ending: Option<String>,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How long it took.
    pub ms: u64,
    /// What differs from a real event.
    pub notes: Vec<String>,
}
