//! Becket's entries in agents' settings.

use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that Becket supports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentConnection {
    /// The agent's id.
    pub agent: String,
    /// The agent's display name.
    pub name: String,
    /// Whether the agent was found on this machine.
    pub found: bool,
    /// Whether the agent's settings call Becket.
    pub connected: bool,
    /// The agent's version, if it is connected.
    pub version: Option<String>,
    /// The time of its last event.
    pub last_event: Option<Millis>,
    /// The settings files that call Becket, or would.
    pub files: Vec<String>,
    /// What prevents it from working, and how to fix it.
    pub problems: Vec<String>,
}

/// A change of an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionChange {
    /// The agent's id.
    pub agent: String,
    /// True removes Becket from the settings; otherwise it is added.
    #[serde(default)]
    pub remove: bool,
}

/// What a change would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionPlan {
    /// The files that would change; empty if there is nothing to do.
    pub files: Vec<FileChange>,
    /// Warnings to show before.
    pub warnings: Vec<String>,
    /// The digest of the plan.
    pub plan: String,
}

/// A file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// The path.
    pub path: String,
    /// A unified diff, with secrets redacted.
    pub diff: String,
    /// The file would be created.
    pub created: bool,
    /// The file would be deleted.
    pub deleted: bool,
}

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FilesWritten {
    /// The paths.
    pub files: Vec<String>,
}
