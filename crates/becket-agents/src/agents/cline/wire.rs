//! Cline's reply format.
//!
//! VS Code ignores a whole reply if a value has the wrong type, and the command line ignores exit codes, so
//! JSON on stdout is the only way to reach both.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct};
use crate::reply_text::join_lines;

/// Longer context is cut, counted in UTF-16 units as JavaScript does.
const CONTEXT_LIMIT: usize = 50_000;

/// Cline's format.
pub(super) struct ClineWire;

impl ReplyWire for ClineWire {
    fn write(&self, _: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut lost = reply.lost;
        let wire = ClineReplyWire::of(reply.act, reply.context);
        let context = wire.context_modification.as_deref().unwrap_or_default();
        if context.len() > CONTEXT_LIMIT && context.encode_utf16().count() > CONTEXT_LIMIT {
            lost.push(format!(
                "Cline cuts context after {CONTEXT_LIMIT} characters."
            ));
        }
        Rendered {
            stdout: json_line(&wire),
            lost,
            ..Rendered::default()
        }
    }
}

impl ClineReplyWire {
    fn of(act: ReplyAct, context: Option<String>) -> Self {
        let mut wire = Self {
            context_modification: context,
            ..Self::default()
        };
        match act {
            ReplyAct::Rewrite(input) => wire.override_input = Some(input),
            ReplyAct::Deny { reason, .. } | ReplyAct::EndTurn { reason } => {
                wire.cancel = Some(true);
                wire.error_message = Some(reason);
            }
            ReplyAct::Note { reason } => {
                wire.context_modification = join_lines(Some(&reason), wire.context_modification);
            }
            // Cline has no words for these, and its table has no event with them.
            ReplyAct::Silence
            | ReplyAct::Allow { .. }
            | ReplyAct::Ask { .. }
            | ReplyAct::KeepGoing { .. } => {}
        }
        wire
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClineReplyWire {
    /// Aborts the run; the tool does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cancel: Option<bool>,
    /// Why the run is cancelled. Without a cancellation it would be treated as context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_modification: Option<String>,
    /// Replaces the tool's whole input, on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) override_input: Option<Map<String, Value>>,
}
