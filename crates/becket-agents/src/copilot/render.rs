//! A decision in the form that Copilot honours at each event.
//!
//! A reply is one line of JSON with exit code 0: any other code before a tool is a refusal whose
//! reason is lost, and plain text is no answer. What there are no means for comes back in
//! [`Rendered::lost`]. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use super::events::{self, TOOLS};
use super::parse::ARGUMENTS;
use super::wire::{
    CopilotBehaviorWire, CopilotBlockWire, CopilotPermissionWire, CopilotProgressWire,
    CopilotReplyWire, CopilotSpecificWire,
};
use super::{CopilotShape, TITLE};
use crate::adapter::Rendered;
use crate::lean::{self, At, LeanAnswer, LeanNative};
use crate::reply_text::{NO_REASON, non_blank};
use crate::vocabulary;

/// Longer context is cut by Copilot, in bytes.
const CONTEXT_LIMIT: usize = 10 * 1024;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let shape = CopilotShape::of(&event.raw);
    say(native, &event.native_name, shape, decision, &|input| {
        rewritten(event, input)
    })
}

/// Answers a payload that could not be read, in both shapes, because its shape is unknown.
/// No opinion is an empty object: an exit code with it would be a refusal before a tool.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let silence = Rendered {
        stdout: "{}\n".into(),
        ..Rendered::default()
    };
    let Some(decision) = lean::unread(verdict, reason) else {
        return silence;
    };
    let Some(kind) = kind else {
        return refuse_nameless(&decision);
    };
    let native = events::find(kind.name());
    let no_input = |_: &Value| Err("There is no input to rewrite".to_owned());
    let rendered = say(
        native,
        kind.name(),
        CopilotShape::ClaudeLike,
        &decision,
        &no_input,
    );
    if rendered.stdout.is_empty() {
        return Rendered {
            lost: rendered.lost,
            ..silence
        };
    }
    rendered
}

/// Exit code 2 refuses a tool and a permission, and nothing else; the reason is read from stdout.
fn refuse_nameless(decision: &Decision) -> Rendered {
    let reason = non_blank(decision.reason.as_ref()).unwrap_or(NO_REASON);
    let wire = CopilotReplyWire {
        permission_decision: Some(CopilotPermissionWire::Deny),
        permission_decision_reason: Some(reason.to_owned()),
        ..CopilotReplyWire::default()
    };
    Rendered {
        stdout: line(&wire),
        stderr: format!("{reason}\n"),
        exit: 2,
        lost: vec![format!(
            "The event's name is not known, so `{}` is said by exit code 2, which refuses a tool and nothing else.",
            decision.verdict
        )],
    }
}

fn rewritten(event: &Event, input: &Value) -> Result<Map<String, Value>, String> {
    let native = ARGUMENTS.iter().find_map(|key| event.raw.get(*key));
    match (event.call(), native, input) {
        (_, Some(Value::String(_)), _) => Err(format!(
            "{TITLE} takes no rewritten input for arguments that are text"
        )),
        (Some(call), Some(Value::Object(native)), Value::Object(input)) => {
            let new = vocabulary::back(TOOLS, &call.native_name, native, input);
            if is_vs_code(event) && !fits(native, &new) {
                return Err("VS Code drops a rewritten input that does not fit the tool's schema, as one with other keys or types may not".into());
            }
            Ok(new)
        }
        // An event that was not read from a payload has canonical keys only.
        (Some(_), None, Value::Object(input)) => Ok(input.clone()),
        _ => Err(format!("{TITLE} takes only an object as a rewritten input")),
    }
}

/// VS Code's local agent numbers its calls; Copilot does not.
fn is_vs_code(event: &Event) -> bool {
    CopilotShape::of(&event.raw) == CopilotShape::ClaudeLike
        && event.raw.contains_key("tool_use_id")
}

/// Whether an input fits the schema that another one fits: the same keys, with values of the same
/// types.
fn fits(native: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let same = |(key, value): (&String, &Value)| {
        new.get(key)
            .is_some_and(|new| std::mem::discriminant(new) == std::mem::discriminant(value))
    };
    native.len() == new.len() && native.iter().all(same)
}

fn say(
    native: Option<&'static LeanNative>,
    name: &str,
    shape: CopilotShape,
    decision: &Decision,
    back: lean::LeanBack<'_>,
) -> Rendered {
    let at = At {
        title: TITLE,
        event: native.map_or(name, |native| native.name),
        means: native.map_or(events::UNKNOWN, |native| native.means),
    };
    let mut answer = at.lean(decision, back);
    let why = non_blank(decision.reason.as_ref()).unwrap_or(NO_REASON);
    let ends = (decision.verdict == Verdict::Halt).then_some(why);
    let wire = CopilotReply {
        name: at.event,
        pascal: native.and_then(|native| native.also),
        shape,
        ends,
    }
    .write(&mut answer);
    Rendered {
        stdout: if wire == CopilotReplyWire::default() {
            String::new()
        } else {
            line(&wire)
        },
        lost: answer.lost,
        ..Rendered::default()
    }
}

fn line(wire: &CopilotReplyWire) -> String {
    serde_json::to_string(wire).expect("a reply is strings, flags and JSON") + "\n"
}

/// What a reply is written for.
struct CopilotReply<'a> {
    name: &'a str,
    /// The event's other name, which VS Code's local agent wants to hear.
    pascal: Option<&'static str>,
    shape: CopilotShape,
    /// Why the turn is to end, if it is.
    ends: Option<&'a str>,
}

impl CopilotReply<'_> {
    fn write(&self, answer: &mut LeanAnswer) -> CopilotReplyWire {
        let mut wire = CopilotReplyWire::default();
        match self.name {
            "preToolUse" => permission(&mut wire, answer),
            "permissionRequest" => behavior(&mut wire, answer),
            _ => {
                if answer.verdict.blocks() {
                    block(&mut wire, answer.reason.clone().unwrap_or_default());
                }
                if let Some(prompt) = answer.keep_going.take() {
                    block(&mut wire, prompt);
                }
            }
        }
        if self.pascal.is_none() && answer.verdict.blocks() {
            permission(&mut wire, answer);
        }
        context(&mut wire, answer);
        if self.shape == CopilotShape::ClaudeLike {
            self.for_vs_code(&mut wire, answer);
        }
        self.message(&mut wire, answer);
        wire
    }

    fn for_vs_code(&self, wire: &mut CopilotReplyWire, answer: &LeanAnswer) {
        let refused_prompt = match self.name {
            "userPromptSubmitted" if answer.verdict.blocks() => answer.reason.as_deref(),
            _ => None,
        };
        if let Some(reason) = self.ends.or(refused_prompt) {
            wire.go_on = Some(false);
            wire.stop_reason = Some(reason.to_owned());
        }
        let Some(hook_event_name) = self.pascal else {
            return;
        };
        let specific = CopilotSpecificWire {
            hook_event_name,
            permission_decision: wire.permission_decision,
            permission_decision_reason: wire.permission_decision_reason.clone(),
            updated_input: wire.modified_args.clone(),
            additional_context: wire.additional_context.clone(),
        };
        let empty = CopilotSpecificWire {
            hook_event_name,
            ..CopilotSpecificWire::default()
        };
        wire.hook_specific_output = (specific != empty).then_some(specific);
    }

    /// Copilot shows a message only on a line that says nothing else: a second line would not be
    /// understood by earlier clients, and the decision would be lost with it.
    fn message(&self, wire: &mut CopilotReplyWire, answer: &mut LeanAnswer) {
        let Some(text) = answer.message.take() else {
            return;
        };
        if *wire == CopilotReplyWire::default() {
            wire.kind = Some(CopilotProgressWire::Progress);
            wire.message = Some(text.clone());
        } else {
            let name = self.name;
            answer.lost.push(format!(
                "{TITLE} shows the person no message at {name} beside another answer."
            ));
        }
        if self.shape == CopilotShape::ClaudeLike {
            wire.system_message = Some(text);
        }
    }
}

fn permission(wire: &mut CopilotReplyWire, answer: &mut LeanAnswer) {
    wire.permission_decision = match answer.verdict {
        Verdict::NoOpinion => None,
        Verdict::Allow => Some(CopilotPermissionWire::Allow),
        Verdict::Ask => Some(CopilotPermissionWire::Ask),
        Verdict::Deny | Verdict::Halt => Some(CopilotPermissionWire::Deny),
    };
    wire.permission_decision_reason.clone_from(&answer.reason);
    wire.modified_args = answer.rewrite.take();
}

fn behavior(wire: &mut CopilotReplyWire, answer: &mut LeanAnswer) {
    match answer.verdict {
        Verdict::NoOpinion | Verdict::Ask => {}
        Verdict::Allow => wire.behavior = Some(CopilotBehaviorWire::Allow),
        Verdict::Deny | Verdict::Halt => {
            wire.behavior = Some(CopilotBehaviorWire::Deny);
            wire.message.clone_from(&answer.reason);
            wire.interrupt = (answer.verdict == Verdict::Halt).then_some(true);
        }
    }
}

fn block(wire: &mut CopilotReplyWire, reason: String) {
    wire.decision = Some(CopilotBlockWire::Block);
    wire.reason = Some(reason);
}

fn context(wire: &mut CopilotReplyWire, answer: &mut LeanAnswer) {
    wire.additional_context = answer.context.take();
    let length = wire.additional_context.as_ref().map_or(0, String::len);
    if length > CONTEXT_LIMIT {
        answer.lost.push(format!(
            "{TITLE} cuts context of more than {CONTEXT_LIMIT} bytes."
        ));
    }
}
