//! Agents that have plugins instead of hook commands.
//!
//! Becket writes a plugin that forwards each of the agent's hooks as JSON on the standard input of `becket hook`
//! and applies the reply. Both sides of that bridge are Becket's own, so these agents share the envelope of
//! their payloads, most of their capabilities, and their reply ([`super::wire::plugin`]). The half of a plugin
//! that starts Becket, keeps its deadline and reads its reply is `ask.js`, shared by all. Start at [`compose`]
//! and [`event`].

#[cfg(test)]
mod tests;

use becket_model::{AgentId, Event, EventData, SessionId, Subagent};
use serde_json::{Map, Value};

use super::capability::{ContextCap, DenyCap, HaltCap, MessageCap, RewriteCap};
use super::{AgentSpec, EventCaps};
use crate::adapter::{Recognition, SenderClues};
use crate::fields::PayloadFields;

/// The line in a plugin's template that `ask.js` takes the place of.
const ASK_MARK: &str = "//@becket: ask.js\n";
const ASK: &str = include_str!("plugin/ask.js");

/// The key of a forwarded payload that names the bridge.
const MARK: &str = "becket_bridge";

/// The plugin shows a message and does nothing else.
pub(crate) const OBSERVED: EventCaps = EventCaps::UNREAD.message(MessageCap::Shown);

/// The plugin rejects a call, replaces its input, and cancels the turn together with a denial.
pub(crate) const BEFORE_TOOL: EventCaps = OBSERVED
    .deny(DenyCap::Prevents)
    .halt(HaltCap::EndsTurn)
    .rewrite(RewriteCap::Replaces);

/// The plugin adds an objection to the result.
pub(crate) const AFTER_TOOL: EventCaps = OBSERVED
    .deny(DenyCap::Notes("the model reads the reason"))
    .halt(HaltCap::EndsTurn)
    .context(ContextCap::GivenOrInReason);

/// A denied prompt starts no turn.
pub(crate) const PROMPT: EventCaps = OBSERVED
    .deny(DenyCap::Prevents)
    .halt(HaltCap::WithDeny)
    .context(ContextCap::GivenUnlessDenied);

pub(crate) const GIVEN: EventCaps = OBSERVED.context(ContextCap::Given);

/// The agent is at rest, and the plugin can start another turn.
pub(crate) const IDLE: EventCaps = OBSERVED
    .deny(DenyCap::KeepsGoing)
    .halt(HaltCap::Stops)
    .context(ContextCap::InReason);

/// The turn failed, or the person aborted it: a hook that keeps the agent going would override the person.
pub(crate) const STOPPED: EventCaps = OBSERVED.deny(DenyCap::Stops).halt(HaltCap::Stops);

/// A plugin's source: the template with its bridge, and the program as a string that no path can break out of.
pub(crate) fn compose(template: &str, agent: &str, bridge: &str, binary: &str) -> String {
    template
        .replace(ASK_MARK, ASK)
        .replace("@BECKET_AGENT@", agent)
        .replace("@BECKET_BRIDGE@", bridge)
        // Last, because a path may hold anything, also a mark.
        .replace("\"@BECKET_BINARY@\"", &Value::from(binary).to_string())
}

/// Whether a payload is from this agent's plugin, of any version.
pub(crate) fn recognition(agent: &str, clues: &SenderClues<'_>) -> Recognition {
    let bridge = clues.payload.get(MARK).and_then(Value::as_str);
    match bridge.and_then(|bridge| bridge.split_once('/')) {
        Some((name, _)) if name == agent => Recognition::Payload,
        _ => Recognition::No,
    }
}

/// An event with what every plugin sends: `{becket_bridge, hook, directory, parentID?, agent?, …}`. A session with
/// a parent is a subagent's.
pub(crate) fn event(
    spec: &AgentSpec,
    native_name: String,
    session: Option<String>,
    data: EventData,
    raw: Map<String, Value>,
) -> Event {
    let fields = PayloadFields::new(spec.id, &raw);
    let id = session
        .clone()
        .filter(|_| fields.filled("parentID").is_some());
    Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(session.unwrap_or_default()),
        cwd: fields.filled("directory"),
        native_name,
        subagent: id.map(|id| Subagent {
            id,
            kind: fields.filled("agent"),
        }),
        transcript: None,
        data,
        raw,
    }
}
