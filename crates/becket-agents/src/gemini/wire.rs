//! Gemini CLI's reply format.
//!
//! Gemini ignores unknown keys, so another agent's key (`permissionDecision`, `updatedInput`) would silently
//! allow the call. These types can only express what it reads.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GeminiReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<GeminiDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<GeminiSpecificWire>,
}

/// `decision`. There is no `allow`: it would skip nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GeminiDecisionWire {
    Ask,
    Deny,
}

/// Fields that only some events accept.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GeminiSpecificWire {
    pub(super) hook_event_name: String,
    #[serde(rename = "tool_input", skip_serializing_if = "Option::is_none")]
    pub(super) tool_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_config: Option<GeminiToolConfigWire>,
}

/// The tools that a request may call, at `BeforeToolSelection`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct GeminiToolConfigWire {
    pub(super) mode: GeminiModeWire,
}

/// No tool at all; Becket never uses the other modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum GeminiModeWire {
    None,
}
