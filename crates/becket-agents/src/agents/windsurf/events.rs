//! The 12 events of Cascade and what a hook may do at each: the capability table.
//!
//! Data only. Exit code 2 denies a `pre_` event; a person sees stdout if the hook's entry has `show_output`,
//! except at the prompt and at the responses.

use becket_model::EventKind as K;

use crate::protocol::capability::{
    AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H, MessageCap as M,
};
use crate::protocol::{EventCaps, EventRow};

/// An event that can only be observed.
const SEEN: EventCaps = EventCaps::UNREAD.message(M::Shown);
const CALL: EventCaps = SEEN.deny(D::Prevents).allow(Y::Cannot).context(C::InReason);
const PROMPT: EventCaps = EventCaps::UNREAD
    .deny(D::Prevents)
    .halt(H::WithDeny)
    .context(C::InReason);
const RESPONSE: EventCaps = EventCaps::UNREAD.deny(D::Stops).halt(H::Stops);

/// What a later version may add: exit code 2 blocks it if it can be blocked.
pub(super) static UNKNOWN: EventRow = EventRow::unknown(SEEN.deny(D::Perhaps).context(C::InReason));

/// Every event. A caller that names only `PreToolUse` or `PostToolUse` means any of four; the first row
/// answers for them, because the replies are the same.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 12] = [
    EventRow::new("pre_user_prompt",       Some(&K::UserPromptSubmit), PROMPT),
    EventRow::new("pre_run_command",       Some(&K::PreToolUse),       CALL),
    EventRow::new("pre_read_code",         Some(&K::PreToolUse),       CALL),
    EventRow::new("pre_write_code",        Some(&K::PreToolUse),       CALL),
    EventRow::new("pre_mcp_tool_use",      Some(&K::PreToolUse),       CALL),
    EventRow::new("post_run_command",      Some(&K::PostToolUse),      SEEN),
    EventRow::new("post_read_code",        Some(&K::PostToolUse),      SEEN),
    EventRow::new("post_write_code",       Some(&K::PostToolUse),      SEEN),
    EventRow::new("post_mcp_tool_use",     Some(&K::PostToolUse),      SEEN),
    EventRow::new("post_cascade_response", Some(&K::Stop),             RESPONSE),
    EventRow::new("post_cascade_response_with_transcript", None,       RESPONSE),
    EventRow::new("post_setup_worktree",   Some(&K::Setup),            SEEN),
];
