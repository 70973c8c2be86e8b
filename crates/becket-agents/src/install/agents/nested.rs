//! Agents with Claude Code's shape: event, groups with a matcher, handlers.

use serde_json::{Value, json};

use crate::install::codex::{self, brief_ends};
use crate::install::dialect::{
    Dialect, is_command_if_anything, is_command_line, milliseconds, seconds,
};
use crate::install::json::{JsonInstaller, Target};
use crate::install::strict::{self, Tolerates, not_strict};
use crate::install::{Base, SettingsFile, Traces};

/// Codex 0.166. Left out are `PreModelRequest` and `PostModelRequest`, which are undocumented and
/// start a process for every request to the model.
pub(super) static CODEX: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["codex"],
        home: &[".codex"],
        project: &[".codex"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("CODEX_HOME", ".codex"),
        "hooks.json",
    )],
    project: &[SettingsFile::new(Base::Project, ".codex/hooks.json")],
    target: Target::One(&Dialect {
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
        handler: brief_ends,
        unmatched: &["UserPromptSubmit", "Stop", "Interrupt"],
        positional: true,
        unread: strict::codex,
        ..Dialect::NESTED
    }),
    afterwards: Some(
        "Codex runs a project's hooks only in a project that it was told to trust, too. Restart running \
         sessions.",
    ),
};

/// Gemini CLI 0.61. Left out are `BeforeModel`, `AfterModel` and `BeforeToolSelection`: they start a
/// process for every request or every streamed piece, each with the whole conversation in it.
pub(super) static GEMINI: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["gemini"],
        home: &[".gemini"],
        project: &[".gemini"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("GEMINI_CLI_HOME", ""),
        ".gemini/settings.json",
    )],
    project: &[SettingsFile::new(Base::Project, ".gemini/settings.json")],
    target: Target::One(&Dialect {
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
        unmatched: &["BeforeAgent", "AfterAgent", "Notification"],
        switches: &[(&["hooksConfig", "enabled"], false)],
        mangles: strict::expands_variables,
        unread: |text| {
            let consequence = "Gemini CLI refuses to start";
            not_strict(text, Tolerates::Comments, consequence)
        },
        ..Dialect::NESTED
    }),
    afterwards: Some(
        "Gemini CLI runs no hooks at all, not even a person's own, in a folder that it was not told to \
         trust: answer its question, or use /permissions. It reads hooks when it starts, so restart \
         running sessions.",
    ),
};

/// Qwen Code 0.24. Left out is `MessageDisplay`, which fires again and again for one message.
pub(super) static QWEN: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["qwen"],
        home: &[".qwen"],
        project: &[".qwen"],
    },
    user: &[SettingsFile::new(
        Base::EnvOr("QWEN_HOME", ".qwen"),
        "settings.json",
    )],
    project: &[SettingsFile::new(Base::Project, ".qwen/settings.json")],
    target: Target::One(&Dialect {
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
        unmatched: &[
            "UserPromptSubmit",
            "Stop",
            "TodoCreated",
            "TodoCompleted",
            "SessionDelete",
        ],
        switches: &[(&["disableAllHooks"], true)],
        mangles: strict::expands_variables,
        unread: |text| {
            let consequence = "Qwen Code refuses to start";
            not_strict(text, Tolerates::MarkAndComments, consequence)
        },
        ..Dialect::NESTED
    }),
    afterwards: Some(
        "Where Qwen Code's folder trust is switched on, it runs a project's hooks only in a trusted \
         folder (/trust). It reads hooks when it starts, so restart running sessions.",
    ),
};

/// Factory Droid 0.225, whose `hooks.json` has the events at its top. For an event that stands in
/// both files Droid takes `hooks.json` alone, so that file is never created here: it would hide what
/// a person has in `settings.json`.
pub(super) static DROID: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["droid"],
        home: &[".factory"],
        project: &[".factory"],
    },
    user: &[
        SettingsFile::new(Base::Home, ".factory/settings.json").unless(&[".factory/hooks.json"])
    ],
    project: &[
        SettingsFile::new(Base::Project, ".factory/settings.json").unless(&[".factory/hooks.json"])
    ],
    target: Target::Named(
        "hooks.json",
        &Dialect {
            container: &[],
            switches: &[(&["hooksDisabled"], true)],
            unread: strict::droid_hooks,
            ..DROID_SETTINGS
        },
        &DROID_SETTINGS,
    ),
    afterwards: Some(
        "Droid takes note of hooks when it starts: restart running sessions, and review the change \
         under /hooks if it asks. It runs no hooks in a folder that it was not told to trust. For an \
         event that stands in both of its files, it takes `hooks.json` alone.",
    ),
};

const DROID_SETTINGS: Dialect = Dialect {
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
    unmatched: &[
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "Notification",
        "PreCompact",
        "SessionEnd",
    ],
    switches: &[(&["hooks", "hooksDisabled"], true)],
    unread: strict::droid_settings,
    ..Dialect::NESTED
};

/// Augment's Auggie 0.36. `Notification` has no call site yet, but is accepted.
pub(super) static AUGMENT: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["auggie"],
        home: &[".augment"],
        project: &[".augment"],
    },
    user: &[SettingsFile::new(Base::Home, ".augment/settings.json")],
    project: &[SettingsFile::new(Base::Project, ".augment/settings.json")],
    target: Target::One(&Dialect {
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
        beside: augment_metadata,
        usable: is_command_line,
        all: &["", ".*"],
        unmatched: &[
            "PromptSubmit",
            "Stop",
            "SessionStart",
            "SessionEnd",
            "Notification",
        ],
        mangles: strict::splits_words,
        ..Dialect::NESTED
    }),
    afterwards: None,
};

/// Without it Auggie leaves out the prompt and the agent's answer. Who the person is stays out.
fn augment_metadata() -> Value {
    json!({ "metadata": { "includeConversationData": true, "includeMCPMetadata": true } })
}

/// Goose 1.52, which reads plugins: Becket is one, in a directory of its own. An empty directory of
/// that name in a project would hide the person's plugin. Left out are the events that fire beside
/// `PreToolUse` and `PostToolUse` for the same call, except for edits of files.
pub(super) static GOOSE: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["goose"],
        home: &[".config/goose"],
        project: &[".goosehints"],
    },
    user: &[
        SettingsFile::new(Base::Home, ".agents/plugins/becket/hooks/hooks.json")
            .alone_in(".agents/plugins/becket"),
    ],
    project: &[
        SettingsFile::new(Base::Project, ".agents/plugins/becket/hooks/hooks.json")
            .alone_in(".agents/plugins/becket"),
    ],
    target: Target::One(&Dialect {
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
        usable: is_command_if_anything,
        all: &["", ".*"],
        unmatched: &["SessionStart", "SessionEnd", "Stop"],
        unread: |text| {
            let consequence = "Goose skips the whole file";
            not_strict(text, Tolerates::Nothing, consequence)
        },
        ..Dialect::NESTED
    }),
    afterwards: Some(
        "Goose reads plugins when a session starts, so restart running sessions. A plugin named \
         `becket` under `disabledPlugins` in its settings stays off.",
    ),
};

/// Devin Local, by its documentation of 2026-09. A project's `hooks.v1.json` has the events at its top;
/// a person's hooks are part of the configuration.
pub(super) static DEVIN: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["devin"],
        home: &[".config/devin"],
        project: &[".devin"],
    },
    user: &[SettingsFile::new(Base::Home, ".config/devin/config.json")],
    project: &[SettingsFile::new(Base::Project, ".devin/hooks.v1.json")],
    target: Target::Named(
        "hooks.v1.json",
        &Dialect {
            container: &[],
            ..DEVIN_CONFIG
        },
        &DEVIN_CONFIG,
    ),
    afterwards: Some(
        "Devin reads its configuration when it starts, so restart running sessions. It also runs the \
         hooks of Claude Code's files unless `read_config_from` says otherwise; Becket answers each \
         event once all the same.",
    ),
};

const DEVIN_CONFIG: Dialect = Dialect {
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
    unmatched: &[
        "UserPromptSubmit",
        "Stop",
        "PostCompaction",
        "SessionStart",
        "SessionEnd",
    ],
    ..Dialect::NESTED
};
