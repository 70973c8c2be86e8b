//! Agents that read a directory of plugins or scripts, in which Becket has its own file.

use crate::edit::command::hook_command;
use crate::install::generated::{GeneratedContent, GeneratedInstaller};
use crate::install::{DetectionHints, PathBase, SettingsFile};

/// OpenCode 1.18, which loads plugins and has no other hooks.
pub(in crate::install) static OPENCODE: GeneratedInstaller = GeneratedInstaller {
    agent: "opencode",
    detection_hints: DetectionHints {
        programs: &["opencode"],
        home: &[".config/opencode"],
        project: &[".opencode", "opencode.json", "opencode.jsonc"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("XDG_CONFIG_HOME", ".config"),
        "opencode/plugins/becket.js",
    )],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".opencode/plugins/becket.js",
    )],
    events: &[
        "chat.message",
        "tool.execute.before",
        "tool.execute.after",
        "experimental.session.compacting",
        "experimental.chat.system.transform",
        "event",
    ],
    content: GeneratedContent::Plugin(crate::opencode::plugin_source),
    next_steps: Some(
        "OpenCode loads plugins when it starts, so restart running sessions. With OPENCODE_PURE=1 it \
         loads none.",
    ),
};

/// Amp 0.0.1790142911, whose plugins are TypeScript.
pub(in crate::install) static AMP: GeneratedInstaller = GeneratedInstaller {
    agent: "amp",
    detection_hints: DetectionHints {
        programs: &["amp"],
        home: &[".config/amp"],
        project: &[".amp"],
    },
    user: &[SettingsFile::new(
        PathBase::Home,
        ".config/amp/plugins/becket.ts",
    )],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".amp/plugins/becket.ts",
    )],
    events: &[
        "session.start",
        "agent.start",
        "tool.call",
        "tool.result",
        "agent.end",
    ],
    content: GeneratedContent::Plugin(crate::amp::plugin_source),
    next_steps: Some(
        "Amp loads plugins when it starts, so restart running sessions. `amp --execute` waits for plugins \
         only with `--plugin-ready-timeout` and may otherwise run before Becket is loaded.",
    ),
};

/// Cline CLI 3.0 and its VS Code extension 4.1, which run files named after the event. Both read these
/// directories.
pub(in crate::install) static CLINE: GeneratedInstaller = GeneratedInstaller {
    agent: "cline",
    detection_hints: DetectionHints {
        programs: &["cline"],
        home: &[".cline", "Documents/Cline"],
        project: &[".clinerules", ".cline"],
    },
    user: &[
        cline_user("Documents/Cline/Hooks/TaskStart"),
        cline_user("Documents/Cline/Hooks/TaskResume"),
        cline_user("Documents/Cline/Hooks/TaskCancel"),
        cline_user("Documents/Cline/Hooks/TaskComplete"),
        cline_user("Documents/Cline/Hooks/TaskError"),
        cline_user("Documents/Cline/Hooks/PreToolUse"),
        cline_user("Documents/Cline/Hooks/PostToolUse"),
        cline_user("Documents/Cline/Hooks/UserPromptSubmit"),
        cline_user("Documents/Cline/Hooks/PreCompact"),
        cline_user("Documents/Cline/Hooks/SessionShutdown"),
    ],
    project: &[
        cline_project(".clinerules/hooks/TaskStart"),
        cline_project(".clinerules/hooks/TaskResume"),
        cline_project(".clinerules/hooks/TaskCancel"),
        cline_project(".clinerules/hooks/TaskComplete"),
        cline_project(".clinerules/hooks/TaskError"),
        cline_project(".clinerules/hooks/PreToolUse"),
        cline_project(".clinerules/hooks/PostToolUse"),
        cline_project(".clinerules/hooks/UserPromptSubmit"),
        cline_project(".clinerules/hooks/PreCompact"),
        cline_project(".clinerules/hooks/SessionShutdown"),
    ],
    events: &[
        "TaskStart",
        "TaskResume",
        "TaskCancel",
        "TaskComplete",
        "TaskError",
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "PreCompact",
        "SessionShutdown",
    ],
    content: GeneratedContent::Script(|event, binary| {
        format!("exec {}\n", hook_command(binary, event, "cline"))
    }),
    next_steps: Some(
        "Cline's background process keeps the environment it started with: restart it, and reload VS Code, \
         so that the hooks are found.",
    ),
};

const fn cline_user(path: &'static str) -> SettingsFile {
    SettingsFile::new(PathBase::Home, path).executable()
}

const fn cline_project(path: &'static str) -> SettingsFile {
    SettingsFile::new(PathBase::Project, path).executable()
}
