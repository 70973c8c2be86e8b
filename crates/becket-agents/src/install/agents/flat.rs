//! Agents whose events hold their handlers directly.

use serde_json::{Value, json};

use crate::install::dialect::{Constant, Dialect, WAIT, flat_seconds, is_command_if_anything};
use crate::install::json::{JsonInstaller, Target};
use crate::install::strict::{self, Tolerates, not_strict};
use crate::install::{Base, SettingsFile, Traces};

/// Copilot CLI 1.0.102, which reads every file of a directory; VS Code reads them as well. Left out
/// are `userPromptTransformed` and `preMcpToolCall`, which fire beside others for the same thing.
pub(super) static COPILOT: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["copilot"],
        home: &[".copilot"],
        project: &[".github/hooks", ".github/copilot"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("COPILOT_HOME", ".copilot"),
        "hooks/becket.json",
    )],
    project: &[SettingsFile::new(
        Base::Project,
        ".github/hooks/becket.json",
    )],
    target: Target::One(&Dialect {
        agent: "copilot",
        title: "Copilot",
        events: &[
            "sessionStart",
            "sessionEnd",
            "userPromptSubmitted",
            "preToolUse",
            "permissionRequest",
            "postToolUse",
            "postToolUseFailure",
            "agentStop",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "errorOccurred",
            "notification",
        ],
        command: &["bash"],
        handler: copilot_handler,
        header: &[("version", Constant::Int(1))],
        all: &[".*"],
        switches: &[(&["disableAllHooks"], true)],
        ..Dialect::FLAT
    }),
    afterwards: Some(
        "Copilot loads a repository's hooks only in a folder that it was told to trust; with \
         `copilot -p` the folder must be trusted before, or GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true \
         be set. A person's own hooks need nothing.",
    ),
};

fn copilot_handler(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "bash": command, "timeoutSec": WAIT })
}

/// Every event that Cursor knows; it rejects a file that names another.
const CURSOR_EVENTS: &[&str] = &[
    "sessionStart",
    "sessionEnd",
    "beforeSubmitPrompt",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "subagentStart",
    "subagentStop",
    "preCompact",
    "stop",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
];

/// Cursor, as in @cursor/sdk 1.0.32. Of the events that fire beside `preToolUse` and `postToolUse` for
/// the same call only those are in that can do more: at `beforeShellExecution` a person can be asked,
/// `beforeMCPExecution` names the server, at `beforeReadFile` the content is known, and `afterFileEdit`
/// tells what became of a file. `preToolUse` leaves the calls of the first two to them.
pub(super) static CURSOR: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["cursor", "cursor-agent"],
        home: &[".cursor"],
        project: &[".cursor"],
    },
    user: &[SettingsFile::new(Base::Home, ".cursor/hooks.json")],
    project: &[SettingsFile::new(Base::Project, ".cursor/hooks.json")],
    target: Target::One(&Dialect {
        agent: "cursor",
        title: "Cursor",
        events: &[
            "sessionStart",
            "sessionEnd",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "beforeShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "afterFileEdit",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
            "afterAgentResponse",
            "afterAgentThought",
        ],
        handler: cursor_handler,
        header: &[("version", Constant::Int(1))],
        mangles: strict::strips_comments,
        unread: |text| strict::cursor(text, CURSOR_EVENTS),
        ..Dialect::FLAT
    }),
    afterwards: Some(
        "Cursor runs a project's hooks only in a workspace that it was told to trust. Its Hooks output \
         shows whether the file was accepted.",
    ),
};

fn cursor_handler(event: &str, command: &str) -> Value {
    let mut handler = flat_seconds(event, command);
    if event == "preToolUse" {
        handler["matcher"] = "^(?!Shell$|MCP:)".into();
    }
    handler
}

/// Windsurf's Cascade, by its documentation of 2026-08; there is no limit of time to set. Left out is
/// `post_cascade_response_with_transcript`, which fires beside `post_cascade_response`. The second
/// file is for the plugin in JetBrains' editors.
pub(super) static WINDSURF: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["windsurf"],
        home: &[".codeium/windsurf"],
        project: &[".windsurf"],
    },
    user: &[
        SettingsFile::new(Base::Home, ".codeium/windsurf/hooks.json"),
        SettingsFile::new(Base::Home, ".codeium/hooks.json"),
    ],
    project: &[SettingsFile::new(Base::Project, ".windsurf/hooks.json")],
    target: Target::One(&Dialect {
        agent: "windsurf",
        title: "Windsurf",
        events: &[
            "pre_user_prompt",
            "pre_read_code",
            "post_read_code",
            "pre_write_code",
            "post_write_code",
            "pre_run_command",
            "post_run_command",
            "pre_mcp_tool_use",
            "post_mcp_tool_use",
            "post_cascade_response",
            "post_setup_worktree",
        ],
        handler: |_event, command| json!({ "command": command }),
        usable: |_handler| true,
        conditions: &[],
        ..Dialect::FLAT
    }),
    afterwards: Some(
        "Windsurf loads no hooks in a workspace that it was not told to trust (Restricted Mode).",
    ),
};

/// Crush at 37f36e9 (2026-08), which has one event and refuses to start over a file it cannot read.
pub(super) static CRUSH: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["crush"],
        home: &[".config/crush"],
        project: &["crush.json", ".crush.json", ".crush"],
    },
    user: &[SettingsFile::new(
        Base::EnvsOr(
            &[("CRUSH_GLOBAL_CONFIG", ""), ("XDG_CONFIG_HOME", "crush")],
            ".config/crush",
        ),
        "crush.json",
    )],
    project: &[SettingsFile::new(Base::Project, "crush.json").unless(&[".crush.json"])],
    target: Target::One(&Dialect {
        agent: "crush",
        title: "Crush",
        events: &["PreToolUse"],
        usable: is_command_if_anything,
        all: &["", ".*"],
        unread: |text| {
            let consequence = "Crush refuses to start";
            not_strict(text, Tolerates::Nothing, consequence)
        },
        ..Dialect::FLAT
    }),
    afterwards: None,
};
