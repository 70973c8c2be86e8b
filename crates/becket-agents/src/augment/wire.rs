//! Auggie's reply format.
//!
//! Auggie ignores a whole reply, and proceeds, if `hookEventName` is missing from `hookSpecificOutput` or is
//! not one of six names. These types can only express valid replies.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AugmentReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<AugmentSpecificWire>,
}

/// Fields that only some events accept.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AugmentSpecificWire {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<AugmentPermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<String>,
    /// Replaces the tool's whole input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<AugmentBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
}

/// `permissionDecision`. The client accepts `ask` as well but runs the tool, so it is not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AugmentPermissionWire {
    Allow,
    Deny,
}

/// The only value of `decision`, at `PostToolUse` and `Stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AugmentBlockWire {
    Block,
}
