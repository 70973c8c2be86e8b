//! Devin's reply format: the older form of Claude's.

use serde::Serialize;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevinReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DevinDecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<DevinSpecificWire>,
}

/// `decision`. `deny` means the same as `block`, which every event accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DevinDecisionWire {
    Approve,
    Block,
}

/// Text for the model, at the start and with a prompt.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevinSpecificWire {
    pub(super) hook_event_name: &'static str,
    pub(super) additional_context: String,
}
