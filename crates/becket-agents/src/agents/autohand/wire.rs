//! Autohand's reply format: one flat object about a call, an exit code at other events.
//!
//! Before a tool Autohand denies the call for any exit code but 0, and for an object with one value of the wrong
//! type, `null` included, although its documentation shows it: absent values are omitted. Other text on stdout
//! is shown to the person; next to an object it is stderr that is shown.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::wire::claude_reply::ClaudePermissionWire as PermissionWire;
use crate::protocol::wire::exit_code::ExitCodeWire;
use crate::protocol::wire::{DenySpelling, ReplyWire, WirePoint, json_line, plain_line};
use crate::protocol::{AgentReply, ReplyAct, TurnEffect};

/// The format; it has no exceptions.
pub(super) struct AutohandWire;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct AutohandReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

impl ReplyWire for AutohandWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        if point.row.spelling != DenySpelling::Permission {
            return ExitCodeWire.write(point, reply);
        }
        let mut wire = AutohandReplyWire::new(reply.act);
        wire.additional_context = reply.context;
        let mut stdout = json_line(&wire);
        if stdout.is_empty() && point.event.is_none() {
            // An empty object abstains and leaves no doubt that there was an answer: a caller who makes an error's
            // exit code of silence would have the call denied.
            "{}\n".clone_into(&mut stdout);
        }
        let (stdout, stderr) = match reply.message {
            Some(text) if stdout.is_empty() => (plain_line(&text), String::new()),
            Some(text) => (stdout, text + "\n"),
            None => (stdout, String::new()),
        };
        Rendered {
            stdout,
            stderr,
            exit: 0,
            lost: reply.lost,
        }
    }
}

impl AutohandReplyWire {
    fn new(act: ReplyAct) -> Self {
        let (decision, reason, updated_input, ends) = match act {
            ReplyAct::Allow { reason, rewrite } => (PermissionWire::Allow, reason, rewrite, false),
            ReplyAct::Ask { reason, rewrite } => (PermissionWire::Ask, reason, rewrite, false),
            ReplyAct::Deny { reason, turn } => {
                let ends = turn == TurnEffect::Ends;
                (PermissionWire::Deny, Some(reason), None, ends)
            }
            ReplyAct::Rewrite(input) => {
                return Self {
                    updated_input: Some(input),
                    ..Self::default()
                };
            }
            // A call is not over yet, so Autohand takes no note, and nothing to keep going.
            _ => return Self::default(),
        };
        Self {
            decision: Some(decision),
            go_on: ends.then_some(false),
            stop_reason: reason.clone().filter(|_| ends),
            reason,
            updated_input,
            additional_context: None,
        }
    }
}
