//! Devin's reply, in Devin's own words: the older form of Claude's.

use serde::Serialize;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<SpecificWire>,
}

/// `decision`. `deny` means the same as `block`, which is understood at every event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionWire {
    Approve,
    Block,
}

/// Text for the model, at the start and with a prompt.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpecificWire {
    pub(super) hook_event_name: &'static str,
    pub(super) additional_context: String,
}
