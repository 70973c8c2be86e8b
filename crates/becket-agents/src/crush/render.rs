//! A decision in the form that Crush honours. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::Value;

use super::events::CRUSH;
use super::tools;
use super::wire::{CrushDecisionWire, CrushReplyWire};
use crate::adapter::Rendered;
use crate::exchange::lean::{Act, ExchangeAnswer, ExchangeTurn};
use crate::exchange::reply::line;
use crate::exchange::tools::Rewritten;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    say(CRUSH.answer(event, decision, &|input| translate(event, input)))
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let answer = CRUSH.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, say)
}

fn translate(event: &Event, updated: &Value) -> Result<Rewritten, String> {
    let call = event.call().ok_or("there is no call to rewrite")?;
    let native = event.raw.get("tool_input").and_then(Value::as_object);
    tools::patch(call, native.ok_or("there is no input to rewrite")?, updated)
}

fn say(answer: ExchangeAnswer) -> Rendered {
    let mut wire = CrushReplyWire {
        context: answer.context,
        ..CrushReplyWire::default()
    };
    match answer.act {
        Act::Allow { reason, rewrite } => {
            wire.decision = Some(CrushDecisionWire::Allow);
            wire.reason = reason;
            wire.updated_input = rewrite.unwrap_or_default();
        }
        Act::Rewrite(input) => wire.updated_input = input,
        Act::Refuse { reason, turn } => {
            wire.decision = Some(CrushDecisionWire::Deny);
            wire.reason = Some(reason);
            wire.halt = (turn == ExchangeTurn::Ends).then_some(true);
        }
        // Crush fires nothing at which these could be said.
        Act::Silence | Act::EndTurn { .. } | Act::Note { .. } | Act::GoOn { .. } => {}
    }
    Rendered {
        stdout: line(&wire),
        lost: answer.lost,
        ..Rendered::default()
    }
}
