//! A decision in the form that Cline honours. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::Value;

use super::events::CLINE;
use super::tools::WORDS;
use super::wire::ClineReplyWire;
use crate::adapter::Rendered;
use crate::exchange::lean::{Act, ExchangeAnswer, joined};
use crate::exchange::reply::line;
use crate::exchange::tools::Rewritten;

/// Longer context is cut, counted in UTF-16 units as JavaScript does.
const CONTEXT_LIMIT: usize = 50_000;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    say(CLINE.answer(event, decision, &|input| translate(event, input)))
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let answer = CLINE.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, say)
}

fn translate(event: &Event, updated: &Value) -> Result<Rewritten, String> {
    let call = event.call().ok_or("there is no call to rewrite")?;
    let native = event
        .raw
        .get("tool_call")
        .and_then(|call| call.get("input"));
    let native = native.ok_or("there is no input to rewrite")?;
    WORDS.rewrite(&call.native_name, native, updated)
}

fn say(answer: ExchangeAnswer) -> Rendered {
    let mut wire = ClineReplyWire {
        context_modification: answer.context,
        ..ClineReplyWire::default()
    };
    match answer.act {
        Act::Rewrite(input) => wire.override_input = Some(input),
        Act::Refuse { reason, .. } | Act::EndTurn { reason } => {
            wire.cancel = Some(true);
            wire.error_message = Some(reason);
        }
        Act::Note { reason } => {
            wire.context_modification = joined(Some(reason), wire.context_modification);
        }
        // Cline takes no approval and cannot be kept going.
        Act::Silence | Act::Allow { .. } | Act::GoOn { .. } => {}
    }
    let mut lost = answer.lost;
    let context = wire.context_modification.as_deref().unwrap_or_default();
    if context.len() > CONTEXT_LIMIT && context.encode_utf16().count() > CONTEXT_LIMIT {
        lost.push(format!(
            "Cline cuts context after {CONTEXT_LIMIT} characters."
        ));
    }
    Rendered {
        stdout: line(&wire),
        lost,
        ..Rendered::default()
    }
}
