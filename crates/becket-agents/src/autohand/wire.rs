//! Autohand's reply, in Autohand's own words.
//!
//! Autohand refuses the call if one value has the wrong type, and `null` is one, although its document
//! shows it: what is not said is left out.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
}

/// `decision`. `block` means the same as `deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionWire {
    Allow,
    Ask,
    Deny,
}
