//! Cursor's reply format.
//!
//! At an event with a permission, Cursor treats a value of the wrong type as a denial, and no reply as a
//! failed hook: an object is always written, and these types can only express valid replies.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct CursorReplyWire {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission: Option<CursorPermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) followup_message: Option<String>,
}

/// `permission`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CursorPermissionWire {
    Allow,
    Ask,
    Deny,
}
