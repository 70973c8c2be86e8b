//! The reply to Becket's own plugins. What a key does at which hook is in the plugin's header.
//!
//! Silence is an empty stdout, and the exit code is always 0, because a plugin takes any other for a failure
//! and denies the call.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{ReplyWire, WirePoint};
use crate::adapter::Rendered;
use crate::protocol::capability::HaltCap;
use crate::protocol::{AgentReply, EventRow, ReplyAct, TurnEffect};

/// The format.
pub(crate) struct PluginWire {
    /// The plugin's protocol, such as `amp/1`; the plugin takes no other reply.
    pub(crate) bridge: &'static str,
}

impl ReplyWire for PluginWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut wire = PluginReplyWire {
            bridge: self.bridge,
            context: reply.context,
            message: reply.message,
            ..PluginReplyWire::default()
        };
        wire.act(point.row, reply.act);
        let silent = PluginReplyWire {
            bridge: self.bridge,
            ..PluginReplyWire::default()
        };
        // With an empty stdout about an unread payload the caller would exit with an error code.
        let stdout = if wire == silent && point.event.is_some() {
            String::new()
        } else {
            serde_json::to_string(&wire).expect("a reply is strings, flags and JSON") + "\n"
        };
        Rendered {
            stdout,
            lost: reply.lost,
            ..Rendered::default()
        }
    }
}

/// The object that the plugin reads.
#[derive(Debug, Default, PartialEq, Serialize)]
struct PluginReplyWire {
    bridge: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<PluginVerdictWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Ends the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<bool>,
    /// The whole input of the tool, in the agent's keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Map<String, Value>>,
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    /// Text for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The instruction to keep going.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PluginVerdictWire {
    Allow,
    Ask,
    Deny,
}

impl PluginReplyWire {
    fn act(&mut self, row: &EventRow, act: ReplyAct) {
        match act {
            ReplyAct::Silence => {}
            ReplyAct::Allow { reason, rewrite } => {
                self.verdict(PluginVerdictWire::Allow, reason, rewrite);
            }
            ReplyAct::Ask { reason, rewrite } => {
                self.verdict(PluginVerdictWire::Ask, reason, rewrite);
            }
            ReplyAct::Rewrite(input) => self.input = Some(input),
            ReplyAct::Deny { reason, turn } => {
                self.verdict(PluginVerdictWire::Deny, Some(reason), None);
                // Where a denial ends the turn as well, it needs no other word.
                let ends = turn == TurnEffect::Ends && row.caps.halt == HaltCap::EndsTurn;
                self.halt = ends.then_some(true);
            }
            ReplyAct::Note { reason } => self.object(&reason),
            ReplyAct::EndTurn { reason } => {
                self.object(&reason);
                self.halt = Some(true);
            }
            ReplyAct::KeepGoing { instruction } => self.go_on = Some(instruction),
        }
    }

    fn verdict(
        &mut self,
        verdict: PluginVerdictWire,
        reason: Option<String>,
        input: Option<Map<String, Value>>,
    ) {
        self.verdict = Some(verdict);
        self.reason = reason;
        self.input = input;
    }

    /// A result has no verdict; the model reads the objection next to it.
    fn object(&mut self, reason: &str) {
        self.context = Some(format!(
            "A hook that the person set up objects to this: {reason}"
        ));
    }
}
