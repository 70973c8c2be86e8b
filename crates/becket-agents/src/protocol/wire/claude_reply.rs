//! The object of Claude Code's reply format.
//!
//! Claude rejects a whole reply, and lets the action proceed, if one value has the wrong type or
//! `hookEventName` is not the event that fired. These types can only express valid replies.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaudeReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(crate) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<ClaudeBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_specific_output: Option<ClaudeSpecificWire>,
}

/// `decision`. Claude Code accepts no approval here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClaudeBlockWire {
    Approve,
    Block,
}

/// Fields that only some events accept; each event reads its own keys and ignores the rest.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaudeSpecificWire {
    pub(crate) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision: Option<ClaudePermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<ClaudeBehaviorWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<ClaudeActionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_tool_output: Option<Value>,
}

/// `permissionDecision`, at `PreToolUse` and `PreModelSwitch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClaudePermissionWire {
    Allow,
    Ask,
    Deny,
}

/// `decision`, at `PermissionRequest`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
pub(crate) enum ClaudeBehaviorWire {
    #[serde(rename_all = "camelCase")]
    Allow {
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Map<String, Value>>,
    },
    Deny {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        interrupt: Option<bool>,
    },
}

/// `action`, at `Elicitation` and `ElicitationResult`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClaudeActionWire {
    Decline,
}
