//! Finds what keeps an agent from running installed hooks: missing trust, switches, and an administrator's
//! rules.
//!
//! This module reads no files; the caller does, through [`MachineView`]. Start at [`obstacles()`].

use std::path::{Path, PathBuf};

use super::{BaseDirs, PathBase, codex};
use crate::edit::{JsonDocument, JsonNode, JsonShape};

/// The caller's access to a machine.
pub struct MachineView<'l> {
    /// Base directories.
    pub dirs: BaseDirs<'l>,
    /// The text of a file, if it exists.
    pub read: &'l dyn Fn(&Path) -> Option<String>,
    /// Whether Becket is installed for the user.
    pub for_user: bool,
    /// Whether Becket is installed for the project.
    pub for_project: bool,
}

/// A reason why hooks do not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookObstacle {
    /// A message that continues a sentence after the agent's name.
    pub message: String,
    /// How to fix it.
    pub fix: String,
}

/// The known reasons why an agent does not run Becket's hooks in a project.
pub fn obstacles(agent: &str, look: &MachineView<'_>) -> Vec<HookObstacle> {
    if !look.for_user && !look.for_project {
        return Vec::new();
    }
    match agent {
        "claude" => look.claude(),
        codex::ID => look.codex(),
        "gemini" => look.gemini(),
        "qwen" => look.qwen(),
        "copilot" => look.copilot(),
        _ => Vec::new(),
    }
}

/// The files in which an administrator manages Claude Code.
const CLAUDE_MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

impl MachineView<'_> {
    fn claude(&self) -> Vec<HookObstacle> {
        let dir = PathBase::EnvOr("CLAUDE_CONFIG_DIR", ".claude").locate(&self.dirs);
        let project = self.dirs.project.join(".claude");
        let files = [
            dir.join("settings.json"),
            project.join("settings.json"),
            project.join("settings.local.json"),
        ];
        let managed = CLAUDE_MANAGED.map(PathBuf::from);
        let mut found = Vec::new();
        for file in files.iter().chain(&managed) {
            if self.flag(file, &["disableAllHooks"]) == Some(true) {
                found.push(switched_off(file, "disableAllHooks"));
            }
        }
        for file in &managed {
            if self.flag(file, &["allowManagedHooksOnly"]) == Some(true) {
                found.push(HookObstacle {
                    message: format!("runs only an administrator's hooks ({})", file.display()),
                    fix: "ask the administrator of this machine to add Becket's hooks there"
                        .to_owned(),
                });
            }
        }
        found
    }

    fn gemini(&self) -> Vec<HookObstacle> {
        let home = PathBase::EnvOr("GEMINI_CLI_HOME", "").locate(&self.dirs);
        let dir = home.join(".gemini");
        let settings = dir.join("settings.json");
        let mut found = Vec::new();
        for file in [&settings, &self.dirs.project.join(".gemini/settings.json")] {
            if self.flag(file, &["hooksConfig", "enabled"]) == Some(false) {
                found.push(switched_off(file, "hooksConfig.enabled"));
            }
        }
        let checks_trust =
            self.flag(&settings, &["security", "folderTrust", "enabled"]) != Some(false);
        let trusted_by_env =
            (self.dirs.env)("GEMINI_CLI_TRUST_WORKSPACE").is_some_and(|it| it == Path::new("true"));
        if checks_trust && !trusted_by_env && self.folder_trust(&dir) != Some(true) {
            found.push(HookObstacle {
                message: "does not trust this folder and runs no hooks in it, not even your own"
                    .to_owned(),
                fix: "start `gemini` here and trust the folder (/permissions)".to_owned(),
            });
        }
        found
    }

    fn qwen(&self) -> Vec<HookObstacle> {
        let dir = PathBase::EnvOr("QWEN_HOME", ".qwen").locate(&self.dirs);
        let settings = dir.join("settings.json");
        let mut found = Vec::new();
        for file in [&settings, &self.dirs.project.join(".qwen/settings.json")] {
            if self.flag(file, &["disableAllHooks"]) == Some(true) {
                found.push(switched_off(file, "disableAllHooks"));
            }
        }
        let checks_trust =
            self.flag(&settings, &["security", "folderTrust", "enabled"]) == Some(true);
        if self.for_project && checks_trust && self.folder_trust(&dir) != Some(true) {
            found.push(HookObstacle {
                message: "does not trust this folder and does not run the project's hooks"
                    .to_owned(),
                fix: "start `qwen` here and trust the folder (/trust)".to_owned(),
            });
        }
        found
    }

    fn copilot(&self) -> Vec<HookObstacle> {
        let dir = PathBase::EnvOr("COPILOT_HOME", ".copilot").locate(&self.dirs);
        let config = self.json(&dir.join("config.json"));
        let root = config.as_ref().and_then(JsonDocument::root);
        let folders = ["trustedFolders", "trusted_folders"];
        let trusted = folders
            .iter()
            .filter_map(|key| root?.get(key)?.elements())
            .flatten()
            .filter_map(JsonNode::as_str)
            .any(|folder| self.dirs.project.starts_with(folder));
        if !self.for_project || trusted {
            return Vec::new();
        }
        vec![HookObstacle {
            message: "does not trust this folder and does not run the project's hooks".to_owned(),
            fix: "start `copilot` here and trust the folder".to_owned(),
        }]
    }

    fn codex(&self) -> Vec<HookObstacle> {
        let config = (self.read)(&codex::CONFIG.locate(&self.dirs));
        let Some(config) = config
            .as_deref()
            .and_then(|text| text.parse::<toml::Table>().ok())
        else {
            return Vec::new();
        };
        let flag = |key: &str| config.get("features")?.get(key)?.as_bool();
        let mut found = Vec::new();
        if [flag("hooks"), flag("codex_hooks")].contains(&Some(false)) {
            found.push(switched_off(
                &codex::CONFIG.locate(&self.dirs),
                "features.hooks",
            ));
        }
        let level = |folder: &Path| {
            let projects = config.get("projects")?;
            projects.get(folder.to_str()?)?.get("trust_level")?.as_str()
        };
        if self.for_project && level(self.dirs.project) != Some("trusted") {
            found.push(HookObstacle {
                message: "does not trust this project and does not run its hooks".to_owned(),
                fix: "start `codex` here and trust the project".to_owned(),
            });
        }
        found
    }

    /// The trust state of a folder in Gemini CLI and agents derived from it: of the rules that cover the folder,
    /// the one with the longest path wins.
    fn folder_trust(&self, dir: &Path) -> Option<bool> {
        let rules = self.json(&dir.join("trustedFolders.json"))?;
        let rules = rules.root()?.members()?.iter();
        let rules = rules.filter_map(|rule| Some((Path::new(&rule.key), rule.value.as_str()?)));
        let covers = |(path, level): &(&Path, &str)| {
            let parent = *level == "TRUST_PARENT";
            let top = if parent { path.parent() } else { Some(*path) };
            top.is_some_and(|top| self.dirs.project.starts_with(top))
        };
        let longest = |(path, _): &(&Path, &str)| path.as_os_str().len();
        let (_, level) = rules.filter(covers).max_by_key(longest)?;
        Some(level != "DO_NOT_TRUST")
    }

    fn flag(&self, file: &Path, keys: &[&str]) -> Option<bool> {
        let document = self.json(file)?;
        let mut node = document.root()?;
        for key in keys {
            node = node.get(key)?;
        }
        match node.shape {
            JsonShape::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    fn json(&self, file: &Path) -> Option<JsonDocument> {
        JsonDocument::parse((self.read)(file)?).ok()
    }
}

fn switched_off(file: &Path, key: &str) -> HookObstacle {
    HookObstacle {
        message: format!("runs no hooks: `{key}` in {} disables them", file.display()),
        fix: format!("remove `{key}` from {}", file.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of an agent's obstacles, given files below a home and a project.
    fn obstacle_messages(agent: &str, files: &[(&str, &str)]) -> Vec<String> {
        let read = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        let look = MachineView {
            dirs: BaseDirs {
                home: Path::new("/home/ana"),
                project: Path::new("/home/ana/shop"),
                env: &|_| None,
            },
            read: &read,
            for_user: true,
            for_project: true,
        };
        let found = obstacles(agent, &look).into_iter();
        found.map(|gate| gate.message).collect()
    }

    #[test]
    fn switches_and_an_administrators_rules_are_seen() {
        for (agent, file, text, expected) in [
            (
                "claude",
                "/home/ana/shop/.claude/settings.local.json",
                r#"{"disableAllHooks": true}"#,
                "`disableAllHooks` in /home/ana/shop/.claude/settings.local.json",
            ),
            (
                "claude",
                "/etc/claude-code/managed-settings.json",
                r#"{"allowManagedHooksOnly": true}"#,
                "runs only an administrator's hooks",
            ),
            (
                "qwen",
                "/home/ana/.qwen/settings.json",
                "{/* no */ \"disableAllHooks\": true}",
                "`disableAllHooks`",
            ),
            (
                "gemini",
                "/home/ana/.gemini/settings.json",
                r#"{"hooksConfig": {"enabled": false}, "security": {"folderTrust": {"enabled": false}}}"#,
                "`hooksConfig.enabled`",
            ),
        ] {
            let found = obstacle_messages(agent, &[(file, text)]);
            assert_eq!(found.len(), 1, "{agent}: {found:?}");
            assert!(found[0].contains(expected), "{found:?}");
        }
        assert_eq!(obstacle_messages("claude", &[]), Vec::<String>::new());
    }

    #[test]
    fn a_folder_is_trusted_by_the_longest_rule_that_covers_it() {
        let rules = "/home/ana/.gemini/trustedFolders.json";
        for (text, trusted) in [
            ("{}", false),
            (r#"{"/home/ana/shop": "TRUST_FOLDER"}"#, true),
            (r#"{"/home/ana": "TRUST_FOLDER"}"#, true),
            (r#"{"/home/ana/other": "TRUST_PARENT"}"#, true),
            (r#"{"/home/ana/sho": "TRUST_FOLDER"}"#, false),
            (
                r#"{"/home/ana": "TRUST_FOLDER", "/home/ana/shop": "DO_NOT_TRUST"}"#,
                false,
            ),
            ("not json", false),
        ] {
            assert_eq!(
                obstacle_messages("gemini", &[(rules, text)]).is_empty(),
                trusted,
                "{text}"
            );
        }
        // Qwen Code checks folder trust only if that is enabled.
        assert!(obstacle_messages("qwen", &[]).is_empty());
        let checks_trust = r#"{"security": {"folderTrust": {"enabled": true}}}"#;
        assert_eq!(
            obstacle_messages("qwen", &[("/home/ana/.qwen/settings.json", checks_trust)]).len(),
            1
        );
    }

    #[test]
    fn a_projects_hooks_need_the_project_to_be_trusted() {
        assert_eq!(obstacle_messages("copilot", &[]).len(), 1);
        let config = (
            "/home/ana/.copilot/config.json",
            r#"{"trustedFolders": ["/home/ana/shop"]}"#,
        );
        assert!(obstacle_messages("copilot", &[config]).is_empty());
        let codex =
            |text: &str| obstacle_messages("codex", &[("/home/ana/.codex/config.toml", text)]);
        assert_eq!(codex("").len(), 1);
        assert!(codex("[projects.\"/home/ana/shop\"]\ntrust_level = \"trusted\"\n").is_empty());
        let off = codex(
            "[features]\nhooks = false\n[projects.\"/home/ana/shop\"]\ntrust_level = \"trusted\"\n",
        );
        assert!(off[0].contains("`features.hooks`"), "{off:?}");
    }
}
