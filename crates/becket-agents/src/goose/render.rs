//! A decision in the form that Goose honours. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::GOOSE;
use super::wire::{GooseBlockWire, GooseReplyWire};
use crate::adapter::Rendered;
use crate::exchange::events::nothing_to_rewrite;
use crate::exchange::lean::{Act, ExchangeAnswer};
use crate::exchange::reply::line;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    say(GOOSE.answer(event, decision, &nothing_to_rewrite))
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let answer = GOOSE.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, say)
}

fn say(answer: ExchangeAnswer) -> Rendered {
    let wire = match answer.act {
        Act::Refuse { reason, .. }
        | Act::GoOn {
            instruction: reason,
        } => GooseReplyWire {
            decision: Some(GooseBlockWire::Block),
            reason: Some(reason),
        },
        _ => GooseReplyWire::default(),
    };
    Rendered {
        stdout: line(&wire),
        lost: answer.lost,
        ..Rendered::default()
    }
}
