//! What keeps an agent from running hooks although they stand in its files: trust that a person has
//! not given yet, switches, and an administrator's rules.
//!
//! Like everything here this reads no file: the caller does, through [`Look`]. Start at [`gates`].

use std::path::{Path, PathBuf};

use super::{Base, Places, codex};
use crate::edit::{Document, Node, Shape};

/// What a caller lets us see of a machine.
pub struct Look<'l> {
    /// Its directories.
    pub places: Places<'l>,
    /// The text of a file, if there is such a file.
    pub read: &'l dyn Fn(&Path) -> Option<String>,
    /// Whether Becket is connected for the person.
    pub for_user: bool,
    /// Whether Becket is connected for the project.
    pub for_project: bool,
}

/// Something that keeps hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// What is the case, in words that follow the agent's name.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

/// What keeps an agent from running Becket's hooks in a project; nothing if nothing is known to.
pub fn gates(agent: &str, look: &Look<'_>) -> Vec<Gate> {
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

/// Where an administrator of a machine decides for Claude Code.
const CLAUDE_MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

impl Look<'_> {
    fn claude(&self) -> Vec<Gate> {
        let dir = Base::EnvOr("CLAUDE_CONFIG_DIR", ".claude").locate(&self.places);
        let project = self.places.project.join(".claude");
        let files = [
            dir.join("settings.json"),
            project.join("settings.json"),
            project.join("settings.local.json"),
        ];
        let managed = CLAUDE_MANAGED.map(PathBuf::from);
        let mut gates = Vec::new();
        for file in files.iter().chain(&managed) {
            if self.flag(file, &["disableAllHooks"]) == Some(true) {
                gates.push(switched_off(file, "disableAllHooks"));
            }
        }
        for file in &managed {
            if self.flag(file, &["allowManagedHooksOnly"]) == Some(true) {
                gates.push(Gate {
                    message: format!("runs only an administrator's hooks ({})", file.display()),
                    fix: "ask whoever manages this machine to add Becket's hooks there".to_owned(),
                });
            }
        }
        gates
    }

    fn gemini(&self) -> Vec<Gate> {
        let home = Base::EnvOr("GEMINI_CLI_HOME", "").locate(&self.places);
        let dir = home.join(".gemini");
        let settings = dir.join("settings.json");
        let mut gates = Vec::new();
        for file in [
            &settings,
            &self.places.project.join(".gemini/settings.json"),
        ] {
            if self.flag(file, &["hooksConfig", "enabled"]) == Some(false) {
                gates.push(switched_off(file, "hooksConfig.enabled"));
            }
        }
        let asks = self.flag(&settings, &["security", "folderTrust", "enabled"]) != Some(false);
        let told = (self.places.env)("GEMINI_CLI_TRUST_WORKSPACE")
            .is_some_and(|it| it == Path::new("true"));
        if asks && !told && self.folder_trust(&dir) != Some(true) {
            gates.push(Gate {
                message: "does not trust this folder, and runs no hooks in it, not even your own"
                    .to_owned(),
                fix: "start `gemini` here and trust the folder (/permissions)".to_owned(),
            });
        }
        gates
    }

    fn qwen(&self) -> Vec<Gate> {
        let dir = Base::EnvOr("QWEN_HOME", ".qwen").locate(&self.places);
        let settings = dir.join("settings.json");
        let mut gates = Vec::new();
        for file in [&settings, &self.places.project.join(".qwen/settings.json")] {
            if self.flag(file, &["disableAllHooks"]) == Some(true) {
                gates.push(switched_off(file, "disableAllHooks"));
            }
        }
        let asks = self.flag(&settings, &["security", "folderTrust", "enabled"]) == Some(true);
        if self.for_project && asks && self.folder_trust(&dir) != Some(true) {
            gates.push(Gate {
                message: "does not trust this folder, and does not run the project's hooks"
                    .to_owned(),
                fix: "start `qwen` here and trust the folder (/trust)".to_owned(),
            });
        }
        gates
    }

    fn copilot(&self) -> Vec<Gate> {
        let dir = Base::EnvOr("COPILOT_HOME", ".copilot").locate(&self.places);
        let config = self.json(&dir.join("config.json"));
        let root = config.as_ref().and_then(Document::root);
        let folders = ["trustedFolders", "trusted_folders"];
        let trusted = folders
            .iter()
            .filter_map(|key| root?.get(key)?.elements())
            .flatten()
            .filter_map(Node::as_str)
            .any(|folder| self.places.project.starts_with(folder));
        if !self.for_project || trusted {
            return Vec::new();
        }
        vec![Gate {
            message: "does not trust this folder, and does not run the project's hooks".to_owned(),
            fix: "start `copilot` here and trust the folder".to_owned(),
        }]
    }

    fn codex(&self) -> Vec<Gate> {
        let config = (self.read)(&codex::CONFIG.locate(&self.places));
        let Some(config) = config
            .as_deref()
            .and_then(|text| text.parse::<toml::Table>().ok())
        else {
            return Vec::new();
        };
        let flag = |key: &str| config.get("features")?.get(key)?.as_bool();
        let mut gates = Vec::new();
        if [flag("hooks"), flag("codex_hooks")].contains(&Some(false)) {
            gates.push(switched_off(
                &codex::CONFIG.locate(&self.places),
                "features.hooks",
            ));
        }
        let level = |folder: &Path| {
            let projects = config.get("projects")?;
            projects.get(folder.to_str()?)?.get("trust_level")?.as_str()
        };
        if self.for_project && level(self.places.project) != Some("trusted") {
            gates.push(Gate {
                message: "does not trust this project, and does not run its hooks".to_owned(),
                fix: "start `codex` here and trust the project".to_owned(),
            });
        }
        gates
    }

    /// What Gemini CLI and its kin remember about a folder: of the rules that cover it, the one with
    /// the longest path counts.
    fn folder_trust(&self, dir: &Path) -> Option<bool> {
        let rules = self.json(&dir.join("trustedFolders.json"))?;
        let rules = rules.root()?.members()?.iter();
        let rules = rules.filter_map(|rule| Some((Path::new(&rule.key), rule.value.as_str()?)));
        let covers = |(path, level): &(&Path, &str)| {
            let parent = *level == "TRUST_PARENT";
            let top = if parent { path.parent() } else { Some(*path) };
            top.is_some_and(|top| self.places.project.starts_with(top))
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
            Shape::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    fn json(&self, file: &Path) -> Option<Document> {
        Document::parse((self.read)(file)?).ok()
    }
}

fn switched_off(file: &Path, key: &str) -> Gate {
    Gate {
        message: format!("runs no hooks: `{key}` in {} says so", file.display()),
        fix: format!("take `{key}` out of {}", file.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of the gates of an agent, given files below a home and a project.
    fn shut(agent: &str, files: &[(&str, &str)]) -> Vec<String> {
        let read = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        let look = Look {
            places: Places {
                home: Path::new("/home/ana"),
                project: Path::new("/home/ana/shop"),
                env: &|_| None,
            },
            read: &read,
            for_user: true,
            for_project: true,
        };
        let gates = gates(agent, &look).into_iter();
        gates.map(|gate| gate.message).collect()
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
            let found = shut(agent, &[(file, text)]);
            assert_eq!(found.len(), 1, "{agent}: {found:?}");
            assert!(found[0].contains(expected), "{found:?}");
        }
        assert_eq!(shut("claude", &[]), Vec::<String>::new());
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
                shut("gemini", &[(rules, text)]).is_empty(),
                trusted,
                "{text}"
            );
        }
        // Qwen Code does not ask unless it is told to.
        assert!(shut("qwen", &[]).is_empty());
        let asks = r#"{"security": {"folderTrust": {"enabled": true}}}"#;
        assert_eq!(
            shut("qwen", &[("/home/ana/.qwen/settings.json", asks)]).len(),
            1
        );
    }

    #[test]
    fn a_projects_hooks_need_the_project_to_be_trusted() {
        assert_eq!(shut("copilot", &[]).len(), 1);
        let config = (
            "/home/ana/.copilot/config.json",
            r#"{"trustedFolders": ["/home/ana/shop"]}"#,
        );
        assert!(shut("copilot", &[config]).is_empty());
        let codex = |text: &str| shut("codex", &[("/home/ana/.codex/config.toml", text)]);
        assert_eq!(codex("").len(), 1);
        assert!(codex("[projects.\"/home/ana/shop\"]\ntrust_level = \"trusted\"\n").is_empty());
        let off = codex(
            "[features]\nhooks = false\n[projects.\"/home/ana/shop\"]\ntrust_level = \"trusted\"\n",
        );
        assert!(off[0].contains("`features.hooks`"), "{off:?}");
    }
}
