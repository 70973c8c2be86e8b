//! A decision in the form that Devin honours at each event.
//!
//! What the table in [`super::events`] has no means for is settled by [`crate::kit::settle`] and comes back
//! in [`Rendered::lost`]. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::{self, DevinEvent};
use super::wire::{DevinDecisionWire, DevinReplyWire, DevinSpecificWire};
use super::{Devin, TITLE};
use crate::adapter::Rendered;
use crate::kit::settle::unread;
use crate::kit::tools::differs;
use crate::kit::{KitScene, KitSettled};

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let scene = KitScene::new(TITLE, native.name, &event.native_name, native.means);
    let settled = scene.settle(decision, |after| Ok(differs(&Devin, event, after)));
    write(native, settled)
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let native = kind.and_then(|kind| events::find(kind.name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let given = kind.map_or("this event", EventKind::name);
    let scene = KitScene::new(TITLE, native.name, given, native.means);
    let settled = scene.settle(&unread(verdict, reason), |_| Ok(None));
    write(native, settled)
}

fn write(native: &DevinEvent, mut settled: KitSettled) -> Rendered {
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
    let stdout = if wire == DevinReplyWire::default() {
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

fn wire(native: &DevinEvent, settled: KitSettled) -> DevinReplyWire {
    let (decision, reason) = match settled.verdict {
        Verdict::Deny | Verdict::Halt => (Some(DevinDecisionWire::Block), settled.reason),
        Verdict::Allow => (Some(DevinDecisionWire::Approve), settled.reason),
        // At `Stop` a block is the instruction to go on.
        _ => (
            settled
                .keep_going
                .is_some()
                .then_some(DevinDecisionWire::Block),
            settled.keep_going,
        ),
    };
    DevinReplyWire {
        decision,
        reason,
        hook_specific_output: settled.context.map(|text| DevinSpecificWire {
            hook_event_name: native.name,
            additional_context: text,
        }),
    }
}
