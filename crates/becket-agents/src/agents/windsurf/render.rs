//! A decision in the form that Cascade honours at each event: an exit code and two streams of text.
//!
//! What the table in [`super::events`] has no means for is settled by [`crate::kit::settle`] and comes back
//! in [`Rendered::lost`]. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events;
use super::{TITLE, Windsurf};
use crate::adapter::Rendered;
use crate::kit::settle::unread;
use crate::kit::tools::differs;
use crate::kit::{KitScene, KitSettled, plain_line};

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let scene = KitScene::new(TITLE, native.name, &event.native_name, native.means);
    write(scene.settle(decision, |after| Ok(differs(&Windsurf, event, after))))
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
    write(settled)
}

fn write(settled: KitSettled) -> Rendered {
    let refuses = settled.refuses();
    Rendered {
        stderr: if refuses {
            format!("{}\n", settled.why())
        } else {
            String::new()
        },
        exit: if refuses { 2 } else { 0 },
        stdout: settled
            .message
            .map_or(String::new(), |text| plain_line(&text)),
        lost: settled.lost,
    }
}
