//! Cline's reply, in Cline's own words.
//!
//! VS Code ignores a reply as a whole if a value has the wrong type, and the command line ignores
//! exit codes, so that JSON on stdout is the only way to be heard by both.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire {
    /// Aborts the run; the tool does not happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cancel: Option<bool>,
    /// Why the run is cancelled. Without a cancellation it would be read as context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_modification: Option<String>,
    /// Replaces the tool's input whole, on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) override_input: Option<Map<String, Value>>,
}
