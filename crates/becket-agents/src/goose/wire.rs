//! Goose's reply format.
//!
//! An entry with `on_failure: "block"` treats any other output as a denial, including `{}`, so no output is the
//! only way to express no opinion.

use serde::Serialize;

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct GooseReplyWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<GooseBlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// The only value that blocks: `deny` would let the tool run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GooseBlockWire {
    Block,
}
