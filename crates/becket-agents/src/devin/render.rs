//! A decision in the form that Devin honours at each event.
//!
//! What the table in [`super::events`] has no means for is settled by [`crate::kit::settle`] and comes back
//! in [`Rendered::lost`]. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::{self, Native};
use super::wire::{DecisionWire, ReplyWire, SpecificWire};
use super::{Devin, TITLE};
use crate::adapter::Rendered;
use crate::kit::settle::unread;
use crate::kit::tools::differs;
use crate::kit::{Scene, Settled};

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let scene = Scene::new(TITLE, native.name, &event.native_name, native.means);
    let settled = scene.settle(decision, |after| Ok(differs(&Devin, event, after)));
    write(native, settled)
}

/// Answers a payload that could not be read.
pub(super) fn render_unread(kind: Option<&EventKind>, verdict: Verdict, reason: &str) -> Rendered {
    let native = kind.and_then(|kind| events::find(kind.name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let given = kind.map_or("this event", EventKind::name);
    let scene = Scene::new(TITLE, native.name, given, native.means);
    let settled = scene.settle(&unread(verdict, reason), |_| Ok(None));
    write(native, settled)
}

fn write(native: &Native, mut settled: Settled) -> Rendered {
    let lost = std::mem::take(&mut settled.lost);
    if native.name.is_empty() && settled.refuses() {
        return Rendered {
            stderr: format!("{}\n", settled.why()),
            exit: 2,
            lost,
            ..Rendered::default()
        };
    }
    let wire = wire(native, settled);
    let stdout = if wire == ReplyWire::default() {
        String::new()
    } else {
        serde_json::to_string(&wire).expect("a reply is strings") + "\n"
    };
    Rendered {
        stdout,
        lost,
        ..Rendered::default()
    }
}

fn wire(native: &Native, settled: Settled) -> ReplyWire {
    let (decision, reason) = match settled.verdict {
        Verdict::Deny | Verdict::Halt => (Some(DecisionWire::Block), settled.reason),
        Verdict::Allow => (Some(DecisionWire::Approve), settled.reason),
        // At `Stop` a block is the instruction to go on.
        _ => (
            settled.keep_going.is_some().then_some(DecisionWire::Block),
            settled.keep_going,
        ),
    };
    ReplyWire {
        decision,
        reason,
        hook_specific_output: settled.context.map(|text| SpecificWire {
            hook_event_name: native.name,
            additional_context: text,
        }),
    }
}
