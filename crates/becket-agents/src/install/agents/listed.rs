//! Agents with one flat list of hooks, each with its event.

use serde_json::{Value, json};

use crate::edit::{EditError, FileEdit};
use crate::install::format::{
    AGENT_TIMEOUT_SECS, HandlerLayout, HeaderValue, SettingsFormat, is_enabled,
};
use crate::install::json::{FormatChoice, JsonInstaller};
use crate::install::strict::{JsonTolerance, not_strict};
use crate::install::{
    DetectionHints, InstallScope, InstalledEntry, Installer, PathBase, SettingsFile, list_toml,
    list_yaml,
};

/// Kiro's standalone files of format `v1`, which its CLI 3 and its editor 1.x read; it reads every file of
/// the directory. Left out are `Manual` and the file triggers, which report what the user does in the editor.
/// CLI 2.x has hooks only inside agents, so for it Becket adds an agent that equals Kiro's default plus
/// Becket's hooks; other agents belong to the user.
pub(super) static KIRO: JsonInstaller = JsonInstaller {
    detection_hints: DetectionHints {
        programs: &["kiro-cli", "kiro"],
        home: &[".kiro"],
        project: &[".kiro"],
    },
    user: &[
        SettingsFile::new(PathBase::Home, ".kiro/hooks/becket.json"),
        SettingsFile::new(PathBase::Home, KIRO_AGENT),
    ],
    project: &[
        SettingsFile::new(PathBase::Project, ".kiro/hooks/becket.json"),
        SettingsFile::new(PathBase::Project, KIRO_AGENT),
    ],
    target: FormatChoice::Named(KIRO_AGENT, &KIRO_CLI_2, &KIRO_FILES),
    next_steps: Some(
        "Kiro loads a workspace's hooks only if you trust the workspace. Kiro CLI 2.x has hooks only inside \
         agents: start it with `kiro-cli chat --agent becket`, or copy `hooks` from \
         .kiro/agents/becket.json into your own agent. Do neither with CLI 3 or the editor, or every \
         event is reported twice.",
    ),
};

const KIRO_AGENT: &str = ".kiro/agents/becket.json";

static KIRO_CLI_2: SettingsFormat = SettingsFormat {
    agent: "kiro",
    title: "Kiro",
    events: &[
        "agentSpawn",
        "userPromptSubmit",
        "preToolUse",
        "postToolUse",
        "stop",
    ],
    handler: |_event, command| json!({ "command": command, "timeout_ms": AGENT_TIMEOUT_SECS * 1000 }),
    header: &[
        ("name", HeaderValue::Text("becket")),
        ("tools", HeaderValue::List(&["*"])),
    ],
    is_usable: |_hook| true,
    ..SettingsFormat::FLAT
};

static KIRO_FILES: SettingsFormat = SettingsFormat {
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
    form: HandlerLayout::List("trigger"),
    command: &["action", "command"],
    handler: kiro_hook,
    header: &[("version", HeaderValue::Text("v1"))],
    is_usable: |hook| {
        let action = hook.get("action").and_then(|action| action.get("type"));
        is_enabled(hook) && action.and_then(|kind| kind.as_str()) == Some("command")
    },
    conditions: &["matcher", "confirm"],
    all: &["", "*", ".*"],
    ..SettingsFormat::NESTED
};

fn kiro_hook(event: &str, command: &str) -> Value {
    json!({
        "name": format!("becket-{event}"),
        "trigger": event,
        "action": { "type": "command", "command": command },
        "timeout": AGENT_TIMEOUT_SECS,
    })
}

/// Autohand Code, whose single configuration file may be JSON, TOML or YAML. It refuses to start if there
/// are two, so the existing one is edited.
pub(super) static AUTOHAND: AutohandInstaller = AutohandInstaller;

pub(super) struct AutohandInstaller;

/// At d24c4e64 (2026-08): every event but `post-response`, which duplicates `stop`, and `mode-change`, which
/// never fires.
static FORMAT: SettingsFormat = SettingsFormat {
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
    form: HandlerLayout::List("event"),
    handler: autohand_hook,
    is_usable: is_enabled,
    conditions: &["matcher", "filter"],
    all: &[""],
    switches: &[(&["hooks", "enabled"], false)],
    rejection_reason: |text| {
        let consequence = "Autohand refuses to start";
        not_strict(text, JsonTolerance::Nothing, consequence)
    },
    ..SettingsFormat::NESTED
};

/// Autohand uses the description to identify entries. Its default timeout is five seconds, and a hook that
/// takes longer blocks the call.
fn autohand_hook(event: &str, command: &str) -> Value {
    json!({
        "event": event,
        "command": command,
        "description": "Becket",
        "timeout": AGENT_TIMEOUT_SECS * 1000,
    })
}

enum AutohandFormat {
    Json,
    Toml,
    Yaml,
}

impl AutohandFormat {
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
        FORMAT.agent
    }

    fn detection_hints(&self) -> DetectionHints {
        DetectionHints {
            programs: &["autohand"],
            home: &[".autohand"],
            project: &[".autohand"],
        }
    }

    fn files(&self, scope: InstallScope) -> &'static [SettingsFile] {
        const FILE: SettingsFile =
            SettingsFile::new(PathBase::EnvOr("AUTOHAND_HOME", ".autohand"), "config.json")
                .with_alternatives(&["config.toml", "config.yaml", "config.yml"]);
        match scope {
            InstallScope::User => &[FILE],
            InstallScope::Project => &[],
        }
    }

    fn events(&self) -> &'static [&'static str] {
        FORMAT.events
    }

    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<FileEdit, EditError> {
        match AutohandFormat::of(file) {
            AutohandFormat::Json => FORMAT.plan_install(existing, binary, FORMAT.events),
            AutohandFormat::Toml => list_toml::install(&FORMAT, existing, binary),
            AutohandFormat::Yaml => list_yaml::install(&FORMAT, existing, binary),
        }
    }

    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<FileEdit, EditError> {
        match AutohandFormat::of(file) {
            AutohandFormat::Json => FORMAT.plan_uninstall(existing),
            AutohandFormat::Toml => list_toml::uninstall(&FORMAT, existing),
            AutohandFormat::Yaml => list_yaml::uninstall(&FORMAT, existing),
        }
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        match AutohandFormat::of(file) {
            AutohandFormat::Json => FORMAT.installed(existing),
            AutohandFormat::Toml => list_toml::installed(&FORMAT, existing),
            AutohandFormat::Yaml => list_yaml::installed(&FORMAT, existing),
        }
    }

    fn rejection_reason(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        match AutohandFormat::of(file) {
            AutohandFormat::Json => (FORMAT.rejection_reason)(existing),
            AutohandFormat::Toml | AutohandFormat::Yaml => None,
        }
    }

    fn next_steps(&self) -> Option<&'static str> {
        Some(
            "Autohand reads its configuration when it starts, so restart running sessions; with \
             `--bare` it runs no hooks. If AUTOHAND_CONFIG or `--config` names another file, Becket \
             does not change that file.",
        )
    }
}
