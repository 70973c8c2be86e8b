//! What a session's events amount to. Pure: no database, no clock.
//!
//! Events arrive late, twice and out of order, and the same events have to give the same session.
//! So what is known of a session is in two halves. The [`Header`] can take events in any order: each of its
//! fields is a minimum or a maximum. The [`Course`] (which prompt an event belongs to, what is over)
//! takes them in the order of their [`Position`] only; when one arrives that should have come before,
//! the store starts the course again from the stored events, unless it can prove that nothing changes.

mod course;
mod header;

use serde::{Deserialize, Serialize};

pub(crate) use course::{Change, Course, Placed};
pub(crate) use header::{Header, Link, Sighting};

use crate::millis::Millis;
use crate::prompt::Source;

/// Where an event stands in its session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) at: Millis,
    pub(crate) id: String,
}

/// What an event means for the course of its session. Events that mean nothing belong to the
/// prompt before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mark {
    /// The agent has started, or started again.
    Start { source: Option<String> },
    /// A prompt. The text is told by its hash: repetitions count, words do not.
    Prompt {
        hash: String,
        generation: Option<String>,
        source: Source,
        /// The hash is not that of what was said, which telemetry keeps to itself.
        #[serde(default, skip_serializing_if = "is_false")]
        untold: bool,
        /// How long it is, by each way of counting; empty if nobody can say.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lengths: Vec<u64>,
    },
    /// The agent is at work.
    Act { plan: bool },
    /// A piece of the answer; the text is a message of the event's id.
    Respond,
    /// The agent rests.
    Stop { responds: bool, rest: Rest },
    /// The context is about to be compacted.
    Compact,
    /// It has been.
    Compacted,
    /// The agent has ended.
    End { reason: Option<String> },
    /// Nothing has been heard for long: the turn is over, or the whole session.
    Idle { whole: bool },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// How an agent comes to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rest {
    /// It is done.
    Done,
    /// It was told to go on.
    KeptGoing,
    /// An error ended the turn.
    Failed,
}
