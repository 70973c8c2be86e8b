//! What is wired up and what is not, as `becket doctor --json` tells it.

use schemars::JsonSchema;
use serde::Serialize;

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Of this shape.
    pub schema_version: u32,
    /// The project's root.
    pub project: String,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is about: an agent's id, `config`, `trust`, `daemon` …
    pub check: String,
    /// How it is.
    pub state: FindingState,
    /// In words.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// As it should be.
    Ok,
    /// Worth a look.
    Warning,
    /// Broken.
    Error,
}
