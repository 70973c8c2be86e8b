//! Defaults of the built-in hooks, as far as configuration needs them: when each runs if its entry does not say so.
//! `becket-builtins` defines their behaviour and their options.

use std::time::Duration;

use crate::event::EventKind;

/// The defaults of an entry such as `use = "auto-format"` for the keys it leaves out.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinDefaults {
    /// The name after `use`.
    pub name: &'static str,
    /// The events it runs for.
    pub events: &'static [EventKind],
    /// The tools it runs for, on tool events; empty matches all.
    pub matcher: &'static str,
    /// The agent does not wait for it.
    pub is_async: bool,
    /// Its deadline.
    pub timeout: Duration,
    /// Higher runs first: formatting comes before staging, and committing comes last.
    pub priority: i32,
}

/// The tools that change files.
const CHANGES_FILES: &str = "Write|Edit|MultiEdit|NotebookEdit|ApplyPatch";
/// The tools that change or delete files.
const CHANGES_OR_REMOVES_FILES: &str = "Write|Edit|MultiEdit|NotebookEdit|ApplyPatch|Delete";

/// Ends of turns and sessions, and requests that wait for a person.
const NOTIFIED_EVENTS: &[EventKind] = &[
    EventKind::Stop,
    EventKind::StopFailure,
    EventKind::SessionError,
    EventKind::Notification,
    EventKind::PermissionRequest,
];

/// All built-in hooks.
pub const DEFAULTS: &[BuiltinDefaults] = &[
    BuiltinDefaults {
        name: "log",
        events: EventKind::ALL,
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(5),
        priority: 0,
    },
    BuiltinDefaults {
        name: "sound-alert",
        events: &[
            EventKind::Stop,
            EventKind::Notification,
            EventKind::PermissionRequest,
        ],
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(5),
        priority: 0,
    },
    BuiltinDefaults {
        name: "auto-format",
        events: &[EventKind::PostToolUse, EventKind::FileModified],
        matcher: CHANGES_FILES,
        is_async: false,
        timeout: Duration::from_secs(30),
        priority: 100,
    },
    BuiltinDefaults {
        name: "slack-notify",
        events: NOTIFIED_EVENTS,
        matcher: "",
        is_async: true,
        timeout: Duration::from_secs(30),
        priority: 0,
    },
    BuiltinDefaults {
        name: "webhook",
        events: NOTIFIED_EVENTS,
        matcher: "",
        is_async: true,
        timeout: Duration::from_secs(30),
        priority: 0,
    },
    BuiltinDefaults {
        name: "desktop-notify",
        events: NOTIFIED_EVENTS,
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(5),
        priority: 0,
    },
    BuiltinDefaults {
        name: "git-auto-stage",
        events: &[EventKind::PostToolUse, EventKind::FileModified],
        matcher: CHANGES_OR_REMOVES_FILES,
        is_async: false,
        timeout: Duration::from_secs(15),
        priority: 0,
    },
    BuiltinDefaults {
        name: "smart-commit",
        events: &[EventKind::Stop],
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(600),
        priority: -100,
    },
    BuiltinDefaults {
        name: "ask-editor",
        events: &[EventKind::PermissionRequest],
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(60),
        priority: 0,
    },
    BuiltinDefaults {
        name: "security-guard",
        events: &[EventKind::PreToolUse, EventKind::PermissionRequest],
        matcher: "",
        is_async: false,
        timeout: Duration::from_secs(10),
        priority: 0,
    },
];

/// The defaults of the built-in hook with this name.
pub fn defaults(name: &str) -> Option<&'static BuiltinDefaults> {
    DEFAULTS.iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{MatchStyle, Matcher};

    #[test]
    fn every_default_is_expressible_in_a_file() {
        for one in DEFAULTS {
            assert!(!one.events.is_empty(), "{}", one.name);
            assert!(!one.timeout.is_zero(), "{}", one.name);
            assert!(
                Matcher::parse(one.matcher, MatchStyle::Names).is_ok(),
                "{}",
                one.name
            );
            assert_eq!(defaults(one.name), Some(one), "names are unique");
        }
        assert_eq!(defaults("nonesuch"), None);
    }

    #[test]
    fn files_are_formatted_before_they_are_staged_and_committed_when_all_else_is_done() {
        let priority = |name: &str| defaults(name).expect("it is listed").priority;
        assert!(priority("auto-format") > priority("git-auto-stage"));
        for one in DEFAULTS.iter().filter(|one| one.name != "smart-commit") {
            assert!(one.priority > priority("smart-commit"), "{}", one.name);
        }
    }

    #[test]
    fn hooks_for_changed_files_do_not_match_shell_commands() {
        for name in ["auto-format", "git-auto-stage"] {
            let one = defaults(name).expect("it is listed");
            let matcher = Matcher::parse(one.matcher, MatchStyle::Names).expect("it is valid");
            assert!(
                matcher.matches("Write") && matcher.matches("ApplyPatch"),
                "{name}"
            );
            assert!(
                !matcher.matches("Bash") && !matcher.matches("Read"),
                "{name}"
            );
        }
    }
}
