//! The events of Cline and what a hook may do at each: the capability table.
//!
//! A row under a name such as `tool_call` is for the command line, a row under a hook file's name is
//! for VS Code; the payload says which.

use becket_model::{Event, EventKind as K};

use crate::protocol::capability::{
    AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H, RewriteCap as W,
};
use crate::protocol::{AgentReply, EventCaps, EventRow, ReplyAct};

/// Before a tool, where a refusal cancels the run.
const GATE: EventCaps = EventCaps::UNREAD
    .deny(D::EndsTurn(
        "Cline cannot refuse one call; the whole run ends.",
    ))
    .halt(H::EndsTurn)
    .allow(Y::Cannot)
    .context(C::GivenUnlessDenied);

const GATE_CLI: EventCaps = GATE.rewrite(W::Replaces);

const RESULT: EventCaps = EventCaps::UNREAD
    .deny(D::Notes("the model reads the reason"))
    .halt(H::EndsTurn)
    .context(C::GivenUnlessDenied);

/// A start or a prompt in VS Code, where a refusal cancels the run. The adapter of 4.1.13 takes nothing but a
/// cancellation from these.
const OPENING: EventCaps = EventCaps::UNREAD
    .deny(D::Prevents)
    .halt(H::EndsTurn)
    .context(C::GivenBut(
        "Cline 4.1.13 drops context at this event; older versions passed it on.",
    ));

const UNREAD: EventCaps = EventCaps::UNREAD;

const REST: EventCaps = UNREAD.deny(D::Stops).halt(H::Stops);

/// What a later version may add.
pub(super) static UNKNOWN: EventRow = EventRow::unknown(
    UNREAD
        .deny(D::Perhaps)
        .halt(H::EndsTurn)
        .context(C::InReason),
);

/// Every event of VS Code 4.1.13 and command line 3.0.65. VS Code declares `TaskResume`, `PreCompact` and
/// `Notification` and never fires them; the command line starts all hooks but those of tools without
/// listening. A canonical name alone means VS Code, which lets a hook prevent more.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 18] = [
    EventRow::new("TaskStart",        Some(&K::SessionStart),     OPENING),
    EventRow::new("TaskResume",       Some(&K::SessionStart),     OPENING),
    EventRow::new("UserPromptSubmit", Some(&K::UserPromptSubmit), OPENING),
    EventRow::new("PreToolUse",       Some(&K::PreToolUse),       GATE),
    EventRow::new("PostToolUse",      Some(&K::PostToolUse),      RESULT),
    EventRow::new("TaskComplete",     Some(&K::Stop),             REST),
    EventRow::new("TaskCancel",       Some(&K::SessionError),     UNREAD),
    EventRow::new("PreCompact",       Some(&K::PreCompact),       UNREAD),
    EventRow::new("Notification",     Some(&K::Notification),     UNREAD),
    EventRow::new("agent_start",      Some(&K::SessionStart),     UNREAD),
    EventRow::new("agent_resume",     Some(&K::SessionStart),     UNREAD),
    EventRow::new("prompt_submit",    Some(&K::UserPromptSubmit), UNREAD),
    EventRow::new("tool_call",        Some(&K::PreToolUse),       GATE_CLI),
    EventRow::new("tool_result",      Some(&K::PostToolUse),      RESULT),
    EventRow::new("agent_end",        Some(&K::Stop),             REST),
    EventRow::new("agent_abort",      Some(&K::SessionError),     UNREAD),
    EventRow::new("agent_error",      Some(&K::SessionError),     UNREAD).aliases(&["TaskError"]),
    EventRow::new("session_shutdown", Some(&K::SessionEnd),       UNREAD).aliases(&["SessionShutdown"]),
];

/// A cancelled start or prompt leaves no run that reads context.
pub(super) fn review(row: &EventRow, _: &Event, reply: &mut AgentReply) {
    let cancels = matches!(reply.act, ReplyAct::Deny { .. });
    if cancels && reply.context.is_some() {
        reply.lost.push(format!(
            "Cline gives the model no context with a refusal at {}.",
            row.native
        ));
    }
}
