//! The hooks that come with Becket, as far as configuration must know them: when each runs if its
//! entry does not say. What they do, and which options they take, is the business of the crate that
//! has them.

use std::time::Duration;

use crate::event::EventKind;

/// What an entry such as `use = "auto-format"` means where it leaves keys out.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinDefaults {
    /// The name after `use`.
    pub name: &'static str,
    /// When it runs.
    pub events: &'static [EventKind],
    /// For which tools, on the tool events among them; empty means all.
    pub matcher: &'static str,
    /// Started and never waited for.
    pub is_async: bool,
    /// Its deadline.
    pub timeout: Duration,
    /// Higher runs first: what is staged has been formatted, what is committed comes last.
    pub priority: i32,
}

/// The tools that change files.
const CHANGES_FILES: &str = "Write|Edit|MultiEdit|NotebookEdit|ApplyPatch";
/// The same and the one that removes them.
const CHANGES_OR_REMOVES_FILES: &str = "Write|Edit|MultiEdit|NotebookEdit|ApplyPatch|Delete";

/// Turns and sessions that end, and people who are waited for.
const WORTH_TELLING: &[EventKind] = &[
    EventKind::Stop,
    EventKind::StopFailure,
    EventKind::SessionError,
    EventKind::Notification,
    EventKind::PermissionRequest,
];

/// Every hook that comes with Becket.
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
        events: WORTH_TELLING,
        matcher: "",
        is_async: true,
        timeout: Duration::from_secs(30),
        priority: 0,
    },
    BuiltinDefaults {
        name: "webhook",
        events: WORTH_TELLING,
        matcher: "",
        is_async: true,
        timeout: Duration::from_secs(30),
        priority: 0,
    },
    BuiltinDefaults {
        name: "desktop-notify",
        events: WORTH_TELLING,
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

/// The defaults of the hook of this name, if there is such a hook.
pub fn defaults(name: &str) -> Option<&'static BuiltinDefaults> {
    DEFAULTS.iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{MatchStyle, Matcher};

    #[test]
    fn every_default_is_one_that_a_file_could_say() {
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
    fn hooks_about_changed_files_do_not_hear_of_shell_commands() {
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
