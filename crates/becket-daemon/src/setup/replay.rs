//! What other rules would have decided, as `becket replay --json` tells it.

use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strict the guard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Only what no one wants is denied.
    Permissive,
    /// Denies what cannot be undone, asks about what is doubtful.
    #[default]
    Standard,
    /// Denies the doubtful, too.
    Strict,
}

/// Whose word is wanted on what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayQuestion {
    /// That of the guard with this preset.
    pub preset: Option<Preset>,
    /// That of the hook of this name.
    pub hook: Option<String>,
    /// On this project's events.
    pub project: Option<String>,
    /// On what happened from then on.
    pub since: Option<Millis>,
}

/// What was decided, and what would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayReport {
    /// Of this shape.
    pub schema_version: u32,
    /// Whose word it is.
    pub replayed_with: String,
    /// False if there was no time for all events; then these are the earliest.
    pub complete: bool,
    /// Events on which a hook could decide.
    pub looked_at: u64,
    /// Those on which somebody did, then or now.
    pub replayed: u64,
    /// In so many sessions.
    pub sessions: u64,
    /// Events that could not be read.
    pub unreadable: u64,
    /// What was said then.
    pub then: Counts,
    /// What would be said.
    pub now: Counts,
    /// How often the two differ.
    pub changed: u64,
    /// How they differ, the most frequent first.
    pub changes: Vec<Change>,
    /// What would be denied and ran well.
    pub denied_that_ran: Cases,
    /// What would be asked about and ran well without.
    pub asked_that_ran: Cases,
    /// Which rules would decide.
    pub rules: Vec<RuleCount>,
    /// Hooks that were not asked anew, because they do more than look.
    pub not_run: Vec<NotRun>,
}

/// How often each verdict was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub none: u64,
    pub allow: u64,
    pub ask: u64,
    pub deny: u64,
    pub halt: u64,
}

/// Calls of one sort.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Cases {
    /// How many there were.
    pub count: u64,
    /// Some of them, the most frequent first.
    pub items: Vec<Case>,
}

/// One call, decided then and now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Case {
    pub event_id: String,
    pub at: Millis,
    pub agent: String,
    pub session: Option<String>,
    pub project: Option<String>,
    /// The event's own name where it is not about a tool.
    pub tool: String,
    /// The command, the path, or whatever the call is about.
    pub subject: String,
    pub then: String,
    pub now: String,
    /// Who would decide.
    pub hook: Option<String>,
    pub rule: Option<String>,
    pub reason: Option<String>,
    /// `open`, `ran`, `failed` or `refused`.
    pub outcome: Option<String>,
    /// How often the very same came up.
    pub times: u64,
}

/// Calls that would be decided otherwise, in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// How many there were.
    pub count: u64,
    /// Some of them, the most frequent first.
    pub items: Vec<Case>,
    /// What was said.
    pub then: String,
    /// What would be said.
    pub now: String,
}

/// How often a rule would decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RuleCount {
    pub hook: String,
    pub rule: Option<String>,
    pub verdict: String,
    pub times: u64,
}

/// A hook that was taken to say what it said then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NotRun {
    pub hook: String,
    /// What kind of hook it is.
    pub kind: String,
    pub times: u64,
}
