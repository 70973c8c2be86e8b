//! Parses Devin's payloads into events: Claude Code's, with three differences.
//!
//! The shell tool is `exec`, a compaction is reported as `PostCompaction` with its `summary`, and no payload has
//! a directory. A failed tool is reported as `PostToolUse` with a failure in its response, which Claude's parser
//! already handles.

use becket_model::{AgentId, Event, EventData, EventKind};
use serde_json::{Map, Value};

use super::{ID, events};
use crate::adapter::{Adapter, ParseError};
use crate::claude::CLAUDE;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let mut event = CLAUDE
        .parse(hint, raw)
        .map_err(|error| ParseError { agent: ID, ..error })?;
    event.agent = AgentId::new(ID);
    if let Some(native) = events::find(&event.native_name) {
        native.name.clone_into(&mut event.native_name);
    }
    if event.native_name == "PostCompaction" || event.kind() == EventKind::PostCompact {
        let summary = event.raw.get("summary").and_then(Value::as_str);
        event.data = EventData::PostCompact {
            trigger: None,
            summary: summary.map(str::to_owned),
        };
    }
    if let Some(call) = event.data.call_mut()
        && call.native_name == "exec"
    {
        "Bash".clone_into(&mut call.name);
    }
    Ok(event)
}
