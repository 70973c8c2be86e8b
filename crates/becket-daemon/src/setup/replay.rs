//! Replaying recorded events with other rules, as in `becket replay --json`.

use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The strictness of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Denies only catastrophic commands.
    Permissive,
    /// Denies irreversible commands, asks about doubtful ones.
    #[default]
    Standard,
    /// Denies doubtful commands as well.
    Strict,
}

/// Which hooks to replay on which events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayQuery {
    /// Replay the guard with this preset.
    pub preset: Option<Preset>,
    /// Replay only the hook with this name.
    pub hook: Option<String>,
    /// Only events of this project.
    pub project: Option<String>,
    /// Only events from this time on.
    pub since: Option<Millis>,
}

/// The recorded decisions compared with the replayed ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayReport {
    /// The version of this format.
    pub schema_version: u32,
    /// What was replayed.
    pub replayed_with: String,
    /// False if time ran out; the report then covers the earliest events.
    pub complete: bool,
    /// Events on which a hook can decide.
    pub looked_at: u64,
    /// Events with a decision, recorded or replayed.
    pub replayed: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// Events that could not be parsed.
    pub unreadable: u64,
    /// The recorded verdicts.
    pub then: VerdictCounts,
    /// The replayed verdicts.
    pub now: VerdictCounts,
    /// How many decisions differ.
    pub changed: u64,
    /// The differences, the most frequent first.
    pub changes: Vec<ReplayChange>,
    /// Calls that would be denied, and ran successfully.
    pub denied_that_ran: ReplayCases,
    /// Calls that would need a confirmation, and ran successfully without.
    pub asked_that_ran: ReplayCases,
    /// The rules that would decide.
    pub rules: Vec<RuleCount>,
    /// Hooks that were not run, because they may have side effects.
    pub not_run: Vec<SkippedHook>,
}

/// The number of decisions per verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct VerdictCounts {
    pub none: u64,
    pub allow: u64,
    pub ask: u64,
    pub deny: u64,
    pub halt: u64,
}

/// Tool calls of one category.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct ReplayCases {
    /// The number of calls.
    pub count: u64,
    /// Examples, the most frequent first.
    pub items: Vec<ReplayCase>,
}

/// One tool call with its recorded and its replayed verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct ReplayCase {
    pub event_id: String,
    pub at: Millis,
    pub agent: String,
    pub session: Option<String>,
    pub project: Option<String>,
    /// The tool, or the event name if the event is not about a tool.
    pub tool: String,
    /// The command, the path, or another description of the call.
    pub subject: String,
    pub then: String,
    pub now: String,
    /// The hook that would decide.
    pub hook: Option<String>,
    pub rule: Option<String>,
    pub reason: Option<String>,
    /// `open`, `ran`, `failed` or `refused`.
    pub outcome: Option<String>,
    /// How often the identical call occurs.
    pub times: u64,
}

/// Tool calls with the same change of verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayChange {
    /// The number of calls.
    pub count: u64,
    /// Examples, the most frequent first.
    pub items: Vec<ReplayCase>,
    /// The recorded verdict.
    pub then: String,
    /// The replayed verdict.
    pub now: String,
}

/// How often a rule would decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct RuleCount {
    pub hook: String,
    pub rule: Option<String>,
    pub verdict: String,
    pub times: u64,
}

/// A hook that was not run; its recorded verdict was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct SkippedHook {
    pub hook: String,
    /// The kind of hook.
    pub kind: String,
    pub times: u64,
}
