//! What the smaller protocols have in common, so that an agent's folder is mostly tables.
//!
//! [`events`] is the shape of an event table,
//! [`tools`] carries a tool call between an agent's words and ours and back, and [`lean`] turns a
//! decision into what an agent has means for. None of it knows an agent's name or prints a reply;
//! an agent with means of its own, such as asking a person, needs a renderer of its own.

pub(crate) mod events;
pub(crate) mod lean;
pub(crate) mod reply;
#[cfg(test)]
mod tests;
pub(crate) mod tools;

use crate::tool_failure::FailureSignals;

/// How these agents' responses tell of a failure.
pub(crate) const FAILURES: FailureSignals = FailureSignals {
    lists: true,
    exit_codes: false,
    texts: &["error", "message", "stderr", "content", "result"],
};
