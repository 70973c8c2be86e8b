//! The protocol engine: what an agent can do at an event, and what becomes of a decision there.
//!
//! An agent is data: an [`AgentSpec`] with a table of [`EventRow`]s, each with its [`EventCaps`]. [`degrade`]
//! turns a decision into an [`AgentReply`] that these capabilities can express; it is the only place with
//! the rule that whatever an agent cannot express becomes stricter, never looser, and is reported. A
//! [`wire::ReplyWire`] writes the reply in the agent's format and decides nothing. [`ToolMap`] translates
//! tool calls to canonical names and back.

pub(crate) mod capability;
pub(crate) mod claude_payload;
pub(crate) mod degrade;
pub(crate) mod event;
#[cfg(test)]
mod laws;
pub(crate) mod plugin;
pub(crate) mod spec;
#[cfg(test)]
pub(crate) mod strategies;
pub(crate) mod tools;
pub(crate) mod wire;

pub(crate) use capability::EventCaps;
pub(crate) use degrade::{AgentReply, ReplyAct, TurnEffect};
pub(crate) use event::EventRow;
pub use spec::AgentSpec;
pub(crate) use tools::ToolMap;
