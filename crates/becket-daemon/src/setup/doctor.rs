//! Diagnosis of the installation, as in `becket doctor --json`.

use schemars::JsonSchema;
use serde::Serialize;

/// The result of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The project's root.
    pub project: String,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The subject: an agent's id, `config`, `trust`, `daemon` …
    pub check: String,
    /// The state.
    pub state: FindingState,
    /// A description.
    pub message: String,
    /// How to fix it.
    pub fix: Option<String>,
}

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// No problem.
    Ok,
    /// A possible problem.
    Warning,
    /// A problem.
    Error,
}
