//! What a hook of each dialect may bring about, event by event.
//!
//! Whether an agent can then do it is its adapter's business; here is what the hook's author was
//! promised.

use becket_model::{Dialect, EventKind, Verdict};

use super::{claude, codex, copilot, cursor, gemini};

/// What plain words on stdout are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// For the model.
    Context,
    /// For the person.
    Message,
    /// For nobody.
    Noise,
    /// Not an answer at all: the hook has failed.
    Fault,
}

pub(super) fn words(dialect: Dialect, kind: &EventKind) -> Words {
    let context_if = |context: bool| {
        if context {
            Words::Context
        } else {
            Words::Noise
        }
    };
    match dialect {
        Dialect::CodeAgent => Words::Context,
        Dialect::Claude | Dialect::Becket => context_if(claude::text_is_context(kind)),
        Dialect::Autohand | Dialect::Gemini => Words::Message,
        Dialect::ClaudeAgent | Dialect::Copilot => Words::Noise,
        Dialect::Cursor => Words::Fault,
        Dialect::Codex if is_stop(kind) => Words::Fault,
        Dialect::Codex => context_if(codex::text_is_context(kind)),
    }
}

/// Whether an `allow` vouches for the call. Gemini's never does, and Cursor's is what hooks say that
/// do not mind, since Cursor takes silence for a failure.
pub(super) fn may_vouch(dialect: Dialect, kind: &EventKind) -> bool {
    match dialect {
        Dialect::Gemini | Dialect::Cursor => false,
        Dialect::Codex => *kind == EventKind::PermissionRequest,
        _ => kind.is_guarded(),
    }
}

/// Whether a denial has an effect.
pub(super) fn may_block(dialect: Dialect, kind: &EventKind) -> bool {
    match dialect {
        // These leave it to the agent which events a verdict can still change.
        Dialect::Claude | Dialect::Becket => true,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand => kind.can_block(),
        Dialect::Cursor => cursor::may_block(kind),
        Dialect::Gemini => gemini::may_block(kind),
        Dialect::Codex => codex::may_block(kind),
        Dialect::Copilot => copilot::may_block(kind),
    }
}

/// What remains of the wish to end the turn.
pub(super) fn halt(dialect: Dialect, kind: &EventKind) -> Verdict {
    use EventKind as E;
    let halts = match dialect {
        Dialect::Claude | Dialect::Becket => true,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand => kind.can_block(),
        // `continue: false` keeps the prompt back there, and nothing else.
        Dialect::Cursor if *kind == E::UserPromptSubmit => return Verdict::Deny,
        Dialect::Cursor => cursor::may_block(kind),
        Dialect::Gemini => gemini::may_block(kind) || *kind == E::Stop,
        // After a tool the result is replaced, and the turn goes on.
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

/// Whether forbidding the agent to stop keeps it working.
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
