//! What came of telling the store something.

use serde::Serialize;

use crate::prompt::Source;
use crate::read::Stats;

/// A session has started, or started again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionStarted {
    /// Its id.
    pub session_id: String,
    /// Under which agent it is known, which may be a more specific one than the caller.
    pub agent: String,
    /// It was not known before.
    pub created: bool,
    /// It had ended before.
    pub reactivated: bool,
    /// The session that it came from.
    pub parent: Option<String>,
}

/// A prompt was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptSubmitted {
    /// Its batch.
    pub batch_id: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// It is a repetition of the one before.
    pub duplicate: bool,
    /// The batch that is over by it.
    pub ended_batch: Option<String>,
}

/// A tool was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUsed {
    /// The batch that it belongs to.
    pub batch_id: Option<String>,
    /// The same was reported before.
    pub duplicate: bool,
    /// An alarm that it raised.
    pub alarm: Option<String>,
}

/// An agent came to rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// The batch that is over, or was already.
    pub batch_id: Option<String>,
    /// It is over by this.
    pub ended: bool,
    /// What was done in it.
    pub stats: Stats,
}

/// A session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionEnded {
    /// Its id.
    pub session_id: String,
    /// It is over by this.
    pub ended: bool,
    /// The batch that is over by it.
    pub ended_batch: Option<String>,
    /// What was done in all of it.
    pub stats: Stats,
    /// How many memories came of it so far, its summary not among them.
    pub memories: u64,
}

/// Anything else was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registered {
    /// The batch that it belongs to.
    pub batch_id: Option<String>,
    /// The same was reported before.
    pub duplicate: bool,
}
