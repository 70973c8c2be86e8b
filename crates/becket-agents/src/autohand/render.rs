//! A decision in the form that Autohand honours at each event.
//!
//! What the table in [`super::events`] has no means for is settled by [`crate::kit::settle`] and comes back
//! in [`Rendered::lost`]. Before a tool, any exit code but 0 and any object that does not fit is a refusal,
//! so a reply is exit code 0 and one object, or silence. Other text on stdout is shown to the user; next to
//! an object it is stderr that is shown. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::{self, AutohandEvent, AutohandForm};
use super::wire::{AutohandDecisionWire, AutohandReplyWire};
use super::{TITLE, tools};
use crate::adapter::Rendered;
use crate::kit::settle::unread;
use crate::kit::{KitScene, KitSettled, plain_line};

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let scene = KitScene::new(TITLE, native.name, &event.native_name, native.means);
    let settled = scene.settle(decision, |after| tools::rewritten(event, after));
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
    let mut rendered = write(native, settled);
    if native.form == AutohandForm::Decision && rendered.stdout.is_empty() {
        // An empty object abstains and leaves no doubt that there was an answer: a caller who makes
        // an error's exit code of silence would have the call refused.
        rendered.stdout.push_str("{}\n");
    }
    rendered
}

fn write(native: &AutohandEvent, mut settled: KitSettled) -> Rendered {
    let lost = std::mem::take(&mut settled.lost);
    let message = settled.message.take();
    if native.form == AutohandForm::Exit2 && settled.refuses() {
        return Rendered {
            stdout: message.map_or(String::new(), |text| plain_line(&text)),
            stderr: format!("{}\n", settled.why()),
            exit: 2,
            lost,
        };
    }
    let wire = wire(native, settled);
    if wire == AutohandReplyWire::default() {
        return Rendered {
            stdout: message.map_or(String::new(), |text| plain_line(&text)),
            lost,
            ..Rendered::default()
        };
    }
    let json = serde_json::to_string(&wire).expect("a reply is strings, flags and JSON");
    Rendered {
        stdout: json + "\n",
        stderr: message.map_or(String::new(), |text| text + "\n"),
        lost,
        ..Rendered::default()
    }
}

fn wire(native: &AutohandEvent, settled: KitSettled) -> AutohandReplyWire {
    if native.form != AutohandForm::Decision {
        return AutohandReplyWire::default();
    }
    let decision = match settled.verdict {
        Verdict::NoOpinion => None,
        Verdict::Allow => Some(AutohandDecisionWire::Allow),
        Verdict::Ask => Some(AutohandDecisionWire::Ask),
        Verdict::Deny | Verdict::Halt => Some(AutohandDecisionWire::Deny),
    };
    let halts = settled.verdict == Verdict::Halt;
    let reason = decision.and(settled.reason);
    AutohandReplyWire {
        decision,
        go_on: halts.then_some(false),
        stop_reason: reason.clone().filter(|_| halts),
        reason,
        updated_input: settled.rewrite,
        additional_context: settled.context,
    }
}
