//! Copilot's reply format.
//!
//! Copilot reads the top level of the object. It ignores the fields for VS Code's local agent
//! (`hookSpecificOutput`, `continue`, `systemMessage`), or treats them as repetitions, so one reply can
//! contain both.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CopilotReplyWire {
    /// `progress`, with `message`: a line that is displayed and not parsed as a reply.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<CopilotProgressWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<CopilotPermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified_args: Option<Map<String, Value>>,
    /// At `permissionRequest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) behavior: Option<CopilotBehaviorWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interrupt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<CopilotBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<CopilotSpecificWire>,
}

/// The only line type that is not a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CopilotProgressWire {
    Progress,
}

/// `permissionDecision`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CopilotPermissionWire {
    Allow,
    Ask,
    Deny,
}

/// `behavior`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CopilotBehaviorWire {
    Allow,
    Deny,
}

/// The only value of `decision`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CopilotBlockWire {
    Block,
}

/// The same for VS Code's local agent, which ignores it under another `hookEventName`.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CopilotSpecificWire {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<CopilotPermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
}
