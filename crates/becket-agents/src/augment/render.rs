//! A decision in the form that Auggie honours. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::Value;

use super::events::AUGMENT;
use super::tools::WORDS;
use super::wire::{AugmentBlockWire, AugmentPermissionWire, AugmentReplyWire, AugmentSpecificWire};
use crate::adapter::Rendered;
use crate::exchange::events::ExchangeNative;
use crate::exchange::lean::{Act, ExchangeAnswer};
use crate::exchange::reply::line;
use crate::exchange::tools::Rewritten;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let answer = AUGMENT.answer(event, decision, &|input| translate(event, input));
    say(answer, named(&event.native_name, &event.kind()))
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let name = kind.and_then(|kind| named(kind.name(), kind));
    let answer = AUGMENT.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, |answer| say(answer, name))
}

/// The name that a reply has to repeat, of an event that Becket knows.
fn named(name: &str, kind: &EventKind) -> Option<&'static str> {
    let native = AUGMENT.find(name).or_else(|| AUGMENT.find(kind.name()));
    native.map(ExchangeNative::name)
}

fn translate(event: &Event, updated: &Value) -> Result<Rewritten, String> {
    let call = event.call().ok_or("there is no call to rewrite")?;
    let native = event.raw.get("tool_input");
    let native = native.ok_or("there is no input to rewrite")?;
    match event.raw.get("is_mcp_tool") {
        Some(Value::Bool(true)) => WORDS.rewrite_foreign(native, updated),
        _ => WORDS.rewrite(&call.native_name, native, updated),
    }
}

fn say(answer: ExchangeAnswer, name: Option<&'static str>) -> Rendered {
    let Some(name) = name else {
        return refuse_unknown(answer);
    };
    let mut specific = AugmentSpecificWire {
        additional_context: answer.context,
        ..AugmentSpecificWire::default()
    };
    match answer.act {
        Act::Allow { reason, rewrite } => {
            specific.permission_decision = Some(AugmentPermissionWire::Allow);
            specific.permission_decision_reason = reason;
            specific.updated_input = rewrite;
        }
        Act::Rewrite(input) => specific.updated_input = Some(input),
        Act::Refuse { reason, .. } => {
            specific.permission_decision = Some(AugmentPermissionWire::Deny);
            specific.permission_decision_reason = Some(reason);
        }
        Act::Note { reason }
        | Act::GoOn {
            instruction: reason,
        } => {
            specific.decision = Some(AugmentBlockWire::Block);
            specific.reason = Some(reason);
        }
        Act::Silence | Act::EndTurn { .. } => {}
    }
    let says = specific != AugmentSpecificWire::default();
    specific.hook_event_name = name;
    let mut wire = AugmentReplyWire {
        system_message: answer.message,
        hook_specific_output: says.then_some(specific),
        ..AugmentReplyWire::default()
    };
    // It only has an effect with an answer that would be logged.
    if answer.quiet && wire != AugmentReplyWire::default() {
        wire.suppress_output = Some(true);
    }
    Rendered {
        stdout: line(&wire),
        lost: answer.lost,
        ..Rendered::default()
    }
}

/// A name that the client does not take would have it ignore the whole reply; exit code 2 blocks
/// what can be blocked, and is at least read by someone elsewhere.
fn refuse_unknown(answer: ExchangeAnswer) -> Rendered {
    let reason = match answer.act {
        Act::Refuse { reason, .. } => Some(reason),
        _ => None,
    };
    Rendered {
        exit: if reason.is_some() { 2 } else { 0 },
        stderr: reason.map(|reason| reason + "\n").unwrap_or_default(),
        lost: answer.lost,
        ..Rendered::default()
    }
}
