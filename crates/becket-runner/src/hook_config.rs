//! Hook configuration as data: parse, validate, merge.
//!
//! To run hooks, configuration is loaded by `becket_agents::config`, which knows every dialect and keeps file and
//! line. These types are for programs that build or inspect configuration themselves.

use std::path::Path;

use becket_agents::config;
use becket_model::{Layer, Level, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// One hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookDefinition {
    /// `command`, `prompt`, `http` or `agent`.
    #[serde(rename = "type")]
    pub hook_type: String,
    /// For `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// For `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Deadline in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// All other keys of the entry.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A matcher and its hooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookMatcher {
    /// A regex; empty matches everything.
    #[serde(default)]
    pub matcher: String,
    /// The hooks.
    #[serde(default)]
    pub hooks: Vec<HookDefinition>,
}

/// Hooks by event, in definition order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookConfig {
    /// Each event's name and its groups.
    pub hooks: Vec<(String, Vec<HookMatcher>)>,
}

/// The result of a validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationResult {
    /// There are no errors.
    pub valid: bool,
    /// Entries that do not load.
    pub errors: Vec<String>,
    /// Entries that load, but look wrong.
    pub warnings: Vec<String>,
}

/// Parses, validates and merges configuration.
///
/// ```
/// use becket_runner::HookConfigParser;
/// use serde_json::json;
///
/// let parser = HookConfigParser;
/// let config = parser.parse(&json!({"hooks": {"PreToolUse": [
///     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5000}]}
/// ]}}))?;
/// assert!(parser.validate(&config).valid);
/// assert_eq!(parser.merge(&config, &config), config, "identical hooks are kept once");
/// # Ok::<(), becket_runner::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct HookConfigParser;

impl HookConfigParser {
    /// Parses `{"hooks": {…}}`, or the map itself.
    pub fn parse(&self, config: &Value) -> Result<HookConfig> {
        let events = config.get("hooks").unwrap_or(config);
        let events = events
            .as_object()
            .ok_or_else(|| Error::new("`hooks` is not an object"))?;
        let hooks = events
            .iter()
            .map(|(event, groups)| {
                let groups = Vec::<HookMatcher>::deserialize(groups)
                    .map_err(|error| Error::new(format!("`hooks.{event}`: {error}")))?;
                Ok((event.clone(), groups))
            })
            .collect::<Result<_>>()?;
        Ok(HookConfig { hooks })
    }

    /// Validates a configuration.
    pub fn validate(&self, config: &HookConfig) -> ValidationResult {
        let layer = config.load(Path::new("hooks"), Level::User);
        let messages = |severity| {
            layer
                .problems
                .iter()
                .filter(|p| p.severity == severity)
                .map(|p| format!("{}: {}", p.key, p.message))
                .collect()
        };
        let errors: Vec<String> = messages(Severity::Error);
        ValidationResult {
            valid: errors.is_empty(),
            errors,
            warnings: messages(Severity::Warning),
        }
    }

    /// Project hooks first, then global hooks that the project does not define.
    pub fn merge(&self, global: &HookConfig, project: &HookConfig) -> HookConfig {
        HookMerger.merge([project, global])
    }
}

/// Merges configurations, nearest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct HookMerger;

impl HookMerger {
    /// Merges configurations, nearest first. Identical hooks are kept once, in definition order.
    pub fn merge<'a>(&self, configs: impl IntoIterator<Item = &'a HookConfig>) -> HookConfig {
        let mut merged = HookConfig::default();
        for (event, group) in configs
            .into_iter()
            .flat_map(|c| &c.hooks)
            .flat_map(|(e, gs)| gs.iter().map(move |g| (e, g)))
        {
            merged.add(event, group);
        }
        merged
    }
}

impl HookConfig {
    /// Loads the hooks for execution, with the problems of invalid ones.
    pub fn load(&self, file: &Path, level: Level) -> Layer {
        let text = self.to_json().to_string();
        config::code_agent(&config::ConfigFile {
            path: file,
            level,
            text: &text,
            root: None,
        })
    }

    /// The JSON form of the configuration.
    pub fn to_json(&self) -> Value {
        let events = self.hooks.iter().map(|(event, groups)| {
            (
                event.clone(),
                serde_json::to_value(groups).unwrap_or_default(),
            )
        });
        Value::Object(Map::from_iter([(
            "hooks".to_owned(),
            Value::Object(events.collect()),
        )]))
    }

    fn add(&mut self, event: &str, group: &HookMatcher) {
        let at = self
            .hooks
            .iter()
            .position(|(name, _)| name == event)
            .unwrap_or_else(|| {
                self.hooks.push((event.to_owned(), Vec::new()));
                self.hooks.len() - 1
            });
        let groups = &mut self.hooks[at].1;
        let known: Vec<HookDefinition> = groups
            .iter()
            .filter(|g| g.matcher == group.matcher)
            .flat_map(|g| g.hooks.clone())
            .collect();
        let new: Vec<HookDefinition> = group
            .hooks
            .iter()
            .filter(|hook| !known.contains(hook))
            .cloned()
            .collect();
        if !new.is_empty() || group.hooks.is_empty() {
            groups.push(HookMatcher {
                matcher: group.matcher.clone(),
                hooks: new,
            });
        }
    }
}
