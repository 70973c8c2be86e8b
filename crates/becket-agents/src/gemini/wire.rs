//! Gemini CLI's reply, in Gemini's own words.
//!
//! Gemini ignores what it does not know, so a word of another agent's (`permissionDecision`,
//! `updatedInput`) would be a quiet allow. These types can only say what it reads.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<SpecificWire>,
}

/// `decision`. There is no `allow`: it would skip nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionWire {
    Ask,
    Deny,
}

/// What only some events take.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpecificWire {
    pub(super) hook_event_name: String,
    #[serde(rename = "tool_input", skip_serializing_if = "Option::is_none")]
    pub(super) tool_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_config: Option<ToolConfigWire>,
}

/// Which tools a request may call, at `BeforeToolSelection`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ToolConfigWire {
    pub(super) mode: ModeWire,
}

/// No tool at all; the other modes are never asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum ModeWire {
    None,
}
