//! What a project wants to run, for a person to look at.

use schemars::JsonSchema;
use serde::Serialize;

/// Every hook of a project that needs trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Review {
    /// The project's root.
    pub project: String,
    /// Its hooks; those that wait for trust first.
    pub items: Vec<ReviewItem>,
    /// Stands for what was shown; trust is given to that and to nothing else.
    pub digest: String,
}

/// A hook, and how it differs from what was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewItem {
    /// Changes with every byte of its definition and of its scripts.
    pub id: String,
    /// Its name.
    pub hook: String,
    /// The canonical name of its event.
    pub event: String,
    /// What it would run.
    pub command: String,
    /// Where it stands.
    pub file: String,
    /// On this line.
    pub line: usize,
    /// Whether it is trusted.
    pub state: ReviewState,
    /// How its definition has changed.
    pub diff: Option<String>,
    /// The files that it names.
    pub scripts: Vec<ReviewScript>,
}

/// A file that a hook names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewScript {
    /// Relative to the project, where it lies in it.
    pub path: String,
    /// Whether it is trusted.
    pub state: ReviewState,
    /// How it has changed, or all of it where it is new.
    pub diff: Option<String>,
}

/// Whether something is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// Nobody has seen it.
    New,
    /// It was trusted, and is no longer what it was.
    Changed,
    /// As it stands.
    Trusted,
}

/// Trust that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Granted {
    /// The project's root.
    pub project: String,
    /// How many hooks run from now on.
    pub trusted: usize,
}

/// Trust that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Revoked {
    /// The project's root.
    pub project: String,
    /// How many hooks had it.
    pub revoked: usize,
}
