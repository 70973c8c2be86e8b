//! Goose's reply, in Goose's own words.
//!
//! An entry with `on_failure: "block"` has any other text than this read as a refusal, `{}` included,
//! so that silence is the only way to say nothing.

use serde::Serialize;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct ReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<BlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// The one word that refuses: `deny` would let the tool run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BlockWire {
    Block,
}
