//! Cursor's reply format: one flat object.
//!
//! At an event with a permission, Cursor treats a value of the wrong type as a denial, and no reply as a
//! failed hook, which denies if the hook is `failClosed`: an object is always written, and these types can only
//! express valid replies. The keys with underscores are the ones that every version reads; Claude's nested
//! form is not.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::wire::claude_reply::ClaudePermissionWire as PermissionWire;
use crate::protocol::wire::exit_code::ExitCodeWire;
use crate::protocol::wire::{DenySpelling, ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct};
use crate::reply_text::join_lines;

/// The format; it has no exceptions.
pub(super) struct CursorWire;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
struct CursorReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<String>,
}

impl ReplyWire for CursorWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let spelling = point.row.spelling;
        if spelling == DenySpelling::Exit2 && matches!(reply.act, ReplyAct::Deny { .. }) {
            return ExitCodeWire.write(point, reply);
        }
        let mut wire = CursorReplyWire::new(spelling, reply.act);
        wire.user_message = join_lines(wire.user_message.as_deref(), reply.message);
        wire.additional_context = reply.context;
        let line = json_line(&wire);
        Rendered {
            stdout: if line.is_empty() {
                "{}\n".to_owned()
            } else {
                line
            },
            lost: reply.lost,
            ..Rendered::default()
        }
    }
}

impl CursorReplyWire {
    fn new(spelling: DenySpelling, act: ReplyAct) -> Self {
        match act {
            ReplyAct::Allow { rewrite, .. } => Self::allow(rewrite),
            // A rewritten input needs an allow, which lets the call proceed to Cursor's own rules.
            ReplyAct::Rewrite(input) => Self::allow(Some(input)),
            ReplyAct::Ask { reason, rewrite } => Self {
                updated_input: rewrite,
                ..Self::permission(PermissionWire::Ask, reason)
            },
            ReplyAct::Deny { reason, .. } if spelling == DenySpelling::Continue => Self {
                go_on: Some(false),
                user_message: Some(reason),
                ..Self::default()
            },
            ReplyAct::Deny { reason, .. } => Self::permission(PermissionWire::Deny, Some(reason)),
            ReplyAct::KeepGoing { instruction } => Self {
                followup_message: Some(instruction),
                ..Self::default()
            },
            // No event of Cursor takes a note or ends the turn without a denial.
            ReplyAct::Silence | ReplyAct::Note { .. } | ReplyAct::EndTurn { .. } => Self::default(),
        }
    }

    fn allow(updated_input: Option<Map<String, Value>>) -> Self {
        Self {
            permission: Some(PermissionWire::Allow),
            updated_input,
            ..Self::default()
        }
    }

    /// Which of the two messages the model reads depends on where Cursor runs, so both say why.
    fn permission(permission: PermissionWire, reason: Option<String>) -> Self {
        Self {
            permission: Some(permission),
            user_message: reason.clone(),
            agent_message: reason,
            ..Self::default()
        }
    }
}
