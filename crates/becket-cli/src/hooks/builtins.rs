//! The hooks that come with Becket, as far as this command has to know them.

/// A hook that comes with Becket.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// When it runs if nobody says otherwise.
    pub(crate) events: &'static [&'static str],
    /// For what, if nobody says otherwise.
    pub(crate) matcher: Option<&'static str>,
    /// Whether nobody waits for it.
    pub(crate) is_async: bool,
}

const fn builtin(
    name: &'static str,
    about: &'static str,
    events: &'static [&'static str],
) -> Builtin {
    Builtin {
        name,
        about,
        events,
        matcher: None,
        is_async: false,
    }
}

pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin {
        matcher: Some("Bash|Read|Write|Edit|Delete|ApplyPatch"),
        ..builtin(
            "security-guard",
            "Block dangerous commands and guard secrets",
            &["PreToolUse"],
        )
    },
    builtin(
        "log",
        "Write every event to a log file, without secrets",
        &["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"],
    ),
    builtin(
        "auto-format",
        "Format changed files with the project's own formatter",
        &["FileModified"],
    ),
    builtin(
        "git-auto-stage",
        "Stage changed files in git",
        &["FileModified"],
    ),
    Builtin {
        is_async: true,
        ..builtin(
            "smart-commit",
            "Lint, test and commit when the agent is done",
            &["Stop"],
        )
    },
    Builtin {
        is_async: true,
        ..builtin(
            "sound-alert",
            "Play a sound when the agent is done",
            &["Stop"],
        )
    },
    Builtin {
        is_async: true,
        ..builtin(
            "desktop-notify",
            "Show a desktop notification when the agent is done or waits",
            &["Stop", "Notification"],
        )
    },
    Builtin {
        is_async: true,
        ..builtin(
            "slack-notify",
            "Send a Slack message when the agent is done",
            &["Stop"],
        )
    },
    Builtin {
        is_async: true,
        ..builtin("webhook", "Post events to a web address", &["Stop"])
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

pub(crate) fn names() -> String {
    let names: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    names.join(", ")
}
