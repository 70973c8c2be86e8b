//! Parses the payloads of Amp's plugin into events.
//!
//! A payload is `{hook, directory, sessionID, …, event}`; `event` is Amp's own object. Strict for fields that
//! a decision depends on: a pending call, and the prompt. An unknown event name becomes
//! [`EventData::Other`]. Start at [`parse`].

use becket_model::{Event, EventData, ToolCall};
use serde_json::{Map, Value};

use super::events::{AGENT_END, TOOL_CALL};
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::tools::{KeyRow, ToolRow, UnmentionedKeys};
use crate::protocol::{AgentSpec, ToolMap, plugin};

const PATH: KeyRow = KeyRow::same("path", "file_path");
const GLOB: KeyRow = KeyRow::same("filePattern", "pattern");

/// Amp's tools and their keys, as Amp itself translates them from Claude's. Tools of servers already have names
/// like `mcp__server__tool`.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("Bash",                "Bash",       &[KeyRow::same("cmd", "command")]),
        ToolRow::new("shell_command",       "Bash",       &[]),
        ToolRow::new("async_shell_command", "Bash",       &[]),
        ToolRow::new("Read",                "Read",       &[PATH]),
        ToolRow::new("create_file",         "Write",      &[PATH]),
        ToolRow::new("edit_file",           "Edit",       &[PATH, KeyRow::same("old_str", "old_string"), KeyRow::same("new_str", "new_string")]),
        ToolRow::new("delete_file",         "Delete",     &[PATH]),
        ToolRow::new("apply_patch",         "ApplyPatch", &[KeyRow::same("patchText", "patch")]),
        ToolRow::new("glob",                "Glob",       &[GLOB]),
        ToolRow::new("Glob",                "Glob",       &[GLOB]),
        ToolRow::new("read_web_page",       "WebFetch",   &[]),
        ToolRow::new("web_search",          "WebSearch",  &[KeyRow::same("objective", "query")]),
    ],
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let top = PayloadFields::new(spec.id, &raw);
    let name = top.event_name("hook", hint)?;
    let native_name = spec.find(name).map_or(name, |row| row.native).to_owned();
    let data = data(top, top.inside("event"), &native_name)?;
    let thread = top.inside("event.thread");
    let session = top.filled("sessionID").or_else(|| thread.filled("id"));
    Ok(plugin::event(spec, native_name, session, data, raw))
}

fn data(
    top: PayloadFields<'_>,
    event: PayloadFields<'_>,
    name: &str,
) -> Result<EventData, ParseError> {
    Ok(match name {
        TOOL_CALL => EventData::PreToolUse {
            call: call(event, event.required_object(&["input"]).cloned()?)?,
        },
        "tool.result" => finished_call(event)?,
        "agent.start" => EventData::UserPromptSubmit {
            prompt: event.required_text(&["message"])?,
        },
        AGENT_END => agent_end(top, event),
        "session.start" => EventData::SessionStart {
            source: Some("startup".into()),
        },
        "dispose" => EventData::SessionEnd {
            reason: Some("exit".into()),
        },
        name => other(name, event.text(&["workflow"])),
    })
}

fn call(event: PayloadFields<'_>, input: Map<String, Value>) -> Result<ToolCall, ParseError> {
    let tool = event.required_name(&["tool"])?;
    let call = TOOLS.call(tool, Value::Object(input));
    Ok(call.with_id(event.scalar(&["toolUseID"])))
}

/// A failed command has the status `done`, with its exit code in the output.
fn finished_call(event: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let input = event
        .required_object(&["input"])
        .cloned()
        .unwrap_or_default();
    let call = call(event, input)?;
    let status = event.text(&["status"]);
    Ok(match status.as_deref() {
        Some(status @ ("error" | "cancelled")) => EventData::PostToolUseFailure {
            call,
            error: event
                .scalar(&["error", "output"])
                .unwrap_or_else(|| status.to_owned()),
            interrupted: status == "cancelled",
            duration_ms: None,
        },
        _ => EventData::PostToolUse {
            call,
            response: event.get(&["output"]).cloned().unwrap_or(Value::Null),
            duration_ms: None,
        },
    })
}

/// A turn that the user cancelled is not a stop: a hook that keeps the agent working would override the user.
fn agent_end(top: PayloadFields<'_>, event: PayloadFields<'_>) -> EventData {
    match event.text(&["status"]).as_deref() {
        Some("error") => EventData::SessionError {
            error: last_text(event).unwrap_or_else(|| "the turn ended in an error".into()),
            code: None,
        },
        Some("cancelled") => other(AGENT_END, Some("cancelled".into())),
        _ => EventData::Stop {
            active: top.is(&["continued"]),
            last_message: last_text(event),
        },
    }
}

/// The text of the agent's last message.
fn last_text(event: PayloadFields<'_>) -> Option<String> {
    let messages = event.get(&["messages"])?.as_array()?;
    let last = messages.iter().rev().find(|m| m["role"] == "assistant")?;
    let blocks = last["content"].as_array()?;
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use becket_model::EventKind;
    use serde_json::json;

    use super::*;
    use crate::adapter::Adapter;
    use crate::agents::amp::AMP;

    fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
        AMP.parse(hint, payload.as_object().unwrap().clone())
    }

    #[test]
    fn the_payloads_own_name_wins_over_the_canonical_one_of_the_command_line() {
        let call =
            json!({ "hook": "tool.call", "event": { "tool": "Bash", "input": { "cmd": "ls" } } });
        for hint in [None, Some("PreToolUse"), Some("Stop")] {
            let event = parsed(hint, &call).unwrap();
            assert_eq!(event.native_name, "tool.call");
            assert_eq!(event.call().unwrap().command(), Some("ls"));
        }
        assert_eq!(
            parsed(None, &json!({})).unwrap_err().to_string(),
            "not a valid amp payload: `hook` is missing"
        );
    }

    #[test]
    fn a_required_key_that_is_missing_or_of_another_type_is_named() {
        for (payload, expected) in [
            (
                json!({ "hook": "tool.call", "event": { "input": {} } }),
                "`event.tool` is missing",
            ),
            (
                json!({ "hook": "tool.call", "event": { "tool": "Bash", "input": "ls" } }),
                "`event.input` is a string, not an object",
            ),
            (
                json!({ "hook": "agent.start" }),
                "`event.message` is missing",
            ),
        ] {
            assert_eq!(parsed(None, &payload).unwrap_err().message, expected);
        }
    }

    #[test]
    fn turn_end_status_is_parsed() {
        let end = |status: &str| {
            let event = json!({ "status": status, "messages": [
                { "role": "assistant", "content": [{ "type": "text", "text": "first" }] },
                { "role": "assistant", "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "done" }] },
                { "role": "user", "content": [] },
            ] });
            parsed(
                None,
                &json!({ "hook": "agent.end", "event": event, "continued": true }),
            )
            .unwrap()
        };
        let stop = EventData::Stop {
            active: true,
            last_message: Some("done".into()),
        };
        assert_eq!(end("done").data, stop);
        assert_eq!(end("error").kind(), EventKind::SessionError);
        assert_eq!(end("cancelled").subject(), Some("cancelled"));
    }
}
