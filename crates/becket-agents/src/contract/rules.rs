//! Which effects a hook of each dialect may have, event by event.
//!
//! The agent's adapter decides whether the agent can express the effect; this module holds what the dialect
//! promises to the hook's author.

use becket_model::{Dialect, EventKind, Verdict};

use super::{claude, codex, copilot, cursor, gemini};

/// The meaning of plain text on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlainText {
    /// Context for the model.
    Context,
    /// A message for the user.
    Message,
    /// Ignored.
    Ignored,
    /// Not a valid reply: the hook failed.
    Failure,
}

pub(super) fn plain_text(dialect: Dialect, kind: &EventKind) -> PlainText {
    let context_if = |context: bool| {
        if context {
            PlainText::Context
        } else {
            PlainText::Ignored
        }
    };
    match dialect {
        Dialect::CodeAgent => PlainText::Context,
        Dialect::Claude | Dialect::Becket => context_if(claude::text_is_context(kind)),
        Dialect::Autohand | Dialect::Gemini => PlainText::Message,
        Dialect::ClaudeAgent | Dialect::Copilot => PlainText::Ignored,
        Dialect::Cursor => PlainText::Failure,
        Dialect::Codex if is_stop(kind) => PlainText::Failure,
        Dialect::Codex => context_if(codex::text_is_context(kind)),
    }
}

/// Whether an `allow` approves the call. Gemini's never does. In Cursor a hook without an objection prints
/// `allow`, since Cursor counts no output as a failure, so it does not approve either.
pub(super) fn may_allow(dialect: Dialect, kind: &EventKind) -> bool {
    match dialect {
        Dialect::Gemini | Dialect::Cursor => false,
        Dialect::Codex => *kind == EventKind::PermissionRequest,
        _ => kind.is_guarded(),
    }
}

/// Whether a denial has an effect.
pub(super) fn may_block(dialect: Dialect, kind: &EventKind) -> bool {
    match dialect {
        // In these dialects the agent decides at which events a verdict has an effect.
        Dialect::Claude | Dialect::Becket => true,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand => kind.can_block(),
        Dialect::Cursor => cursor::may_block(kind),
        Dialect::Gemini => gemini::may_block(kind),
        Dialect::Codex => codex::may_block(kind),
        Dialect::Copilot => copilot::may_block(kind),
    }
}

/// The verdict that a request to end the turn becomes.
pub(super) fn halt(dialect: Dialect, kind: &EventKind) -> Verdict {
    use EventKind as E;
    let halts = match dialect {
        Dialect::Claude | Dialect::Becket => true,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand => kind.can_block(),
        // In Cursor `continue: false` only blocks the prompt.
        Dialect::Cursor if *kind == E::UserPromptSubmit => return Verdict::Deny,
        Dialect::Cursor => cursor::may_block(kind),
        Dialect::Gemini => gemini::may_block(kind) || *kind == E::Stop,
        // After a tool the result is replaced, and the turn continues.
        Dialect::Codex | Dialect::Copilot
            if matches!(kind, E::PostToolUse | E::PostToolUseFailure) =>
        {
            return if may_block(dialect, kind) {
                Verdict::Deny
            } else {
                Verdict::NoOpinion
            };
        }
        Dialect::Codex => {
            codex::may_block(kind)
                || is_stop(kind)
                || matches!(kind, E::SessionStart | E::PreCompact | E::PostCompact)
        }
        Dialect::Copilot => copilot::may_block(kind),
    };
    if halts {
        Verdict::Halt
    } else {
        Verdict::NoOpinion
    }
}

/// Whether a denied stop keeps the agent working.
pub(super) fn may_keep_going(dialect: Dialect, kind: &EventKind) -> bool {
    match dialect {
        Dialect::ClaudeAgent | Dialect::Autohand => false,
        Dialect::Gemini => *kind == EventKind::Stop,
        _ => is_stop(kind),
    }
}

pub(super) fn is_stop(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Stop | EventKind::SubagentStop)
}
