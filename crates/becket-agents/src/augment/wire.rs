//! Auggie's reply, in Auggie's own words.
//!
//! Auggie ignores a reply as a whole, and proceeds, if `hookEventName` is missing from
//! `hookSpecificOutput` or is not one of six names. These types can only say what it accepts.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<SpecificWire>,
}

/// What only some events take.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpecificWire {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<String>,
    /// Replaces the tool's input whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<BlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
}

/// `permissionDecision`. The client takes `ask` as well and runs the tool, so it is not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PermissionWire {
    Allow,
    Deny,
}

/// The one word that `decision` takes, at `PostToolUse` and `Stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BlockWire {
    Block,
}
