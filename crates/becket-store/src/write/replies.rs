//! The results of the `api` methods.

use serde::Serialize;

use crate::prompt::PromptSource;
use crate::read::ActivityStats;

/// A session started or resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionStarted {
    /// The session's id.
    pub session_id: String,
    /// The session's agent, which may be more specific than the caller's.
    pub agent: String,
    /// The session is new.
    pub created: bool,
    /// The session had ended before.
    pub reactivated: bool,
    /// The parent session.
    pub parent: Option<String>,
}

/// A prompt was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptSubmitted {
    /// Its batch.
    pub batch_id: Option<String>,
    /// The origin of the prompt.
    pub source: PromptSource,
    /// It repeats the previous prompt.
    pub duplicate: bool,
    /// The batch that it ended.
    pub ended_batch: Option<String>,
}

/// A tool call was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUsed {
    /// The event's batch.
    pub batch_id: Option<String>,
    /// The call was already reported.
    pub duplicate: bool,
    /// An alarm that the report raised.
    pub alarm: Option<String>,
}

/// The agent stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnStopped {
    /// The batch.
    pub batch_id: Option<String>,
    /// Whether this event ended it.
    pub ended: bool,
    /// Its statistics.
    pub stats: ActivityStats,
}

/// A session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionEnded {
    /// Its id.
    pub session_id: String,
    /// Whether this event ended it.
    pub ended: bool,
    /// The batch that it ended.
    pub ended_batch: Option<String>,
    /// Its statistics.
    pub stats: ActivityStats,
    /// The number of memories from the session so far, without its summary.
    pub memories: u64,
}

/// Any other event was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventStored {
    /// The event's batch.
    pub batch_id: Option<String>,
    /// The event is a duplicate.
    pub duplicate: bool,
}
