//! The one event of Crush, and what a hook may do at it.

use super::TITLE;
use crate::exchange::events::{Native, Protocol, Reads};
use crate::exchange::lean::{Approval, Context, Means, Refusal};

/// Every event of source 37f36e9. Context given here is added to the tool's result.
const EVENTS: [Native; 1] = [Native {
    names: &["PreToolUse"],
    reads: Reads::PreTool,
    means: Means::at("PreToolUse")
        .refusal(Refusal::Prevents)
        .approval(Approval::Skips)
        .context(Context::Given)
        .halts()
        .rewrites(),
}];

/// What Crush hears, and how a refusal is said at an event that a later version may add.
pub(super) const CRUSH: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: Means::at("").refusal(Refusal::Unknown).halts(),
};
