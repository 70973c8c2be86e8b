//! A decision in the form that Cursor honours at each event.
//!
//! What the table in [`super::events`] has no means for is settled by [`crate::kit::settle`] and comes back
//! in [`Rendered::lost`]. The flat form with its underscores is the one that every version reads; the
//! nested form of Claude's is not. An object is always printed, because Cursor calls silence a failure
//! and refuses the call if the hook is `failClosed`. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::Value;

use super::events::{self, CursorEvent, CursorForm};
use super::wire::{CursorPermissionWire, CursorReplyWire};
use super::{TITLE, tools};
use crate::adapter::Rendered;
use crate::kit::settle::unread;
use crate::kit::{KitScene, KitSettled, Refuse};
use crate::reply_text::join_lines;

/// Longer context is dropped whole by Cursor, and with `failClosed` the tool is refused for it.
const CONTEXT_LIMIT: usize = 10_000;

/// How often Cursor follows up on a hook's word in a row, unless `loop_limit` says otherwise.
const LOOP_LIMIT: u64 = 5;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let native = native.unwrap_or(&events::UNKNOWN);
    let scene = KitScene::new(TITLE, native.name, &event.native_name, native.means);
    let scene = KitScene {
        context_limit: Some(CONTEXT_LIMIT),
        ..scene
    };
    let mut settled = scene.settle(decision, |after| tools::rewritten(event, after));
    limit_follow_up(native, event, &mut settled);
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

/// What Cursor will not follow up is still said, in case this version does, but reported as lost.
fn limit_follow_up(native: &CursorEvent, event: &Event, settled: &mut KitSettled) {
    if native.means.refuse != Refuse::KeepsGoing || settled.keep_going.is_none() {
        return;
    }
    let rounds = event.raw.get("loop_count").and_then(Value::as_u64);
    if rounds.is_some_and(|rounds| rounds >= LOOP_LIMIT) {
        settled.lost.push(format!(
            "Cursor goes on {LOOP_LIMIT} times in a row unless `loop_limit` says otherwise."
        ));
    }
    let status = event.raw.get("status").and_then(Value::as_str);
    if native.name == "subagentStop" && status.is_some_and(|status| status != "completed") {
        settled
            .lost
            .push("Cursor goes on with a subagent only if it completed.".to_owned());
    }
}

fn write(native: &CursorEvent, settled: KitSettled) -> Rendered {
    if settled.refuses() && native.form == CursorForm::Exit2 {
        // Cursor takes stdout for the message here, if there is any.
        return Rendered {
            stderr: format!("{}\n", settled.why()),
            exit: 2,
            lost: settled.lost,
            ..Rendered::default()
        };
    }
    let lost = settled.lost.clone();
    let wire = wire(native, settled);
    let json = serde_json::to_string(&wire).expect("a reply is strings, flags and JSON");
    Rendered {
        stdout: json + "\n",
        lost,
        ..Rendered::default()
    }
}

fn wire(native: &CursorEvent, settled: KitSettled) -> CursorReplyWire {
    let mut wire = match (settled.verdict, native.form) {
        (Verdict::Deny | Verdict::Halt, CursorForm::Permission) => {
            permission(CursorPermissionWire::Deny, &settled)
        }
        (Verdict::Ask, CursorForm::Permission) => permission(CursorPermissionWire::Ask, &settled),
        (Verdict::Deny | Verdict::Halt, CursorForm::Continue) => CursorReplyWire {
            go_on: Some(false),
            user_message: settled.reason.clone(),
            ..CursorReplyWire::default()
        },
        (Verdict::Allow, CursorForm::Permission) => allow(),
        // A rewritten input comes with an allow, which lets the call proceed to Cursor's own
        // rules and does not lift them.
        (Verdict::NoOpinion, _) if settled.rewrite.is_some() => allow(),
        _ => CursorReplyWire::default(),
    };
    wire.user_message = join_lines(wire.user_message.as_deref(), settled.message);
    wire.updated_input = settled.rewrite;
    wire.additional_context = settled.context;
    wire.followup_message = settled.keep_going;
    wire
}

fn allow() -> CursorReplyWire {
    CursorReplyWire {
        permission: Some(CursorPermissionWire::Allow),
        ..CursorReplyWire::default()
    }
}

/// Which of the two messages the model is shown depends on where Cursor runs, so both say why.
fn permission(permission: CursorPermissionWire, settled: &KitSettled) -> CursorReplyWire {
    CursorReplyWire {
        permission: Some(permission),
        user_message: settled.reason.clone(),
        agent_message: settled.reason.clone(),
        ..CursorReplyWire::default()
    }
}
