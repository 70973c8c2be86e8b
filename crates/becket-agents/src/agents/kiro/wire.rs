//! Kiro's reply format: exit code 2 and a reason, or text for the model.
//!
//! Every refusal is exit code 2. Another code warns and proceeds, or blocks, depending on which of
//! Kiro's documents one reads, so no other is used. Silence is empty: Kiro would hand `{}` to the
//! model as context.

use super::events::is_trigger;
use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint};
use crate::protocol::{AgentReply, ReplyAct};
use crate::reply_text::join_lines;

/// Longer output is cut, unless the hook's entry says otherwise.
const OUTPUT_LIMIT: usize = 10 * 1024;

/// Kiro's format.
pub(super) struct KiroWire;

impl ReplyWire for KiroWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let from_hook_file = point.event.is_some() && is_trigger(point.row.native);
        let (text, exit) = match reply.act {
            ReplyAct::Deny { reason, .. } => (join_lines(Some(&reason), reply.context), 2),
            // A hook file reaches the model; an agent file can only warn the person.
            ReplyAct::Note { reason } => {
                let exit = if from_hook_file { 0 } else { 2 };
                (join_lines(Some(&reason), reply.context), exit)
            }
            // Kiro has no words for anything else.
            _ => (reply.context, 0),
        };
        let text = text.map_or(String::new(), |text| text + "\n");
        let mut lost = reply.lost;
        if text.len() > OUTPUT_LIMIT {
            lost.push(format!(
                "Kiro cuts what a hook says after {OUTPUT_LIMIT} bytes."
            ));
        }
        let (stdout, stderr) = match exit {
            0 => (text, String::new()),
            _ => (String::new(), text),
        };
        Rendered {
            stdout,
            stderr,
            exit,
            lost,
        }
    }
}
