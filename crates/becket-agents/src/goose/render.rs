//! A decision in the form that Goose honours. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::GOOSE;
use super::wire::{BlockWire, ReplyWire};
use crate::adapter::Rendered;
use crate::exchange::events::nothing_to_rewrite;
use crate::exchange::lean::{Act, Answer};
use crate::exchange::reply::line;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    say(GOOSE.answer(event, decision, &nothing_to_rewrite))
}

/// Answers a payload that could not be read.
pub(super) fn render_unread(kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
    let answer = GOOSE.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, say)
}

fn say(answer: Answer) -> Rendered {
    let wire = match answer.act {
        Act::Refuse { reason, .. }
        | Act::GoOn {
            instruction: reason,
        } => ReplyWire {
            decision: Some(BlockWire::Block),
            reason: Some(reason),
        },
        _ => ReplyWire::default(),
    };
    Rendered {
        stdout: line(&wire),
        lost: answer.lost,
        ..Rendered::default()
    }
}
