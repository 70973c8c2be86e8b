//! Cline's reply format.
//!
//! VS Code ignores a whole reply if a value has the wrong type, and the command line ignores exit codes, so
//! JSON on stdout is the only way to reach both.

use serde::Serialize;
use serde_json::{Map, Value};

/// The object that a hook prints.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClineReplyWire {
    /// Aborts the run; the tool does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cancel: Option<bool>,
    /// Why the run is cancelled. Without a cancellation it would be treated as context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_modification: Option<String>,
    /// Replaces the tool's whole input, on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) override_input: Option<Map<String, Value>>,
}
