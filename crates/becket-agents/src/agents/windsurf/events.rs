//! The 12 events of Cascade and what a hook may do at each: the capability table.
//!
//! Data only. A gate is refused by exit code 2; a person sees stdout if the hook's entry has
//! `show_output`, except at the prompt and at the responses.

use crate::kit::{
    KitAllow, KitAsk, KitContext, KitHalt, KitMeans, KitMessage, KitRewrite, Refuse,
    find as find_in,
};

/// One of Cascade's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WindsurfEvent {
    /// Cascade's name for it.
    pub(super) name: &'static str,
    /// The canonical event that it stands for when only that one is named.
    canonical: &'static str,
    pub(super) means: KitMeans,
}

const GATE: KitMeans = KitMeans {
    allow: KitAllow::Cannot,
    refuse: Refuse::Prevents,
    ask: KitAsk::Cannot,
    halt: KitHalt::Cannot,
    rewrite: KitRewrite::Cannot,
    context: KitContext::WithRefusal,
    message: KitMessage::Shown,
};

const PROMPT: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    halt: KitHalt::Refusal,
    message: KitMessage::Cannot,
    ..GATE
};

const HEARD: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::Tells,
    context: KitContext::Cannot,
    ..GATE
};

const RESPONSE: KitMeans = KitMeans {
    halt: KitHalt::Over,
    message: KitMessage::Cannot,
    ..HEARD
};

const ANY: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::PreventsUnless(
        "Becket does not know the event, and exit code 2 may not block it",
    ),
    ..GATE
};

const fn row(name: &'static str, canonical: &'static str, means: KitMeans) -> WindsurfEvent {
    WindsurfEvent {
        name,
        canonical,
        means,
    }
}

/// What a later version may add.
pub(super) const UNKNOWN: WindsurfEvent = row("", "", ANY);

/// Every event. A caller that names only `PreToolUse` or `PostToolUse` means any of four; the first stands for
/// them, because they are answered alike.
#[rustfmt::skip]
pub(super) const EVENTS: [WindsurfEvent; 12] = [
    row("pre_user_prompt",                       "UserPromptSubmit", PROMPT),
    row("pre_run_command",                       "PreToolUse",       GATE),
    row("pre_read_code",                         "",                 GATE),
    row("pre_write_code",                        "",                 GATE),
    row("pre_mcp_tool_use",                      "",                 GATE),
    row("post_run_command",                      "PostToolUse",      HEARD),
    row("post_read_code",                        "",                 HEARD),
    row("post_write_code",                       "",                 HEARD),
    row("post_mcp_tool_use",                     "",                 HEARD),
    row("post_cascade_response",                 "Stop",             RESPONSE),
    row("post_cascade_response_with_transcript", "",                 RESPONSE),
    row("post_setup_worktree",                   "Setup",            HEARD),
];

/// The event of that name, in any spelling, Cascade's own or canonical.
pub(super) fn find(name: &str) -> Option<&'static WindsurfEvent> {
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
        assert_eq!(
            find("preRunCommand").map(|e| e.name),
            Some("pre_run_command")
        );
        assert_eq!(find("post_moon_phase"), None);
        assert_eq!(find(""), None);
    }
}
