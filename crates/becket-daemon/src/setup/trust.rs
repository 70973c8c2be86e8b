//! The hooks of a project, for a review before they are trusted.

use schemars::JsonSchema;
use serde::Serialize;

/// All hooks of a project that need trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustReview {
    /// The project's root.
    pub project: String,
    /// The hooks; untrusted ones first.
    pub items: Vec<ReviewItem>,
    /// The digest of this review; only exactly this is trusted.
    pub digest: String,
}

/// A hook, and how it differs from its trusted version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewItem {
    /// A hash of its definition and its scripts.
    pub id: String,
    /// The hook's name.
    pub hook: String,
    /// The canonical event name.
    pub event: String,
    /// The command that it runs.
    pub command: String,
    /// The file that defines it.
    pub file: String,
    /// The line in the file.
    pub line: usize,
    /// Whether it is trusted.
    pub state: ReviewState,
    /// The diff of its definition.
    pub diff: Option<String>,
    /// The files that the command refers to.
    pub scripts: Vec<ReviewScript>,
}

/// A file that a hook refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewScript {
    /// The path, relative to the project if it is inside.
    pub path: String,
    /// Whether it is trusted.
    pub state: ReviewState,
    /// The diff, or the whole file if it is new.
    pub diff: Option<String>,
}

/// Whether something is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// Never trusted.
    New,
    /// Changed since it was trusted.
    Changed,
    /// Trusted in its current version.
    Trusted,
}

/// The result of trusting hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustGranted {
    /// The project's root.
    pub project: String,
    /// How many hooks are trusted now.
    pub trusted: usize,
}

/// The result of revoking trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustRevoked {
    /// The project's root.
    pub project: String,
    /// How many hooks were trusted.
    pub revoked: usize,
}
