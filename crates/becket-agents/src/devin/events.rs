//! The 8 events of Devin Local and what a hook may do at each: the capability table.
//!
//! Data only. What is not documented is taken for impossible: a reply that says nothing that Devin might
//! not know cannot be misread.

use crate::kit::{Allow, Ask, Context, Halt, Means, Message, Refuse, Rewrite, find as find_in};

/// One of Devin's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Native {
    /// Devin's name for it, which a reply has to repeat.
    pub(super) name: &'static str,
    /// The canonical event that it stands for.
    canonical: &'static str,
    pub(super) means: Means,
}

const GATE: Means = Means {
    allow: Allow::Said,
    refuse: Refuse::Prevents,
    ask: Ask::Cannot,
    halt: Halt::Cannot,
    rewrite: Rewrite::Cannot,
    context: Context::WithRefusal,
    message: Message::Cannot,
};

const HEARD: Means = Means {
    allow: Allow::Moot,
    refuse: Refuse::Tells,
    context: Context::Cannot,
    ..GATE
};

const fn row(name: &'static str, canonical: &'static str, means: Means) -> Native {
    Native {
        name,
        canonical,
        means,
    }
}

/// What a later version may add. Exit code 2 blocks it if it can be blocked.
pub(super) const UNKNOWN: Native = row(
    "",
    "",
    Means {
        allow: Allow::Moot,
        refuse: Refuse::PreventsUnless(
            "Becket does not know the event, and exit code 2 may not block it",
        ),
        ..GATE
    },
);

/// Every event of the documentation of 2026-09.
#[rustfmt::skip]
pub(super) const EVENTS: [Native; 8] = [
    row("PreToolUse",        "PreToolUse",        GATE),
    row("PermissionRequest", "PermissionRequest", Means { ask: Ask::Dialog, ..GATE }),
    row("PostToolUse",       "PostToolUse",       Means { allow: Allow::Moot, refuse: Refuse::Notes, ..GATE }),
    row("UserPromptSubmit",  "UserPromptSubmit",  Means { allow: Allow::Moot, halt: Halt::Refusal, context: Context::Given, ..GATE }),
    row("SessionStart",      "SessionStart",      Means { context: Context::Given, ..HEARD }),
    row("Stop",              "Stop",              Means { refuse: Refuse::KeepsGoing, halt: Halt::Over, ..HEARD }),
    row("PostCompaction",    "PostCompact",       HEARD),
    row("SessionEnd",        "SessionEnd",        HEARD),
];

/// The event of that name, in any spelling, Devin's own or canonical.
pub(super) fn find(name: &str) -> Option<&'static Native> {
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
