//! The events of Autohand and what a hook may do at each: the capability table.
//!
//! Data only. Autohand heeds a reply at `pre-tool` and `permission-request` alone, and exit code 2 at
//! `pre-learn`; its document promises more, and where the two differ the row follows the program.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, AskCap as A, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
    RewriteCap as R,
};
use crate::protocol::wire::DenySpelling as S;
use crate::protocol::{EventCaps, EventRow};

/// An event that can only be observed.
const SEEN: EventCaps = EventCaps::UNREAD.message(M::Shown);

const CALL: EventCaps = SEEN
    .deny(D::Prevents)
    .ask(A::Native)
    .allow(Y::Skips)
    .halt(H::EndsTurnBut(
        "Autohand refuses the call and goes on with the turn.",
    ))
    .rewrite(R::Merges)
    .context(C::Given);

const PROMPT: EventCaps = SEEN
    .deny(D::PreventsBut(
        "Autohand sends the prompt regardless, although its document says that exit code 2 blocks.",
    ))
    .halt(H::WithDeny);

const STOP: EventCaps = SEEN.deny(D::Stops).halt(H::Stops);

const LEARN: EventCaps = SEEN.deny(D::Prevents).allow(Y::Cannot);

/// An event that stands for a canonical one.
const fn stands(native: &'static str, kind: &'static K) -> EventRow {
    EventRow::new(native, Some(kind), SEEN)
}

/// An event of Autohand's own. A matcher is tested against the values of the keys, in this order.
const fn own(native: &'static str, subject: &'static [&'static str]) -> EventRow {
    EventRow::new(native, None, SEEN).subject(subject)
}

/// What a later version may add: exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow = EventRow::unknown(SEEN.deny(D::Perhaps));

const AUTOMODE: &[&str] = &[
    "automode_prompt",
    "automode_cancel_reason",
    "automode_checkpoint_commit",
    "automode_iteration",
];
const RESEARCH: &[&str] = &[
    "autoresearch_goal",
    "autoresearch_subcommand",
    "tool_name",
    "tool_input",
    "error",
];
const REVIEW: &[&str] = &[
    "review_path",
    "review_scope",
    "review_instructions",
    "review_error",
];
const MATE: &[&str] = &["team_name", "teammate_name", "teammate_agent_name"];
const TASK: &[&str] = &["team_task_id", "team_task_owner", "team_task_result"];

/// Every event of version 0.8.2; `mode-change` is declared there and never fired.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 54] = [
    EventRow::new("pre-tool",           Some(&K::PreToolUse),        CALL).spelling(S::Permission),
    EventRow::new("permission-request", Some(&K::PermissionRequest), CALL).spelling(S::Permission),
    EventRow::new("pre-prompt",         Some(&K::UserPromptSubmit),  PROMPT),
    EventRow::new("pre-learn",          None, LEARN).subject(&["tool_name"]),
    EventRow::new("stop",               Some(&K::Stop), STOP),
    EventRow::new("post-response",      Some(&K::Stop), STOP),
    stands("post-tool",        &K::PostToolUse),
    stands("file-modified",    &K::FileModified),
    stands("session-start",    &K::SessionStart),
    stands("session-end",      &K::SessionEnd),
    stands("session-error",    &K::SessionError),
    stands("rate-limit",       &K::SessionError),
    stands("subagent-stop",    &K::SubagentStop),
    stands("notification",     &K::Notification),
    stands("context:compact",  &K::PostCompact),
    stands("context:overflow", &K::PostCompact),
    stands("context:warning",  &K::PreCompact),
    stands("context:critical", &K::PreCompact),
    stands("task-completed",   &K::TaskCompleted),
    own("task-assigned",    TASK),
    own("pre-clear",        &[]),
    own("post-learn",       &["tool_name"]),
    own("mode-change",      &[]),
    own("goal-written:completed", &["goal_objective", "goal_source"]),
    own("team-created",     &["team_name"]),
    own("team-shutdown",    &["team_name"]),
    own("teammate-spawned", MATE),
    own("teammate-idle",    MATE),
    own("automode:start",      AUTOMODE),
    own("automode:iteration",  AUTOMODE),
    own("automode:checkpoint", AUTOMODE),
    own("automode:pause",      AUTOMODE),
    own("automode:resume",     AUTOMODE),
    own("automode:cancel",     AUTOMODE),
    own("automode:complete",   AUTOMODE),
    own("automode:error",      AUTOMODE),
    own("autoresearch:start",    RESEARCH),
    own("autoresearch:pause",    RESEARCH),
    own("autoresearch:init",     RESEARCH),
    own("autoresearch:before",   RESEARCH),
    own("autoresearch:run",      RESEARCH),
    own("autoresearch:after",    RESEARCH),
    own("autoresearch:log",      RESEARCH),
    own("autoresearch:decision", RESEARCH),
    own("autoresearch:replay",   RESEARCH),
    own("autoresearch:rescore",  RESEARCH),
    own("autoresearch:prune",    RESEARCH),
    own("autoresearch:complete", RESEARCH),
    own("autoresearch:error",    RESEARCH),
    own("review:start",     REVIEW),
    own("review:end",       REVIEW),
    own("review:paused",    REVIEW),
    own("review:failed",    REVIEW),
    own("review:completed", REVIEW),
];
