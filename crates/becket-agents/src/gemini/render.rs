//! A decision in the form that Gemini CLI honours at each event.
//!
//! A reply is always JSON with exit code 0: Gemini reads stderr where stdout is empty, takes plain
//! text with an exit code of 2 or more for a refusal, and blocks nothing by an exit code alone.
//! What there are no means for comes back in [`Rendered::lost`]. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use super::TITLE;
use super::events::{self, TOOLS};
use super::wire::{
    GeminiDecisionWire, GeminiModeWire, GeminiReplyWire, GeminiSpecificWire, GeminiToolConfigWire,
};
use crate::adapter::Rendered;
use crate::lean::{self, At, LeanAnswer, LeanMeans};
use crate::vocabulary;

/// JSON that is neither an object nor text: Gemini takes it for no answer and does not look at
/// stderr. An empty object would not do, because `BeforeToolSelection` acts on it.
const NOTHING: &str = "null\n";

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let name = native.map_or(&*event.native_name, |native| native.name);
    let means = match native {
        Some(_) if name == "SessionStart" && event.subject() == Some("clear") => {
            events::SESSION_CLEARED
        }
        Some(native) => native.means,
        None => events::UNKNOWN,
    };
    say(name, means, decision, &|input| rewritten(event, input))
}

/// Answers a payload that could not be read. With no opinion comes a message on stderr, which must
/// not be read as a reply.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let silence = Rendered {
        stdout: NOTHING.into(),
        ..Rendered::default()
    };
    let Some(decision) = lean::unread(verdict, reason) else {
        return silence;
    };
    let native = kind.and_then(|kind| events::find(kind.name()));
    let name = kind.map_or("an event without a name", EventKind::name);
    let rendered = match native {
        Some(native) => say(native.name, native.means, &decision, &no_input),
        None => say(name, events::UNKNOWN, &decision, &no_input),
    };
    if rendered.stdout.is_empty() {
        return Rendered {
            lost: rendered.lost,
            ..silence
        };
    }
    rendered
}

fn no_input(_: &Value) -> Result<Map<String, Value>, String> {
    Err("There is no input to rewrite".into())
}

fn rewritten(event: &Event, input: &Value) -> Result<Map<String, Value>, String> {
    let native = event.raw.get("tool_input").and_then(Value::as_object);
    match (event.call(), native, input) {
        (Some(call), Some(native), Value::Object(input)) => {
            Ok(vocabulary::back(TOOLS, &call.native_name, native, input))
        }
        // An event that was not read from a payload has canonical keys only.
        (Some(_), None, Value::Object(input)) => Ok(input.clone()),
        // Gemini would ignore it and run the original.
        _ => Err(format!("{TITLE} takes only an object as a rewritten input")),
    }
}

fn say(name: &str, means: LeanMeans, decision: &Decision, back: lean::LeanBack<'_>) -> Rendered {
    let at = At {
        title: TITLE,
        event: name,
        means,
    };
    let mut answer = at.lean(decision, back);
    let wire = write(name, &mut answer);
    let stdout = match &wire {
        wire if *wire == GeminiReplyWire::default() => String::new(),
        wire => serde_json::to_string(wire).expect("a reply is strings, flags and JSON") + "\n",
    };
    Rendered {
        stdout,
        lost: answer.lost,
        ..Rendered::default()
    }
}

fn write(name: &str, answer: &mut LeanAnswer) -> GeminiReplyWire {
    let mut wire = GeminiReplyWire::default();
    if name == "BeforeToolSelection" {
        if answer.verdict.blocks() {
            let lost = "Gemini CLI tells nobody why no tool may be called.";
            answer.lost.push(lost.into());
            specific(&mut wire, name).tool_config = Some(GeminiToolConfigWire {
                mode: GeminiModeWire::None,
            });
        }
        return wire;
    }
    wire.system_message = answer.message.take();
    match answer.verdict {
        Verdict::NoOpinion | Verdict::Allow => {}
        Verdict::Ask => ask(&mut wire, answer.reason.take()),
        Verdict::Deny => deny(&mut wire, answer.reason.take()),
        Verdict::Halt => {
            wire.go_on = Some(false);
            wire.stop_reason.clone_from(&answer.reason);
            // At the agent's rest a refusal would mean that it goes on.
            if name != "AfterAgent" {
                deny(&mut wire, answer.reason.take());
            }
        }
    }
    if let Some(prompt) = answer.keep_going.take() {
        deny(&mut wire, Some(prompt));
    }
    if let Some(input) = answer.rewrite.take() {
        specific(&mut wire, name).tool_input = Some(input);
    }
    if let Some(text) = answer.context.take() {
        specific(&mut wire, name).additional_context = Some(text);
    }
    wire
}

fn deny(wire: &mut GeminiReplyWire, reason: Option<String>) {
    wire.decision = Some(GeminiDecisionWire::Deny);
    wire.reason = reason;
}

/// The question that Gemini puts shows the message to the person, not the reason.
fn ask(wire: &mut GeminiReplyWire, reason: Option<String>) {
    wire.decision = Some(GeminiDecisionWire::Ask);
    wire.system_message = match (wire.system_message.take(), &reason) {
        (Some(message), Some(reason)) => Some(format!("{reason}\n{message}")),
        (message, reason) => message.or_else(|| reason.clone()),
    };
    wire.reason = reason;
}

fn specific<'w>(wire: &'w mut GeminiReplyWire, name: &str) -> &'w mut GeminiSpecificWire {
    wire.hook_specific_output
        .get_or_insert_with(|| GeminiSpecificWire {
            hook_event_name: name.to_owned(),
            ..GeminiSpecificWire::default()
        })
}
