//! Agents whose events contain their handlers directly.

use serde_json::{Value, json};

use crate::install::format::{
    AGENT_TIMEOUT_SECS, HeaderValue, SettingsFormat, flat_seconds, is_command_if_anything,
};
use crate::install::json::{FormatChoice, JsonInstaller};
use crate::install::strict::{self, JsonTolerance, not_strict};
use crate::install::{DetectionHints, PathBase, SettingsFile};

/// Copilot CLI 1.0.102, which reads every file of a directory; VS Code reads them as well. Left out are
/// `userPromptTransformed` and `preMcpToolCall`, which fire together with other events for the same action.
pub(super) static COPILOT: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["copilot"],
        home: &[".copilot"],
        project: &[".github/hooks", ".github/copilot"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("COPILOT_HOME", ".copilot"),
        "hooks/becket.json",
    )],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".github/hooks/becket.json",
    )],
    target: FormatChoice::One(&SettingsFormat {
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
        header: &[("version", HeaderValue::Int(1))],
        all: &[".*"],
        switches: &[(&["disableAllHooks"], true)],
        ..SettingsFormat::FLAT
    }),
    next_steps: Some(
        "Copilot loads a repository's hooks only in a trusted folder; for `copilot -p`, trust the folder \
         first or set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true. Your own hooks need no trust.",
    ),
};

fn copilot_handler(_event: &str, command: &str) -> Value {
    json!({ "type": "command", "bash": command, "timeoutSec": AGENT_TIMEOUT_SECS })
}

/// Every event of Cursor; it rejects a file that names another.
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

/// Cursor, as in @cursor/sdk 1.0.32. Of the events that fire together with `preToolUse` and `postToolUse` for
/// the same call, only those are included that can do more: `beforeShellExecution` can ask the user,
/// `beforeMCPExecution` names the server, `beforeReadFile` has the content, and `afterFileEdit` reports the
/// result of an edit. `preToolUse` leaves the decision on the first two kinds of call to them.
pub(super) static CURSOR: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["cursor", "cursor-agent"],
        home: &[".cursor"],
        project: &[".cursor"],
    },
    user: &[SettingsFile::new(PathBase::Home, ".cursor/hooks.json")],
    project: &[SettingsFile::new(PathBase::Project, ".cursor/hooks.json")],
    target: FormatChoice::One(&SettingsFormat {
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
        header: &[("version", HeaderValue::Int(1))],
        path_problem: strict::strips_comments,
        rejection_reason: |text| strict::cursor(text, CURSOR_EVENTS),
        ..SettingsFormat::FLAT
    }),
    next_steps: Some(
        "Cursor runs a project's hooks only in a trusted workspace. Its Hooks output shows whether it accepted \
         the file.",
    ),
};

fn cursor_handler(event: &str, command: &str) -> Value {
    let mut handler = flat_seconds(event, command);
    if event == "preToolUse" {
        handler["matcher"] = "^(?!Shell$|MCP:)".into();
    }
    handler
}

/// Windsurf's Cascade, by its documentation of 2026-08; it has no timeout setting. Left out is
/// `post_cascade_response_with_transcript`, which fires together with `post_cascade_response`. The second
/// file is for the plugin in JetBrains' editors.
pub(super) static WINDSURF: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["windsurf"],
        home: &[".codeium/windsurf"],
        project: &[".windsurf"],
    },
    user: &[
        SettingsFile::new(PathBase::Home, ".codeium/windsurf/hooks.json"),
        SettingsFile::new(PathBase::Home, ".codeium/hooks.json"),
    ],
    project: &[SettingsFile::new(PathBase::Project, ".windsurf/hooks.json")],
    target: FormatChoice::One(&SettingsFormat {
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
        is_usable: |_handler| true,
        conditions: &[],
        ..SettingsFormat::FLAT
    }),
    next_steps: Some("Windsurf loads no hooks in an untrusted workspace (Restricted Mode)."),
};

/// Crush at 37f36e9 (2026-08), which has one event and refuses to start if it cannot parse a file.
pub(super) static CRUSH: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["crush"],
        home: &[".config/crush"],
        project: &["crush.json", ".crush.json", ".crush"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvsOr(
            &[("CRUSH_GLOBAL_CONFIG", ""), ("XDG_CONFIG_HOME", "crush")],
            ".config/crush",
        ),
        "crush.json",
    )],
    project: &[
        SettingsFile::new(PathBase::Project, "crush.json").with_alternatives(&[".crush.json"])
    ],
    target: FormatChoice::One(&SettingsFormat {
        agent: "crush",
        title: "Crush",
        events: &["PreToolUse"],
        is_usable: is_command_if_anything,
        all: &["", ".*"],
        rejection_reason: |text| {
            let consequence = "Crush refuses to start";
            not_strict(text, JsonTolerance::Nothing, consequence)
        },
        ..SettingsFormat::FLAT
    }),
    next_steps: None,
};
