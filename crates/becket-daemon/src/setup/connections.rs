//! Becket in the settings of agents.

use becket_store::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that Becket can be connected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Connection {
    /// Its id.
    pub agent: String,
    /// Its name, for people.
    pub name: String,
    /// Whether there is any trace of it on this machine.
    pub found: bool,
    /// Whether its settings call Becket.
    pub connected: bool,
    /// What it says its version is, where it is connected.
    pub version: Option<String>,
    /// When it was last heard of.
    pub last_event: Option<Millis>,
    /// Its settings that call Becket, or would.
    pub files: Vec<String>,
    /// What keeps it from working, and what to do about it.
    pub problems: Vec<String>,
}

/// A change of an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionChange {
    /// The agent's id.
    pub agent: String,
    /// True takes Becket out instead of putting it in.
    #[serde(default)]
    pub remove: bool,
}

/// What such a change would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionPlan {
    /// The files that would change; none where there is nothing to do.
    pub files: Vec<FileChange>,
    /// What to know before.
    pub warnings: Vec<String>,
    /// Stands for all of it.
    pub plan: String,
}

/// A file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// Which.
    pub path: String,
    /// How, as a unified diff without secrets.
    pub diff: String,
    /// It does not exist yet.
    pub created: bool,
    /// It would be deleted.
    pub deleted: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FilesWritten {
    /// The files.
    pub files: Vec<String>,
}
