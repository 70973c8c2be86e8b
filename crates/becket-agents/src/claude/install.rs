//! Becket's entries in Claude Code's `settings.json`: planning them, finding them, taking them out.
//!
//! The work is done by [`crate::install`]; here is what Claude Code expects. Only entries that run
//! `becket hook … --agent claude` are ever touched. Everything else in the file keeps its bytes, and
//! an uninstall right after an install gives back the original file. Start at [`plan_install`].

use crate::edit::{Edit, EditError};
use crate::install::dialect::{Dialect, is_command_line, unlimited};
use crate::install::json::{JsonInstaller, Target};
use crate::install::strict::{Tolerates, not_strict};
use crate::install::{Base, SettingsFile, Traces};

pub use crate::install::{InstalledEntry, Stale};

/// The events that Becket listens to: all of Claude Code 2.1.325 but four.
///
/// - `WorktreeCreate` and `WorktreeRemove`: a hook there replaces Claude's own work, so one that only
///   observes would break worktrees.
/// - `FileChanged`: its matcher is the list of files to watch, so there is none that means "all".
/// - `MessageDisplay`: fires for every flush of streamed text, which would start a process each time.
pub const EVENTS: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "Setup",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Notification",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "InstructionsLoaded",
    "CwdChanged",
    "DirectoryAdded",
];

/// Events for which Claude Code does not look at the matcher.
const UNMATCHED: &[&str] = &[
    "UserPromptSubmit",
    "Stop",
    "PostToolBatch",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "WorktreeCreate",
    "WorktreeRemove",
    "CwdChanged",
    "MessageDisplay",
];

static DIALECT: Dialect = Dialect {
    agent: super::ID,
    title: "Claude Code",
    events: EVENTS,
    handler: unlimited,
    usable: is_command_line,
    conditions: &["if"],
    unmatched: UNMATCHED,
    switches: &[(&["disableAllHooks"], true)],
    unread: |text| {
        let consequence = "Claude Code ignores the whole file when it runs headless (`claude -p`)";
        not_strict(text, Tolerates::Mark, consequence)
    },
    ..Dialect::NESTED
};

/// Claude Code's settings, for the person and for a project.
pub(crate) static INSTALLER: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["claude"],
        home: &[".claude"],
        project: &[".claude"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
        "settings.json",
    )],
    project: &[SettingsFile::new(Base::Project, ".claude/settings.json")],
    target: Target::One(&DIALECT),
    afterwards: Some(
        "Claude Code runs a project's hooks only in a folder that it was told to trust, except when it \
         runs headless (`claude -p`).",
    ),
};

/// What to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Install<'a> {
    /// The path of the `becket` binary; it may contain spaces and quotes.
    pub command: &'a str,
    /// The events to listen to, usually [`EVENTS`].
    pub events: &'a [&'a str],
}

impl Install<'_> {
    /// The settings file with these entries in it. Entries that are there already are corrected in
    /// place if they run another binary, and reduced to one for each event.
    pub fn plan(&self, existing: Option<&str>) -> Result<Edit, EditError> {
        DIALECT.plan_install(existing, self.command, self.events)
    }
}

/// The settings file with Becket in it. `None` is a file that does not exist yet.
pub fn plan_install(existing: Option<&str>, binary: &str) -> Result<Edit, EditError> {
    DIALECT.plan_install(existing, binary, EVENTS)
}

/// The settings file without Becket. If nothing but what an install created is left, the plan is to
/// delete the file.
pub fn plan_uninstall(existing: &str) -> Result<Edit, EditError> {
    DIALECT.plan_uninstall(existing)
}

/// Which of our entries a settings file has, in file order. A file that cannot be read has none.
pub fn installed(existing: &str) -> Vec<InstalledEntry> {
    DIALECT.installed(existing)
}
