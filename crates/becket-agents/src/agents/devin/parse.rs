//! Parses Devin's payloads into events: Claude Code's, with three differences.
//!
//! The shell tool is `exec`, a compaction is reported as `PostCompaction` with its `summary`, and no payload has
//! a directory. A failed tool is reported as `PostToolUse` with a failure in its response, which Claude's parser
//! already handles.

use becket_model::{AgentId, Event, EventData, EventKind};
use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::agents::claude::CLAUDE;
use crate::protocol::{AgentSpec, claude_payload};

/// Parses a payload. Its own event name takes precedence over the one from the command line. An event that
/// is not in Devin's table is read as Claude's.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let event = claude_payload::parse(&CLAUDE, hint, raw);
    let mut event = event.map_err(|error| ParseError {
        agent: spec.id,
        ..error
    })?;
    event.agent = AgentId::new(spec.id);
    if let Some(row) = spec.find(&event.native_name) {
        row.native.clone_into(&mut event.native_name);
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
