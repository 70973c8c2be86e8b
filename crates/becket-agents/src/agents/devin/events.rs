//! The 8 events of Devin Local and what a hook may do at each: the capability table.
//!
//! Data only. What is not documented is taken for impossible: a reply that says nothing that Devin might
//! not know cannot be misread.

use crate::kit::{
    KitAllow, KitAsk, KitContext, KitHalt, KitMeans, KitMessage, KitRewrite, Refuse,
    find as find_in,
};

/// One of Devin's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DevinEvent {
    /// Devin's name for it, which a reply has to repeat.
    pub(super) name: &'static str,
    /// The canonical event that it stands for.
    canonical: &'static str,
    pub(super) means: KitMeans,
}

const GATE: KitMeans = KitMeans {
    allow: KitAllow::Said,
    refuse: Refuse::Prevents,
    ask: KitAsk::Cannot,
    halt: KitHalt::Cannot,
    rewrite: KitRewrite::Cannot,
    context: KitContext::WithRefusal,
    message: KitMessage::Cannot,
};

const HEARD: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::Tells,
    context: KitContext::Cannot,
    ..GATE
};

const fn row(name: &'static str, canonical: &'static str, means: KitMeans) -> DevinEvent {
    DevinEvent {
        name,
        canonical,
        means,
    }
}

/// What a later version may add. Exit code 2 blocks it if it can be blocked.
pub(super) const UNKNOWN: DevinEvent = row(
    "",
    "",
    KitMeans {
        allow: KitAllow::Moot,
        refuse: Refuse::PreventsUnless(
            "Becket does not know the event, and exit code 2 may not block it",
        ),
        ..GATE
    },
);

/// Every event of the documentation of 2026-09.
#[rustfmt::skip]
pub(super) const EVENTS: [DevinEvent; 8] = [
    row("PreToolUse",        "PreToolUse",        GATE),
    row("PermissionRequest", "PermissionRequest", KitMeans { ask: KitAsk::Dialog, ..GATE }),
    row("PostToolUse",       "PostToolUse",       KitMeans { allow: KitAllow::Moot, refuse: Refuse::Notes, ..GATE }),
    row("UserPromptSubmit",  "UserPromptSubmit",  KitMeans { allow: KitAllow::Moot, halt: KitHalt::Refusal, context: KitContext::Given, ..GATE }),
    row("SessionStart",      "SessionStart",      KitMeans { context: KitContext::Given, ..HEARD }),
    row("Stop",              "Stop",              KitMeans { refuse: Refuse::KeepsGoing, halt: KitHalt::Over, ..HEARD }),
    row("PostCompaction",    "PostCompact",       HEARD),
    row("SessionEnd",        "SessionEnd",        HEARD),
];

/// The event of that name, in any spelling, Devin's own or canonical.
pub(super) fn find(name: &str) -> Option<&'static DevinEvent> {
    find_in(&EVENTS, name, |event| (event.name, event.canonical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_own_name_and_by_its_canonical_one() {
        for event in &EVENTS {
            assert_eq!(find(event.name), Some(event));
            assert_eq!(find(event.canonical), Some(event));
        }
        assert_eq!(find("pre-tool").map(|e| e.name), Some("PreToolUse"));
        assert_eq!(find("Notification"), None);
        assert_eq!(find(""), None);
    }
}
