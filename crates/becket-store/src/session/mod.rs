//! The state of a session, derived from its events. Pure: no database, no clock.
//!
//! Events arrive late, twice and out of order, and the same set of events must give the same session. So the state
//! has two parts. The [`SessionHeader`] accepts events in any order, as each of its fields is a minimum or a
//! maximum. The [`TurnState`] (which turn an event belongs to, what has ended) accepts events only in the order of
//! their [`EventPosition`]. If an event arrives that belongs before others, the store replays all stored events
//! from the beginning, unless it can prove that the result is the same.

mod header;
mod turn_state;

use serde::{Deserialize, Serialize};

pub(crate) use header::{HeaderUpdate, ParentLink, SessionHeader};
pub(crate) use turn_state::{BatchChange, EventPlacement, TurnState};

use crate::millis::Millis;
use crate::prompt::PromptSource;

/// The position of an event in its session: by time, then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EventPosition {
    pub(crate) at: Millis,
    pub(crate) id: String,
}

/// The effect of an event on the turn state; stored as JSON in `events.mark`. Events without an effect belong to
/// the turn in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnEffect {
    /// The agent started or resumed.
    Start { source: Option<String> },
    /// A prompt, represented by a hash of its text: only repetitions matter here.
    Prompt {
        hash: String,
        generation: Option<String>,
        source: PromptSource,
        /// The text was redacted by telemetry, so the hash is that of a placeholder.
        #[serde(default, rename = "untold", skip_serializing_if = "is_false")]
        is_redacted: bool,
        /// The length, by each way of counting; empty if unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lengths: Vec<u64>,
    },
    /// The agent used a tool or changed a file.
    Act { plan: bool },
    /// A part of the answer; the text is a message under the event's id.
    Respond,
    /// The agent stopped.
    Stop {
        #[serde(rename = "responds")]
        has_response: bool,
        #[serde(rename = "rest")]
        outcome: StopOutcome,
    },
    /// The context is about to be compacted.
    Compact,
    /// The context was compacted.
    Compacted,
    /// The agent ended the session.
    End { reason: Option<String> },
    /// No event arrived for a long time: the turn, or the whole session, is over.
    Idle {
        #[serde(rename = "whole")]
        ends_session: bool,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde requires this signature"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// How the agent stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StopOutcome {
    /// It finished the turn.
    Done,
    /// A hook kept it going.
    KeptGoing,
    /// An error ended the turn.
    Failed,
}
