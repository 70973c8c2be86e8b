//! Crush's reply format.
//!
//! `hookSpecificOutput` is never written: Crush would then ignore every other key.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct, TurnEffect};

/// Crush's format.
pub(super) struct CrushWire;

impl ReplyWire for CrushWire {
    fn write(&self, _: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut wire = CrushReplyWire {
            context: reply.context,
            ..CrushReplyWire::default()
        };
        match reply.act {
            ReplyAct::Allow { reason, rewrite } => {
                wire.decision = Some(CrushDecisionWire::Allow);
                wire.reason = reason;
                wire.updated_input = rewrite.unwrap_or_default();
            }
            ReplyAct::Rewrite(input) => wire.updated_input = input,
            ReplyAct::Deny { reason, turn } => {
                wire.decision = Some(CrushDecisionWire::Deny);
                wire.reason = Some(reason);
                wire.halt = (turn == TurnEffect::Ends).then_some(true);
            }
            // Crush has no words for these, and its table has no event with them.
            ReplyAct::Silence
            | ReplyAct::Ask { .. }
            | ReplyAct::EndTurn { .. }
            | ReplyAct::Note { .. }
            | ReplyAct::KeepGoing { .. } => {}
        }
        Rendered {
            stdout: json_line(&wire),
            lost: reply.lost,
            ..Rendered::default()
        }
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct CrushReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<CrushDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) halt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<String>,
    /// Merged into the tool's input, key by key.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) updated_input: Map<String, Value>,
}

/// The values that Crush knows; any other means no opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CrushDecisionWire {
    Allow,
    Deny,
}
