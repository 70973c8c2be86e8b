//! Devin's reply format: the older form of Claude's.

use serde::Serialize;

use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct};

/// Devin's format.
pub(super) struct DevinWire;

impl ReplyWire for DevinWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut rendered = Rendered {
            lost: reply.lost,
            ..Rendered::default()
        };
        let (decision, reason) = match reply.act {
            ReplyAct::Deny { reason, .. } if point.row.is_unknown() => {
                rendered.stderr = reason + "\n";
                rendered.exit = 2;
                return rendered;
            }
            ReplyAct::Deny { reason, .. }
            | ReplyAct::Note { reason }
            // At `Stop` a block is the instruction to go on.
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => (Some(DevinDecisionWire::Block), Some(reason)),
            ReplyAct::Allow { reason, .. } => (Some(DevinDecisionWire::Approve), reason),
            // Devin has no words for these, and its table has no event with them.
            ReplyAct::Silence
            | ReplyAct::Ask { .. }
            | ReplyAct::Rewrite(_)
            | ReplyAct::EndTurn { .. } => (None, None),
        };
        rendered.stdout = json_line(&DevinReplyWire {
            decision,
            reason,
            hook_specific_output: reply.context.map(|text| DevinSpecificWire {
                hook_event_name: point.row.native,
                additional_context: text,
            }),
        });
        rendered
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevinReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DevinDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<DevinSpecificWire>,
}

/// `decision`. `deny` means the same as `block`, which every event accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DevinDecisionWire {
    Approve,
    Block,
}

/// Text for the model, at the start and with a prompt.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevinSpecificWire {
    pub(super) hook_event_name: &'static str,
    pub(super) additional_context: String,
}
