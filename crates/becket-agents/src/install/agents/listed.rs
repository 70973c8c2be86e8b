//! Agents that list their hooks one after the other, each with its event.

use serde_json::{Value, json};

use crate::edit::{Edit, EditError};
use crate::install::dialect::{Constant, Dialect, Form, WAIT, is_enabled};
use crate::install::json::{JsonInstaller, Target};
use crate::install::strict::{Tolerates, not_strict};
use crate::install::{
    Base, InstalledEntry, Installer, Scope, SettingsFile, Traces, list_toml, list_yaml,
};

/// Kiro's standalone files of format `v1`, which its CLI 3 and its editor 1.x read; each file of the
/// directory counts. Left out are `Manual` and the triggers for files, which tell what the person
/// does in the editor. CLI 2.x has hooks only inside of agents, so for it there is an agent that is
/// like Kiro's own and has Becket's hooks; what is in other agents is the person's.
pub(super) static KIRO: JsonInstaller = JsonInstaller {
    traces: Traces {
        programs: &["kiro-cli", "kiro"],
        home: &[".kiro"],
        project: &[".kiro"],
    },
    user: &[
        SettingsFile::new(Base::Home, ".kiro/hooks/becket.json"),
        SettingsFile::new(Base::Home, KIRO_AGENT),
    ],
    project: &[
        SettingsFile::new(Base::Project, ".kiro/hooks/becket.json"),
        SettingsFile::new(Base::Project, KIRO_AGENT),
    ],
    target: Target::Named(KIRO_AGENT, &KIRO_CLI_2, &KIRO_FILES),
    afterwards: Some(
        "Kiro loads a workspace's hooks only if it was told to trust the workspace. Its CLI 2.x has \
         hooks only inside of agents: start it with `kiro-cli chat --agent becket`, or copy `hooks` \
         from .kiro/agents/becket.json into your own agent. With CLI 3 or the editor do neither, or \
         every event comes twice.",
    ),
};

const KIRO_AGENT: &str = ".kiro/agents/becket.json";

static KIRO_CLI_2: Dialect = Dialect {
    agent: "kiro",
    title: "Kiro",
    events: &[
        "agentSpawn",
        "userPromptSubmit",
        "preToolUse",
        "postToolUse",
        "stop",
    ],
    handler: |_event, command| json!({ "command": command, "timeout_ms": WAIT * 1000 }),
    header: &[
        ("name", Constant::Text("becket")),
        ("tools", Constant::List(&["*"])),
    ],
    usable: |_hook| true,
    ..Dialect::FLAT
};

static KIRO_FILES: Dialect = Dialect {
    agent: "kiro",
    title: "Kiro",
    events: &[
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreTaskExec",
        "PostTaskExec",
        "Stop",
    ],
    form: Form::List("trigger"),
    command: &["action", "command"],
    handler: kiro_hook,
    header: &[("version", Constant::Text("v1"))],
    usable: |hook| {
        let action = hook.get("action").and_then(|action| action.get("type"));
        is_enabled(hook) && action.and_then(|kind| kind.as_str()) == Some("command")
    },
    conditions: &["matcher", "confirm"],
    all: &["", "*", ".*"],
    ..Dialect::NESTED
};

fn kiro_hook(event: &str, command: &str) -> Value {
    json!({
        "name": format!("becket-{event}"),
        "trigger": event,
        "action": { "type": "command", "command": command },
        "timeout": WAIT,
    })
}

/// Autohand Code, whose single configuration may be JSON, TOML or YAML; a second one beside it would
/// keep it from starting, so the one that exists is edited.
pub(super) static AUTOHAND: AutohandInstaller = AutohandInstaller;

pub(super) struct AutohandInstaller;

/// At d24c4e64 (2026-08): every event but `post-response`, which is `stop` again, and `mode-change`,
/// which nothing fires.
static DIALECT: Dialect = Dialect {
    agent: "autohand",
    title: "Autohand",
    events: &[
        "pre-tool",
        "post-tool",
        "permission-request",
        "file-modified",
        "pre-prompt",
        "stop",
        "session-start",
        "session-end",
        "session-error",
        "rate-limit",
        "subagent-stop",
        "notification",
        "pre-clear",
        "pre-learn",
        "post-learn",
        "context:compact",
        "context:overflow",
        "context:warning",
        "context:critical",
        "automode:start",
        "automode:iteration",
        "automode:checkpoint",
        "automode:pause",
        "automode:resume",
        "automode:cancel",
        "automode:complete",
        "automode:error",
        "autoresearch:start",
        "autoresearch:pause",
        "autoresearch:init",
        "autoresearch:before",
        "autoresearch:run",
        "autoresearch:after",
        "autoresearch:log",
        "autoresearch:decision",
        "autoresearch:replay",
        "autoresearch:rescore",
        "autoresearch:prune",
        "autoresearch:complete",
        "autoresearch:error",
        "review:start",
        "review:end",
        "review:paused",
        "review:failed",
        "review:completed",
        "goal-written:completed",
        "team-created",
        "teammate-spawned",
        "teammate-idle",
        "task-assigned",
        "task-completed",
        "team-shutdown",
    ],
    container: &["hooks", "hooks"],
    form: Form::List("event"),
    handler: autohand_hook,
    usable: is_enabled,
    conditions: &["matcher", "filter"],
    all: &[""],
    switches: &[(&["hooks", "enabled"], false)],
    unread: |text| {
        let consequence = "Autohand refuses to start";
        not_strict(text, Tolerates::Nothing, consequence)
    },
    ..Dialect::NESTED
};

/// The description is part of how Autohand tells entries apart. Its own limit is five seconds, and a
/// hook that takes longer counts as a refusal.
fn autohand_hook(event: &str, command: &str) -> Value {
    json!({
        "event": event,
        "command": command,
        "description": "Becket",
        "timeout": WAIT * 1000,
    })
}

enum Format {
    Json,
    Toml,
    Yaml,
}

impl Format {
    fn of(file: &SettingsFile) -> Self {
        match file.name().rsplit('.').next() {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }
}

impl Installer for AutohandInstaller {
    fn agent(&self) -> &'static str {
        DIALECT.agent
    }

    fn traces(&self) -> Traces {
        Traces {
            programs: &["autohand"],
            home: &[".autohand"],
            project: &[".autohand"],
        }
    }

    fn files(&self, scope: Scope) -> &'static [SettingsFile] {
        const FILE: SettingsFile =
            SettingsFile::new(Base::EnvOr("AUTOHAND_HOME", ".autohand"), "config.json").unless(&[
                "config.toml",
                "config.yaml",
                "config.yml",
            ]);
        match scope {
            Scope::User => &[FILE],
            Scope::Project => &[],
        }
    }

    fn events(&self) -> &'static [&'static str] {
        DIALECT.events
    }

    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<Edit, EditError> {
        match Format::of(file) {
            Format::Json => DIALECT.plan_install(existing, binary, DIALECT.events),
            Format::Toml => list_toml::install(&DIALECT, existing, binary),
            Format::Yaml => list_yaml::install(&DIALECT, existing, binary),
        }
    }

    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<Edit, EditError> {
        match Format::of(file) {
            Format::Json => DIALECT.plan_uninstall(existing),
            Format::Toml => list_toml::uninstall(&DIALECT, existing),
            Format::Yaml => list_yaml::uninstall(&DIALECT, existing),
        }
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        match Format::of(file) {
            Format::Json => DIALECT.installed(existing),
            Format::Toml => list_toml::installed(&DIALECT, existing),
            Format::Yaml => list_yaml::installed(&DIALECT, existing),
        }
    }

    fn unread(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        match Format::of(file) {
            Format::Json => (DIALECT.unread)(existing),
            Format::Toml | Format::Yaml => None,
        }
    }

    fn afterwards(&self) -> Option<&'static str> {
        Some(
            "Autohand reads its configuration when it starts, so restart running sessions; with \
             `--bare` it runs no hooks. If AUTOHAND_CONFIG or `--config` names another file, that one \
             is not changed.",
        )
    }
}
