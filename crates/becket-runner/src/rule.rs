//! [`HookRule`] and [`HookAction`]: the hook format of plugins, skills and subagents.

use becket_agents::config;
use becket_model::{EventKind, Layer, Level};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A tool pattern and its hooks.
///
/// ```
/// use becket_runner::HookRule;
///
/// let rule: HookRule = serde_json::from_str(
///     r#"{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "fmt.sh", "timeout": 10}]}"#,
/// )?;
/// assert_eq!(rule.hooks[0].command.as_deref(), Some("fmt.sh"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRule {
    /// Tool pattern, for example `Write|Edit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The actions.
    #[serde(default)]
    pub hooks: Vec<HookAction>,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAction {
    /// `command`.
    #[serde(rename = "type")]
    pub hook_type: String,
    /// The shell command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Deadline in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

impl HookRule {
    /// Loads the rule as hooks for an event, with its problems.
    pub fn load(&self, event: &EventKind, file: &std::path::Path, level: Level) -> Layer {
        let text = json!({ "hooks": { event.name(): [self] } }).to_string();
        config::plugin(&config::ConfigFile {
            path: file,
            level,
            text: &text,
            root: file.parent(),
        })
    }
}
