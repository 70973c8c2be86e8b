//! Claude Code's reply format, which Codex, Qwen Code and Factory Droid took over with exceptions.
//!
//! A reply is one line of JSON, exit code 2 with stderr, or at a few events plain text. An agent of the
//! family rejects a whole reply, and lets the action proceed, for one value that does not fit.

use serde_json::{Map, Value};

use super::claude_reply::{
    ClaudeActionWire, ClaudeBehaviorWire, ClaudeBlockWire, ClaudePermissionWire, ClaudeReplyWire,
    ClaudeSpecificWire,
};
use super::{DenySpelling, ReplyWire, WirePoint, json_line, plain_line};
use crate::adapter::Rendered;
use crate::protocol::capability::HaltCap;
use crate::protocol::{AgentReply, EventRow, ReplyAct, TurnEffect};

/// The format with an agent's exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClaudeWire {
    /// Whether the agent reads the object on stdout even with exit code 2.
    pub(crate) reads_stdout_with_exit_2: bool,
    /// Whether a rewrite needs `permissionDecision: allow`, which approves nothing by itself.
    pub(crate) rewrites_with_allow: bool,
}

impl ClaudeWire {
    /// Claude Code.
    pub(crate) const CLAUDE: Self = Self {
        reads_stdout_with_exit_2: false,
        rewrites_with_allow: false,
    };
}

impl ReplyWire for ClaudeWire {
    fn write(&self, point: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let mut writer = ClaudeWriter {
            wire: *self,
            row: point.row,
            reply: ClaudeReplyWire::default(),
            stderr: String::new(),
            exit: 0,
        };
        writer.act(reply.act);
        let mut plain = writer.texts(reply.context, reply.message);
        if let Some(output) = reply.output {
            writer.specific().updated_tool_output = Some(output);
        }
        writer.reply.suppress_output = reply.quiet.then_some(true);
        if !writer.reads_stdout() {
            (writer.reply, plain) = (ClaudeReplyWire::default(), None);
        }
        let stdout = match plain {
            Some(text) if writer.reply == ClaudeReplyWire::default() => plain_line(&text),
            _ => json_line(&writer.reply),
        };
        Rendered {
            stdout,
            stderr: writer.stderr,
            exit: writer.exit,
            lost: reply.lost,
        }
    }
}

/// A reply in the making.
struct ClaudeWriter {
    wire: ClaudeWire,
    row: &'static EventRow,
    reply: ClaudeReplyWire,
    stderr: String,
    exit: i32,
}

impl ClaudeWriter {
    fn act(&mut self, act: ReplyAct) {
        match act {
            ReplyAct::Silence => {}
            ReplyAct::Allow { reason, rewrite } => self.allow(reason, rewrite),
            ReplyAct::Ask { reason, rewrite } => {
                self.permission(ClaudePermissionWire::Ask, reason, rewrite);
            }
            ReplyAct::Rewrite(input) => {
                let allow = self.wire.rewrites_with_allow;
                let specific = self.specific();
                specific.updated_input = Some(input);
                specific.permission_decision = allow.then_some(ClaudePermissionWire::Allow);
            }
            ReplyAct::Deny { reason, turn } => self.deny(reason, turn),
            ReplyAct::Note { reason }
            | ReplyAct::KeepGoing {
                instruction: reason,
            } => self.refuse(reason),
            ReplyAct::EndTurn { reason } => self.stop(reason),
        }
    }

    fn allow(&mut self, reason: Option<String>, rewrite: Option<Map<String, Value>>) {
        match self.row.spelling {
            DenySpelling::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Allow {
                    updated_input: rewrite,
                });
            }
            DenySpelling::Retry => self.specific().retry = Some(true),
            DenySpelling::Block => {
                self.reply.decision = Some(ClaudeBlockWire::Approve);
                self.reply.reason = reason;
            }
            _ => self.permission(ClaudePermissionWire::Allow, reason, rewrite),
        }
    }

    fn permission(
        &mut self,
        decision: ClaudePermissionWire,
        reason: Option<String>,
        rewrite: Option<Map<String, Value>>,
    ) {
        let specific = self.specific();
        specific.permission_decision = Some(decision);
        specific.permission_decision_reason = reason;
        specific.updated_input = rewrite;
    }

    fn deny(&mut self, reason: String, turn: TurnEffect) {
        // Where a denial ends the turn as well, it needs no other words.
        let stops = matches!(
            self.row.caps.halt,
            HaltCap::EndsTurn | HaltCap::EndsTurnBut(_)
        );
        match self.row.spelling {
            DenySpelling::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Deny {
                    message: reason,
                    interrupt: (turn == TurnEffect::Ends).then_some(true),
                });
            }
            spelling if stops && turn == TurnEffect::Ends => {
                self.stop(reason.clone());
                match spelling {
                    // With exit code 2 the agent would not read the rest.
                    DenySpelling::Exit2 => {}
                    DenySpelling::Exit2OrBlock => self.block(reason),
                    _ => self.refuse(reason),
                }
            }
            _ => self.refuse(reason),
        }
    }

    fn refuse(&mut self, reason: String) {
        match self.row.spelling {
            DenySpelling::Permission => {
                self.permission(ClaudePermissionWire::Deny, Some(reason), None);
            }
            DenySpelling::PermissionAndBlock => {
                self.permission(ClaudePermissionWire::Deny, Some(reason.clone()), None);
                self.block(reason);
            }
            DenySpelling::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Deny {
                    message: reason,
                    interrupt: None,
                });
            }
            DenySpelling::Decline => {
                self.specific().action = Some(ClaudeActionWire::Decline);
                self.reply.reason = Some(reason);
            }
            DenySpelling::Block | DenySpelling::BlockOrPlain => self.block(reason),
            DenySpelling::Continue => self.stop(reason),
            DenySpelling::Exit2
            | DenySpelling::Exit2OrBlock
            | DenySpelling::Usual
            | DenySpelling::Retry
            | DenySpelling::NoTools
            | DenySpelling::Plain => {
                self.exit = 2;
                self.stderr = not_json(reason) + "\n";
            }
        }
    }

    fn block(&mut self, reason: String) {
        self.reply.decision = Some(ClaudeBlockWire::Block);
        self.reply.reason = Some(reason);
    }

    fn stop(&mut self, reason: String) {
        self.reply.go_on = Some(false);
        self.reply.stop_reason = Some(reason);
    }

    /// Writes the texts, or returns the one that is plain stdout here.
    fn texts(&mut self, context: Option<String>, message: Option<String>) -> Option<String> {
        if matches!(
            self.row.spelling,
            DenySpelling::Plain | DenySpelling::BlockOrPlain
        ) {
            return context.or(message);
        }
        if context.is_some() {
            self.specific().additional_context = context;
        }
        self.reply.system_message = message;
        None
    }

    fn reads_stdout(&self) -> bool {
        self.exit != 2 || self.wire.reads_stdout_with_exit_2
    }

    fn specific(&mut self) -> &mut ClaudeSpecificWire {
        let hook_event_name = self.row.native;
        self.reply
            .hook_specific_output
            .get_or_insert_with(|| ClaudeSpecificWire {
                hook_event_name,
                ..ClaudeSpecificWire::default()
            })
    }
}

/// A reason for stderr. Qwen Code reads JSON from there too, where a bare number or an object without a
/// decision is no denial.
fn not_json(reason: String) -> String {
    let looks = reason.trim_start().starts_with(['{', '[', '"']);
    if looks || serde_json::from_str::<Value>(&reason).is_ok() {
        format!("Refused: {reason}")
    } else {
        reason
    }
}
