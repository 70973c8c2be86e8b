//! The one event of Crush, and what a hook may do at it.

use super::TITLE;
use crate::exchange::events::{ExchangeNative, Protocol, Reads};
use crate::exchange::lean::{Approval, ExchangeContext, ExchangeMeans, Refusal};

/// Every event of source 37f36e9. Context given here is added to the tool's result.
const EVENTS: [ExchangeNative; 1] = [ExchangeNative {
    names: &["PreToolUse"],
    reads: Reads::PreTool,
    means: ExchangeMeans::at("PreToolUse")
        .refusal(Refusal::Prevents)
        .approval(Approval::Skips)
        .context(ExchangeContext::Given)
        .halts()
        .rewrites(),
}];

/// What Crush hears, and how a refusal is said at an event that a later version may add.
pub(super) const CRUSH: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: ExchangeMeans::at("").refusal(Refusal::Unknown).halts(),
};
