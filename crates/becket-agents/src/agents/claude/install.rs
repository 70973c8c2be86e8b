//! Becket's entries in Claude Code's `settings.json`: install, find, uninstall.
//!
//! [`crate::install`] does the work; this module describes the format that Claude Code expects. Only entries
//! that run `becket hook … --agent claude` are ever touched. Everything else in the file keeps its bytes, and
//! an uninstall right after an install restores the original file. Start at [`plan_install`].

use crate::edit::{EditError, FileEdit};
use crate::install::format::{SettingsFormat, is_command_line, unlimited};
use crate::install::json::{FormatChoice, JsonInstaller};
use crate::install::strict::{JsonTolerance, not_strict};
use crate::install::{DetectionHints, PathBase, SettingsFile};

pub use crate::install::{InstalledEntry, StaleReason};

/// The events that Becket registers: all of Claude Code 2.1.325 but four.
///
/// - `WorktreeCreate` and `WorktreeRemove`: a hook there replaces Claude's own work, so one that only
///   observes would break worktrees.
/// - `FileChanged`: its matcher is the list of files to watch, so no matcher means "all".
/// - `MessageDisplay`: fires for every chunk of streamed text, which would start a process each time.
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

static FORMAT: SettingsFormat = SettingsFormat {
    agent: super::CLAUDE.id,
    title: "Claude Code",
    events: EVENTS,
    handler: unlimited,
    is_usable: is_command_line,
    conditions: &["if"],
    matcher_ignored: UNMATCHED,
    switches: &[(&["disableAllHooks"], true)],
    rejection_reason: |text| {
        let consequence = "Claude Code ignores the whole file when it runs headless (`claude -p`)";
        not_strict(text, JsonTolerance::Bom, consequence)
    },
    ..SettingsFormat::NESTED
};

/// Claude Code's settings, for the person and for a project.
pub(crate) static INSTALLER: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["claude"],
        home: &[".claude"],
        project: &[".claude"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("CLAUDE_CONFIG_DIR", ".claude"),
        "settings.json",
    )],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".claude/settings.json",
    )],
    target: FormatChoice::One(&FORMAT),
    next_steps: Some(
        "Claude Code runs a project's hooks only in a trusted folder, except when it runs headless \
         (`claude -p`).",
    ),
};

/// An installation request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Install<'a> {
    /// The path of the `becket` binary; it may contain spaces and quotes.
    pub command: &'a str,
    /// The events to register, usually [`EVENTS`].
    pub events: &'a [&'a str],
}

impl Install<'_> {
    /// The settings file with these entries. Existing entries are corrected in place if they run another
    /// binary, and reduced to one per event.
    pub fn plan(&self, existing: Option<&str>) -> Result<FileEdit, EditError> {
        FORMAT.plan_install(existing, self.command, self.events)
    }
}

/// The settings file with Becket in it. `None` means that the file does not exist yet.
pub fn plan_install(existing: Option<&str>, binary: &str) -> Result<FileEdit, EditError> {
    FORMAT.plan_install(existing, binary, EVENTS)
}

/// The settings file without Becket. If only what an install created is left, the plan is to delete the
/// file.
pub fn plan_uninstall(existing: &str) -> Result<FileEdit, EditError> {
    FORMAT.plan_uninstall(existing)
}

/// Our entries in a settings file, in file order. An unreadable file has none.
pub fn installed(existing: &str) -> Vec<InstalledEntry> {
    FORMAT.installed(existing)
}
