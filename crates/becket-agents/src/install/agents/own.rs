//! Agents that read a directory of programs or scripts: Becket's file there is Becket's alone.

use crate::edit::command::hook_command;
use crate::install::generated::{Content, GeneratedInstaller};
use crate::install::{Base, SettingsFile, Traces};

/// OpenCode 1.18, which loads plugins and has no other hooks.
pub(in crate::install) static OPENCODE: GeneratedInstaller = GeneratedInstaller {
    agent: "opencode",
    traces: Traces {
        programs: &["opencode"],
        home: &[".config/opencode"],
        project: &[".opencode", "opencode.json", "opencode.jsonc"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("XDG_CONFIG_HOME", ".config"),
        "opencode/plugins/becket.js",
    )],
    project: &[SettingsFile::new(
        Base::Project,
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
    content: Content::Plugin(crate::opencode::plugin_source),
    afterwards: Some(
        "OpenCode loads plugins when it starts, so restart running sessions. With OPENCODE_PURE=1 it \
         loads none.",
    ),
};

/// Amp 0.0.1790142911, whose plugins are TypeScript.
pub(in crate::install) static AMP: GeneratedInstaller = GeneratedInstaller {
    agent: "amp",
    traces: Traces {
        programs: &["amp"],
        home: &[".config/amp"],
        project: &[".amp"],
    },
    user: &[SettingsFile::new(
        Base::Home,
        ".config/amp/plugins/becket.ts",
    )],
    project: &[SettingsFile::new(Base::Project, ".amp/plugins/becket.ts")],
    events: &[
        "session.start",
        "agent.start",
        "tool.call",
        "tool.result",
        "agent.end",
    ],
    content: Content::Plugin(crate::amp::plugin_source),
    afterwards: Some(
        "Amp loads plugins when it starts, so restart running sessions. `amp --execute` waits for \
         plugins only with `--plugin-ready-timeout`, and may otherwise run before Becket is there.",
    ),
};

/// Cline CLI 3.0 and its extension for VS Code 4.1, which run files named after the event. These
/// directories are the ones that both read.
pub(in crate::install) static CLINE: GeneratedInstaller = GeneratedInstaller {
    agent: "cline",
    traces: Traces {
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
    content: Content::Script(|event, binary| {
        format!("exec {}\n", hook_command(binary, event, "cline"))
    }),
    afterwards: Some(
        "Cline's background process keeps the environment that it was started with: restart it, and \
         reload VS Code, so that the hooks are found.",
    ),
};

const fn cline_user(path: &'static str) -> SettingsFile {
    SettingsFile::new(Base::Home, path).executable()
}

const fn cline_project(path: &'static str) -> SettingsFile {
    SettingsFile::new(Base::Project, path).executable()
}
