//! Auggie's reply format.
//!
//! Auggie ignores a whole reply, and proceeds, if `hookEventName` is missing from `hookSpecificOutput` or is
//! not one of six names. These types can only express valid replies.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::protocol::wire::{ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, ReplyAct};

/// Auggie's format.
pub(super) struct AugmentWire;

impl ReplyWire for AugmentWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        if point.row.is_unknown() {
            return refused_by_exit_code(reply);
        }
        let specific = AugmentSpecificWire::of(reply.act, reply.context);
        let says = specific != AugmentSpecificWire::default();
        let mut wire = AugmentReplyWire {
            suppress_output: None,
            system_message: reply.message,
            hook_specific_output: says.then_some(AugmentSpecificWire {
                hook_event_name: point.row.native,
                ..specific
            }),
        };
        // It only has an effect with an answer that would be logged.
        if reply.quiet && wire != AugmentReplyWire::default() {
            wire.suppress_output = Some(true);
        }
        Rendered {
            stdout: json_line(&wire),
            lost: reply.lost,
            ..Rendered::default()
        }
    }
}

/// The client would ignore a whole reply with a name that it does not know; exit code 2 blocks what can be
/// blocked, and elsewhere the person sees it.
fn refused_by_exit_code(reply: AgentReply) -> Rendered {
    let (exit, stderr) = match reply.act {
        ReplyAct::Deny { reason, .. } => (2, reason + "\n"),
        _ => (0, String::new()),
    };
    Rendered {
        stderr,
        exit,
        lost: reply.lost,
        ..Rendered::default()
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AugmentReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<AugmentSpecificWire>,
}

/// Fields that only some events accept.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AugmentSpecificWire {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<AugmentPermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<String>,
    /// Replaces the tool's whole input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<AugmentBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
}

impl AugmentSpecificWire {
    fn of(act: ReplyAct, context: Option<String>) -> Self {
        let mut specific = Self {
            additional_context: context,
            ..Self::default()
        };
        match act {
            ReplyAct::Allow { reason, rewrite } => {
                specific.permission_decision = Some(AugmentPermissionWire::Allow);
                specific.permission_decision_reason = reason;
                specific.updated_input = rewrite;
            }
            ReplyAct::Rewrite(input) => specific.updated_input = Some(input),
            ReplyAct::Deny { reason, .. } => {
                specific.permission_decision = Some(AugmentPermissionWire::Deny);
                specific.permission_decision_reason = Some(reason);
            }
            ReplyAct::Note { reason }
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => {
                specific.decision = Some(AugmentBlockWire::Block);
                specific.reason = Some(reason);
            }
            // Auggie has no words for these, and its table has no event with them.
            ReplyAct::Silence | ReplyAct::Ask { .. } | ReplyAct::EndTurn { .. } => {}
        }
        specific
    }
}

/// `permissionDecision`. The client accepts `ask` as well but runs the tool, so it is not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AugmentPermissionWire {
    Allow,
    Deny,
}

/// The only value of `decision`, at `PostToolUse` and `Stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AugmentBlockWire {
    Block,
}
