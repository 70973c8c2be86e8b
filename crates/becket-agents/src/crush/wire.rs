//! Crush's reply format.
//!
//! `hookSpecificOutput` is never written: Crush would then ignore every other key.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct CrushReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<CrushDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) halt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<String>,
    /// Merged into the tool's input, key by key.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) updated_input: Map<String, Value>,
}

/// The values that Crush knows; any other means no opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CrushDecisionWire {
    Allow,
    Deny,
}
