//! The 21 events of Cursor and what a hook may do at each: the capability table.
//!
//! Data only. Where Cursor's documentation and its code differ, the row follows the code.

use crate::kit::{
    KitAllow, KitAsk, KitContext, KitHalt, KitMeans, KitMessage, KitRewrite, Refuse,
    find as find_in,
};

/// One of Cursor's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CursorEvent {
    /// Cursor's name for it.
    pub(super) name: &'static str,
    /// The canonical event that it stands for when only that one is named; empty where a more
    /// general event stands for it.
    canonical: &'static str,
    pub(super) form: CursorForm,
    pub(super) means: KitMeans,
}

/// How a refusal is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorForm {
    /// `permission: deny`.
    Permission,
    /// `continue: false`.
    Continue,
    /// Exit code 2, the reason on stderr.
    Exit2,
    /// Not at all.
    None,
}

const GATE: KitMeans = KitMeans {
    allow: KitAllow::Said,
    refuse: Refuse::Prevents,
    ask: KitAsk::Cannot,
    halt: KitHalt::Cannot,
    rewrite: KitRewrite::Cannot,
    context: KitContext::WithRefusal,
    message: KitMessage::WithRefusal,
};

const PROMPT: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::PreventsUnless("local runs of its SDK send the prompt regardless"),
    halt: KitHalt::Refusal,
    context: KitContext::Given,
    ..GATE
};

const START: KitMeans = KitMeans {
    refuse: Refuse::PreventsUnless("its editor starts the session regardless"),
    ..PROMPT
};

/// An event that hooks only hear of.
const HEARD: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::Tells,
    context: KitContext::Cannot,
    message: KitMessage::Cannot,
    ..GATE
};

const ANY: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::PreventsUnless(
        "Becket does not know the event, and exit code 2 may not block it",
    ),
    message: KitMessage::Cannot,
    ..GATE
};

const fn row(
    name: &'static str,
    canonical: &'static str,
    form: CursorForm,
    means: KitMeans,
) -> CursorEvent {
    CursorEvent {
        name,
        canonical,
        form,
        means,
    }
}

/// What a later version may add. Exit code 2 refuses it if it is one of those that ask for permission.
pub(super) const UNKNOWN: CursorEvent = row("", "", CursorForm::Exit2, ANY);

/// Every event of SDK 1.0.32 and of the editor of the same time. The person is shown a message at most
/// events only together with a refusal.
#[rustfmt::skip]
pub(super) const EVENTS: [CursorEvent; 21] = {
    use {KitAsk as A, KitContext as C, CursorForm as F, KitHalt as H, KitMessage as M, Refuse as D, KitRewrite as R};
    [
        row("preToolUse",           "PreToolUse",         F::Permission, KitMeans { rewrite: R::Taken, context: C::Given, ..GATE }),
        row("beforeShellExecution", "",                   F::Permission, KitMeans { ask: A::Native, message: M::Shown, ..GATE }),
        row("beforeMCPExecution",   "",                   F::Permission, KitMeans { message: M::Shown, ..GATE }),
        row("beforeReadFile",       "",                   F::Permission, GATE),
        row("beforeTabFileRead",    "",                   F::Permission, KitMeans { context: C::Cannot, message: M::Cannot, ..GATE }),
        row("subagentStart",        "SubagentStart",      F::Permission, KitMeans { context: C::Given, ..GATE }),
        row("beforeSubmitPrompt",   "UserPromptSubmit",   F::Continue,   PROMPT),
        row("sessionStart",         "SessionStart",       F::Continue,   START),
        row("stop",                 "Stop",               F::None,       KitMeans { refuse: D::KeepsGoing, halt: H::Over, ..HEARD }),
        row("subagentStop",         "SubagentStop",       F::None,       KitMeans { refuse: D::KeepsGoing, context: C::Given, ..HEARD }),
        row("postToolUse",          "PostToolUse",        F::None,       KitMeans { context: C::Given, ..HEARD }),
        row("postToolUseFailure",   "PostToolUseFailure", F::None,       KitMeans { context: C::Given, ..HEARD }),
        row("preCompact",           "PreCompact",         F::None,       KitMeans { message: M::Shown, ..HEARD }),
        row("afterFileEdit",        "FileModified",       F::None,       HEARD),
        row("afterTabFileEdit",     "",                   F::None,       HEARD),
        row("afterShellExecution",  "",                   F::None,       HEARD),
        row("afterMCPExecution",    "",                   F::None,       HEARD),
        row("afterAgentResponse",   "AgentResponse",      F::None,       HEARD),
        row("afterAgentThought",    "AgentThought",       F::None,       HEARD),
        row("sessionEnd",           "SessionEnd",         F::None,       HEARD),
        row("workspaceOpen",        "Setup",              F::None,       HEARD),
    ]
};

/// The event of that name, in any spelling, Cursor's own or canonical.
pub(super) fn find(name: &str) -> Option<&'static CursorEvent> {
    find_in(&EVENTS, name, |event| (event.name, event.canonical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_own_name_and_by_its_canonical_one() {
        for event in &EVENTS {
            assert_eq!(find(event.name), Some(event));
            if !event.canonical.is_empty() {
                assert_eq!(find(event.canonical), Some(event));
            }
        }
        assert_eq!(find("pre-tool-use").map(|e| e.name), Some("preToolUse"));
        assert_eq!(
            find("before_shell_execution").map(|e| e.name),
            Some("beforeShellExecution")
        );
        assert_eq!(find("moonPhase"), None);
        assert_eq!(find(""), None);
    }
}
