//! Gemini CLI's reply format: Claude's object with words of its own.
//!
//! A reply is always JSON with exit code 0: Gemini reads stderr where stdout is empty, takes plain text with an
//! exit code of 2 or more for a denial, and blocks nothing by an exit code alone. It ignores unknown keys, so
//! another agent's key (`permissionDecision`, `updatedInput`) would silently allow the call.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::capability::HaltCap;
use crate::protocol::wire::{DenySpelling, ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, EventRow, ReplyAct, TurnEffect};
use crate::reply_text::join_lines;

/// JSON that is neither an object nor text: Gemini takes it for no reply and does not read stderr. An empty
/// object would not do, because `BeforeToolSelection` acts on it.
const NOTHING: &str = "null\n";

/// The format.
pub(crate) struct GeminiWire;

impl ReplyWire for GeminiWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut lost = reply.lost;
        let mut wire = GeminiReplyWire {
            system_message: reply.message,
            ..GeminiReplyWire::default()
        };
        if point.row.spelling == DenySpelling::NoTools {
            wire.without_tools(point.row, &reply.act, &mut lost);
        } else {
            wire.act(point.row, reply.act);
        }
        if let Some(text) = reply.context {
            wire.specific(point.row).additional_context = Some(text);
        }
        let mut stdout = json_line(&wire);
        // A message about the payload follows on stderr, which must not be read as a reply.
        if stdout.is_empty() && point.event.is_none() {
            NOTHING.clone_into(&mut stdout);
        }
        Rendered {
            stdout,
            lost,
            ..Rendered::default()
        }
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<GeminiDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<GeminiSpecificWire>,
}

/// `decision`. There is no `allow`: it would skip nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum GeminiDecisionWire {
    Ask,
    Deny,
}

/// Fields that only some events accept.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiSpecificWire {
    hook_event_name: &'static str,
    #[serde(rename = "tool_input", skip_serializing_if = "Option::is_none")]
    tool_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<GeminiToolsWire>,
}

/// The tools that a request may call, at `BeforeToolSelection`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "mode", rename_all = "UPPERCASE")]
enum GeminiToolsWire {
    None,
}

impl GeminiReplyWire {
    fn act(&mut self, row: &EventRow, act: ReplyAct) {
        match act {
            ReplyAct::Silence | ReplyAct::Allow { rewrite: None, .. } => {}
            ReplyAct::Rewrite(input)
            | ReplyAct::Allow {
                rewrite: Some(input),
                ..
            } => self.specific(row).tool_input = Some(input),
            ReplyAct::Ask { reason, rewrite } => self.ask(row, reason, rewrite),
            ReplyAct::Deny { reason, turn } => {
                if turn == TurnEffect::Ends && row.caps.halt == HaltCap::EndsTurn {
                    self.stop(reason.clone());
                }
                self.deny(reason);
            }
            ReplyAct::Note { reason }
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => self.deny(reason),
            ReplyAct::EndTurn { reason } => {
                self.stop(reason.clone());
                // A denial of a stop would make the agent keep going.
                if !row.caps.deny.keeps_going() {
                    self.deny(reason);
                }
            }
        }
    }

    fn deny(&mut self, reason: String) {
        self.decision = Some(GeminiDecisionWire::Deny);
        self.reason = Some(reason);
    }

    fn stop(&mut self, reason: String) {
        self.go_on = Some(false);
        self.stop_reason = Some(reason);
    }

    /// Gemini's prompt shows the message to the person, not the reason.
    fn ask(&mut self, row: &EventRow, reason: Option<String>, rewrite: Option<Map<String, Value>>) {
        self.decision = Some(GeminiDecisionWire::Ask);
        self.system_message = join_lines(reason.as_deref(), self.system_message.take());
        self.reason = reason;
        if rewrite.is_some() {
            self.specific(row).tool_input = rewrite;
        }
    }

    /// Any object, even an empty one, replaces the request's tools, so only a denial is written.
    fn without_tools(&mut self, row: &EventRow, act: &ReplyAct, lost: &mut Vec<String>) {
        if matches!(act, ReplyAct::Deny { .. }) {
            lost.push("Gemini CLI does not say why no tool may be called.".to_owned());
            self.specific(row).tool_config = Some(GeminiToolsWire::None);
        }
    }

    fn specific(&mut self, row: &EventRow) -> &mut GeminiSpecificWire {
        let hook_event_name = row.native;
        self.hook_specific_output
            .get_or_insert_with(|| GeminiSpecificWire {
                hook_event_name,
                ..GeminiSpecificWire::default()
            })
    }
}
