//! Goose's reply format.
//!
//! An entry with `on_failure: "block"` treats any other output as a denial, including `{}`, so no output is the
//! only way to express no opinion.

use serde::Serialize;

use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct};

/// Goose's format.
pub(super) struct GooseWire;

impl ReplyWire for GooseWire {
    fn write(&self, _: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let wire = match reply.act {
            ReplyAct::Deny { reason, .. }
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => GooseReplyWire {
                decision: Some(GooseBlockWire::Block),
                reason: Some(reason),
            },
            // Goose has no words for anything else.
            _ => GooseReplyWire::default(),
        };
        Rendered {
            stdout: json_line(&wire),
            lost: reply.lost,
            ..Rendered::default()
        }
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct GooseReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<GooseBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// The only value that blocks: `deny` would let the tool run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GooseBlockWire {
    Block,
}
