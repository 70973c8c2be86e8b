//! Agents with Claude Code's layout: event, groups with a matcher, handlers.

use serde_json::{Value, json};

use crate::install::codex::{self, codex_handler};
use crate::install::format::{
    SettingsFormat, is_command_if_anything, is_command_line, milliseconds, seconds,
};
use crate::install::json::{FormatChoice, JsonInstaller};
use crate::install::strict::{self, JsonTolerance, not_strict};
use crate::install::{DetectionHints, PathBase, SettingsFile};

/// Codex 0.166. Left out are `PreModelRequest` and `PostModelRequest`, which are undocumented and would start
/// a process for every request to the model.
pub(super) static CODEX: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["codex"],
        home: &[".codex"],
        project: &[".codex"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("CODEX_HOME", ".codex"),
        "hooks.json",
    )],
    project: &[SettingsFile::new(PathBase::Project, ".codex/hooks.json")],
    target: FormatChoice::One(&SettingsFormat {
        agent: codex::ID,
        title: "Codex",
        events: &[
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "Interrupt",
        ],
        handler: codex_handler,
        matcher_ignored: &["UserPromptSubmit", "Stop", "Interrupt"],
        positional: true,
        rejection_reason: strict::codex,
        ..SettingsFormat::NESTED
    }),
    next_steps: Some(
        "Codex runs a project's hooks only in a trusted project. Restart running sessions.",
    ),
};

/// Gemini CLI 0.61. Left out are `BeforeModel`, `AfterModel` and `BeforeToolSelection`: they would start a
/// process for every request or every streamed chunk, each with the whole conversation.
pub(super) static GEMINI: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["gemini"],
        home: &[".gemini"],
        project: &[".gemini"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("GEMINI_CLI_HOME", ""),
        ".gemini/settings.json",
    )],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".gemini/settings.json",
    )],
    target: FormatChoice::One(&SettingsFormat {
        agent: "gemini",
        title: "Gemini CLI",
        events: &[
            "SessionStart",
            "SessionEnd",
            "BeforeAgent",
            "AfterAgent",
            "BeforeTool",
            "AfterTool",
            "Notification",
            "PreCompress",
        ],
        handler: milliseconds,
        matcher_ignored: &["BeforeAgent", "AfterAgent", "Notification"],
        switches: &[(&["hooksConfig", "enabled"], false)],
        path_problem: strict::expands_variables,
        rejection_reason: |text| {
            let consequence = "Gemini CLI refuses to start";
            not_strict(text, JsonTolerance::Comments, consequence)
        },
        ..SettingsFormat::NESTED
    }),
    next_steps: Some(
        "Gemini CLI runs no hooks in an untrusted folder, not even your own: trust the folder when it asks, \
         or use /permissions. It reads hooks when it starts, so restart running sessions.",
    ),
};

/// Qwen Code 0.24. Left out is `MessageDisplay`, which fires many times for one message.
pub(super) static QWEN: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["qwen"],
        home: &[".qwen"],
        project: &[".qwen"],
    },
    user: &[SettingsFile::new(
        PathBase::EnvOr("QWEN_HOME", ".qwen"),
        "settings.json",
    )],
    project: &[SettingsFile::new(PathBase::Project, ".qwen/settings.json")],
    target: FormatChoice::One(&SettingsFormat {
        agent: "qwen",
        title: "Qwen Code",
        events: &[
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "SessionStart",
            "SessionEnd",
            "SessionDelete",
            "Stop",
            "StopFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Notification",
            "PermissionRequest",
            "PermissionDenied",
            "TodoCreated",
            "TodoCompleted",
            "InstructionsLoaded",
        ],
        handler: milliseconds,
        matcher_ignored: &[
            "UserPromptSubmit",
            "Stop",
            "TodoCreated",
            "TodoCompleted",
            "SessionDelete",
        ],
        switches: &[(&["disableAllHooks"], true)],
        path_problem: strict::expands_variables,
        rejection_reason: |text| {
            let consequence = "Qwen Code refuses to start";
            not_strict(text, JsonTolerance::BomAndComments, consequence)
        },
        ..SettingsFormat::NESTED
    }),
    next_steps: Some(
        "If Qwen Code's folder trust is enabled, it runs a project's hooks only in a trusted folder (/trust). \
         It reads hooks when it starts, so restart running sessions.",
    ),
};

/// Factory Droid 0.225, whose `hooks.json` has the events at its top level. For an event that occurs in both
/// files Droid uses `hooks.json` alone, so that file is never created here: it would hide the user's hooks in
/// `settings.json`.
pub(super) static DROID: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["droid"],
        home: &[".factory"],
        project: &[".factory"],
    },
    user: &[SettingsFile::new(PathBase::Home, ".factory/settings.json")
        .with_alternatives(&[".factory/hooks.json"])],
    project: &[
        SettingsFile::new(PathBase::Project, ".factory/settings.json")
            .with_alternatives(&[".factory/hooks.json"]),
    ],
    target: FormatChoice::Named(
        "hooks.json",
        &SettingsFormat {
            container: &[],
            switches: &[(&["hooksDisabled"], true)],
            rejection_reason: strict::droid_hooks,
            ..DROID_SETTINGS
        },
        &DROID_SETTINGS,
    ),
    next_steps: Some(
        "Droid reads hooks when it starts: restart running sessions, and review the change under /hooks if it \
         asks. It runs no hooks in an untrusted folder. For an event in both of its files, it uses \
         `hooks.json` only.",
    ),
};

const DROID_SETTINGS: SettingsFormat = SettingsFormat {
    agent: "droid",
    title: "Droid",
    events: &[
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "Notification",
        "PreCompact",
        "SessionStart",
        "SessionEnd",
    ],
    matcher_ignored: &[
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "Notification",
        "PreCompact",
        "SessionEnd",
    ],
    switches: &[(&["hooks", "hooksDisabled"], true)],
    rejection_reason: strict::droid_settings,
    ..SettingsFormat::NESTED
};

/// Augment's Auggie 0.36. It accepts `Notification`, but does not fire it yet.
pub(super) static AUGMENT: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["auggie"],
        home: &[".augment"],
        project: &[".augment"],
    },
    user: &[SettingsFile::new(PathBase::Home, ".augment/settings.json")],
    project: &[SettingsFile::new(
        PathBase::Project,
        ".augment/settings.json",
    )],
    target: FormatChoice::One(&SettingsFormat {
        agent: "augment",
        title: "Auggie",
        events: &[
            "PreToolUse",
            "PostToolUse",
            "PromptSubmit",
            "Stop",
            "SessionStart",
            "SessionEnd",
            "Notification",
        ],
        handler: milliseconds,
        group_fields: augment_metadata,
        is_usable: is_command_line,
        all: &["", ".*"],
        matcher_ignored: &[
            "PromptSubmit",
            "Stop",
            "SessionStart",
            "SessionEnd",
            "Notification",
        ],
        path_problem: strict::splits_words,
        ..SettingsFormat::NESTED
    }),
    next_steps: None,
};

/// Without it Auggie omits the prompt and the agent's answer. The user's identity stays out.
fn augment_metadata() -> Value {
    json!({ "metadata": { "includeConversationData": true, "includeMCPMetadata": true } })
}

/// Goose 1.52, which reads plugins: Becket is one, in its own directory. An empty directory of that name in a
/// project would hide the user's plugin. Left out are the events that fire together with `PreToolUse` and
/// `PostToolUse` for the same call, except for file edits.
pub(super) static GOOSE: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["goose"],
        home: &[".config/goose"],
        project: &[".goosehints"],
    },
    user: &[
        SettingsFile::new(PathBase::Home, ".agents/plugins/becket/hooks/hooks.json")
            .own_dir(".agents/plugins/becket"),
    ],
    project: &[
        SettingsFile::new(PathBase::Project, ".agents/plugins/becket/hooks/hooks.json")
            .own_dir(".agents/plugins/becket"),
    ],
    target: FormatChoice::One(&SettingsFormat {
        agent: "goose",
        title: "Goose",
        events: &[
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "AfterFileEdit",
            "Stop",
        ],
        handler: seconds,
        is_usable: is_command_if_anything,
        all: &["", ".*"],
        matcher_ignored: &["SessionStart", "SessionEnd", "Stop"],
        rejection_reason: |text| {
            let consequence = "Goose skips the whole file";
            not_strict(text, JsonTolerance::Nothing, consequence)
        },
        ..SettingsFormat::NESTED
    }),
    next_steps: Some(
        "Goose reads plugins when a session starts, so restart running sessions. If `disabledPlugins` in its \
         settings names `becket`, the plugin stays off.",
    ),
};

/// Devin Local, by its documentation of 2026-09. A project's `hooks.v1.json` has the events at its top level;
/// the user's hooks are part of the configuration.
pub(super) static DEVIN: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["devin"],
        home: &[".config/devin"],
        project: &[".devin"],
    },
    user: &[SettingsFile::new(
        PathBase::Home,
        ".config/devin/config.json",
    )],
    project: &[SettingsFile::new(PathBase::Project, ".devin/hooks.v1.json")],
    target: FormatChoice::Named(
        "hooks.v1.json",
        &SettingsFormat {
            container: &[],
            ..DEVIN_CONFIG
        },
        &DEVIN_CONFIG,
    ),
    next_steps: Some(
        "Devin reads its configuration when it starts, so restart running sessions. It also runs the hooks \
         in Claude Code's files unless `read_config_from` disables that; Becket still handles each \
         event once.",
    ),
};

const DEVIN_CONFIG: SettingsFormat = SettingsFormat {
    agent: "devin",
    title: "Devin",
    events: &[
        "PreToolUse",
        "PostToolUse",
        "PermissionRequest",
        "UserPromptSubmit",
        "Stop",
        "PostCompaction",
        "SessionStart",
        "SessionEnd",
    ],
    all: &["", ".*"],
    matcher_ignored: &[
        "UserPromptSubmit",
        "Stop",
        "PostCompaction",
        "SessionStart",
        "SessionEnd",
    ],
    ..SettingsFormat::NESTED
};
