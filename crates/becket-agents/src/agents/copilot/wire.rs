//! Copilot's reply format, which contains VS Code's as well.
//!
//! A reply is one line of JSON with exit code 0: any other code before a tool is a denial whose reason is lost.
//! Copilot reads the top level of the object. VS Code's local agent reads the same settings and gets the same
//! replies; Copilot ignores the fields for it (`hookSpecificOutput`, `continue`, `systemMessage`), or takes
//! them as repetitions.

use becket_model::EventKind;
use serde::Serialize;
use serde_json::{Map, Value};

use super::has_own_shape;
use crate::adapter::Rendered;
use crate::protocol::wire::claude_reply::{
    ClaudeBlockWire, ClaudePermissionWire, ClaudeSpecificWire,
};
use crate::protocol::wire::{DenySpelling, ReplyWire, WirePoint, json_line};
use crate::protocol::{AgentReply, EventRow, ReplyAct, TurnEffect};

/// The format.
pub(crate) struct CopilotWire;

impl ReplyWire for CopilotWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let alone = reply.act == ReplyAct::Silence && reply.context.is_none();
        let mut wire = CopilotReplyWire {
            additional_context: reply.context,
            ..CopilotReplyWire::default()
        };
        wire.act(point.row.spelling, reply.act);
        if point.event.is_none_or(|event| !has_own_shape(&event.raw)) {
            wire.for_vs_code(point.row, reply.halt);
            wire.system_message.clone_from(&reply.message);
        }
        // Earlier clients would not understand a second line, and the decision would be lost with it.
        if alone && reply.message.is_some() {
            wire.kind = Some(CopilotLineWire::Progress);
            wire.message = reply.message;
        }
        let (stderr, exit) = wire.exit(point);
        Rendered {
            stdout: wire.line(point),
            stderr,
            exit,
            lost: reply.lost,
        }
    }
}

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct CopilotReplyWire {
    /// `progress`, with `message`: a line that is displayed and not parsed as a reply.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<CopilotLineWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<ClaudePermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_args: Option<Map<String, Value>>,
    /// At `permissionRequest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    behavior: Option<CopilotBehaviorWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<ClaudeBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    /// For VS Code, which ignores it under another `hookEventName`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<ClaudeSpecificWire>,
}

/// The only line type that is not a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CopilotLineWire {
    Progress,
}

/// `behavior`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CopilotBehaviorWire {
    Allow,
    Deny,
}

impl CopilotReplyWire {
    fn act(&mut self, spelling: DenySpelling, act: ReplyAct) {
        match act {
            ReplyAct::Silence => {}
            ReplyAct::Allow { .. } if spelling == DenySpelling::Behavior => {
                self.behavior = Some(CopilotBehaviorWire::Allow);
            }
            ReplyAct::Allow { reason, rewrite } => {
                self.permission(ClaudePermissionWire::Allow, reason, rewrite);
            }
            ReplyAct::Ask { reason, rewrite } => {
                self.permission(ClaudePermissionWire::Ask, reason, rewrite);
            }
            ReplyAct::Rewrite(input) => self.modified_args = Some(input),
            ReplyAct::Deny { reason, turn } => self.deny(spelling, reason, turn),
            ReplyAct::Note { reason }
            | ReplyAct::EndTurn { reason }
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => self.block(reason),
        }
    }

    fn deny(&mut self, spelling: DenySpelling, reason: String, turn: TurnEffect) {
        match spelling {
            DenySpelling::Permission => {
                self.permission(ClaudePermissionWire::Deny, Some(reason), None);
            }
            DenySpelling::PermissionAndBlock => {
                self.permission(ClaudePermissionWire::Deny, Some(reason.clone()), None);
                self.block(reason);
            }
            DenySpelling::Behavior => {
                self.behavior = Some(CopilotBehaviorWire::Deny);
                self.message = Some(reason);
                self.interrupt = (turn == TurnEffect::Ends).then_some(true);
            }
            _ => self.block(reason),
        }
    }

    fn permission(
        &mut self,
        decision: ClaudePermissionWire,
        reason: Option<String>,
        rewrite: Option<Map<String, Value>>,
    ) {
        self.permission_decision = Some(decision);
        self.permission_decision_reason = reason;
        self.modified_args = rewrite;
    }

    fn block(&mut self, reason: String) {
        self.decision = Some(ClaudeBlockWire::Block);
        self.reason = Some(reason);
    }

    /// Repeats the reply for VS Code, which can end the turn at every event, and blocks a prompt only so.
    fn for_vs_code(&mut self, row: &EventRow, halt: Option<String>) {
        let prompt = row.kind == Some(&EventKind::UserPromptSubmit);
        let refused_prompt = self.reason.clone().filter(|_| prompt);
        self.stop_reason = halt.or(refused_prompt);
        self.go_on = self.stop_reason.is_some().then_some(false);
        let Some(hook_event_name) = row.aliases.first() else {
            return;
        };
        let empty = || ClaudeSpecificWire {
            hook_event_name,
            ..ClaudeSpecificWire::default()
        };
        let specific = ClaudeSpecificWire {
            permission_decision: self.permission_decision,
            permission_decision_reason: self.permission_decision_reason.clone(),
            updated_input: self.modified_args.clone(),
            additional_context: self.additional_context.clone(),
            ..empty()
        };
        self.hook_specific_output = (specific != empty()).then_some(specific);
    }

    /// An event without a name may be a tool or a permission, which exit code 2 denies.
    fn exit(&self, point: &WirePoint<'_>) -> (String, i32) {
        let nameless = point.event.is_none() && point.row.is_unknown();
        match &self.permission_decision_reason {
            Some(reason) if nameless => (format!("{reason}\n"), 2),
            _ => (String::new(), 0),
        }
    }

    /// No opinion about an unread payload is an empty object: with an empty stdout the caller would exit with an
    /// error code, which denies a tool.
    fn line(&self, point: &WirePoint<'_>) -> String {
        match json_line(self) {
            line if line.is_empty() && point.event.is_none() => "{}\n".to_owned(),
            line => line,
        }
    }
}
