//! Parses Copilot's payloads into events, in either shape.
//!
//! The Claude-like shape names its event; Copilot's own mostly does not, so the name from the command line
//! decides. Lenient for informative fields, strict for fields that a decision depends on: the tool's name, the
//! arguments of a pending call, and the prompt. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::tools::{ARGUMENTS, TOOLS};
use super::{ID, has_own_shape};
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, as_text, other};
use crate::payload;
use crate::protocol::{AgentSpec, EventRow, ToolMap};

const TOOL_NAME: &[&str] = &["toolName", "tool_name"];
const RESULT: &[&str] = &["toolResult", "tool_result", "tool_response"];
const ACTIVE: &[&str] = &["stop_hook_active", "stopHookActive"];
const AGENT_ID: &[&str] = &["agentId", "agent_id"];
const AGENT_TYPE: &[&str] = &["agentType", "agent_type", "agentName", "agent_name"];
const LAST_MESSAGE: &[&str] = &["response", "last_assistant_message"];

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let called = fields.event_name("hookName", hint).ok();
    let name = fields.event_name("hook_event_name", called)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (spelling(row, &raw), data(fields, row.native)?),
        None => (name, other(name, None)),
    };
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(
            fields
                .scalar(&["sessionId", "session_id"])
                .unwrap_or_default(),
        ),
        cwd: fields.filled(&["cwd"]),
        native_name: native_name.to_owned(),
        subagent: subagent(fields),
        transcript: fields.filled(&["transcriptPath", "transcript_path"]),
        data,
        raw,
    })
}

/// The name under which the event was asked for.
fn spelling(row: &EventRow, raw: &Map<String, Value>) -> &'static str {
    match row.aliases.first() {
        Some(pascal) if !has_own_shape(raw) => pascal,
        _ => row.native,
    }
}

fn data(fields: PayloadFields<'_>, name: &str) -> Result<EventData, ParseError> {
    Ok(match name {
        "preToolUse" => EventData::PreToolUse {
            call: call(fields, arguments(fields)?)?,
        },
        // A permission category with its own keys, which are already canonical.
        "permissionRequest" => EventData::PermissionRequest {
            call: ToolMap::CANONICAL.call(
                fields.required_name(TOOL_NAME)?,
                Value::Object(arguments(fields)?),
            ),
        },
        "postToolUse" => finished_call(fields)?,
        "postToolUseFailure" => EventData::PostToolUseFailure {
            call: call(fields, arguments(fields).unwrap_or_default())?,
            error: fields.scalar(&["error"]).unwrap_or_default(),
            interrupted: false,
            duration_ms: None,
        },
        "userPromptSubmitted" => EventData::UserPromptSubmit {
            prompt: fields.required_text(&["prompt"])?,
        },
        "preMcpToolCall" => other(name, mcp_name(fields)),
        // A subagent's `agentStop` is followed by `subagentStop`, which is the relevant one.
        "agentStop" if subagent(fields).is_some() => other(name, fields.text(AGENT_TYPE)),
        "agentStop" => EventData::Stop {
            active: fields.is(ACTIVE),
            last_message: fields.text(LAST_MESSAGE),
        },
        "subagentStart" => EventData::SubagentStart {
            id: fields.scalar(AGENT_ID).unwrap_or_default(),
            kind: fields.text(AGENT_TYPE).unwrap_or_default(),
            description: fields
                .text(&["agentDescription", "agent_description"])
                .or_else(|| fields.text(&["agentDisplayName", "agent_display_name"]))
                .unwrap_or_default(),
        },
        "subagentStop" => EventData::SubagentStop {
            id: fields.scalar(AGENT_ID).unwrap_or_default(),
            kind: fields.text(AGENT_TYPE).unwrap_or_default(),
            active: fields.is(ACTIVE),
            success: true,
            error: None,
            last_message: fields.text(LAST_MESSAGE),
        },
        "sessionStart" => EventData::SessionStart {
            source: fields.text(&["source"]),
        },
        "sessionEnd" => EventData::SessionEnd {
            reason: fields.text(&["reason"]),
        },
        "preCompact" => EventData::PreCompact {
            trigger: fields.text(&["trigger"]),
            instructions: fields.filled(&["customInstructions", "custom_instructions"]),
        },
        "errorOccurred" => session_error(fields),
        "notification" => EventData::Notification {
            kind: fields.text(&["notification_type", "notificationType"]),
            message: fields.text(&["message"]).unwrap_or_default(),
        },
        name => other(name, None),
    })
}

fn call(fields: PayloadFields<'_>, arguments: Map<String, Value>) -> Result<ToolCall, ParseError> {
    let name = fields.required_name(TOOL_NAME)?;
    let patches = ["patch", "input"]
        .iter()
        .filter_map(|key| arguments.get(*key)?.as_str())
        .any(|text| text.trim_start().starts_with("*** Begin Patch"));
    let mut call = TOOLS.call(name, Value::Object(arguments));
    // The Claude-like shape calls a patch an `Edit`, which hides the files it changes.
    if call.name == "Edit" && patches {
        call.name = "ApplyPatch".into();
    }
    Ok(call.with_id(fields.scalar(&["tool_use_id", "toolCallId"])))
}

/// The arguments of a call. Earlier clients sent them as text, and a patch is still text.
fn arguments(fields: PayloadFields<'_>) -> Result<Map<String, Value>, ParseError> {
    match fields.get(ARGUMENTS) {
        Some(Value::String(text)) if text.trim_start().starts_with('{') => {
            payload::read(text.as_bytes()).map_err(|error| ParseError {
                agent: ID,
                message: format!("`toolArgs` is text, but not a JSON object: {error}"),
            })
        }
        Some(Value::String(text)) => Ok([("input".to_owned(), Value::from(text.as_str()))]
            .into_iter()
            .collect()),
        _ => fields.required_object(ARGUMENTS).cloned(),
    }
}

/// `postToolUse` is for success, but the result has its own status field.
fn finished_call(fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let call = call(fields, arguments(fields).unwrap_or_default())?;
    let response = fields.get(RESULT).cloned().unwrap_or(Value::Null);
    let result = fields.of("toolResult", &response);
    let outcome = result.text(&["resultType", "result_type"]);
    let ended_badly = result
        .filled(&["textResultForLlm", "text_result_for_llm"])
        .filter(|_| call.name == "Bash")
        .and_then(|text| ended_badly(&text));
    Ok(match (outcome.as_deref(), ended_badly) {
        (None | Some("success"), Some(error)) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: false,
            duration_ms: None,
        },
        (None | Some("success"), None) => EventData::PostToolUse {
            call,
            response,
            duration_ms: None,
        },
        (Some(outcome), _) => EventData::PostToolUseFailure {
            call,
            error: result
                .filled(&["error", "textResultForLlm", "text_result_for_llm"])
                .unwrap_or_else(|| outcome.to_owned()),
            interrupted: false,
            duration_ms: None,
        },
    })
}

/// The output of a command with a non-zero exit code. The result only says that the tool worked; the exit code is in
/// the last line (`fixtures/copilot/postToolUse/bash`), after the output.
fn ended_badly(text: &str) -> Option<String> {
    let text = text.trim_end();
    let (output, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let told = last.strip_prefix("<shellId: ")?.strip_suffix('>')?;
    let (_, code) = told.split_once(" completed with exit code ")?;
    let code: i32 = code.parse().ok().filter(|code| *code != 0)?;
    Some(
        format!("Exit code {code}\n{}", output.trim())
            .trim_end()
            .to_owned(),
    )
}

fn session_error(fields: PayloadFields<'_>) -> EventData {
    let error = fields.inside("error");
    EventData::SessionError {
        error: error
            .text(&["message"])
            .or_else(|| fields.get(&["error"]).and_then(as_text))
            .unwrap_or_default(),
        code: error.text(&["name"]),
    }
}

fn mcp_name(fields: PayloadFields<'_>) -> Option<String> {
    let server = fields.filled(&["serverName", "server_name"])?;
    let tool = fields.filled(TOOL_NAME)?;
    Some(format!("mcp__{server}__{tool}"))
}

fn subagent(fields: PayloadFields<'_>) -> Option<Subagent> {
    let id = fields.scalar(AGENT_ID).filter(|id| !id.is_empty())?;
    Some(Subagent {
        id,
        kind: fields.filled(AGENT_TYPE),
    })
}

#[cfg(test)]
mod tests {
    use becket_model::EventKind;
    use serde_json::json;

    use super::*;
    use crate::adapter::Adapter;
    use crate::agents::copilot::COPILOT;

    fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
        COPILOT.parse(hint, payload.as_object().unwrap().clone())
    }

    #[test]
    fn the_payloads_own_name_wins_and_the_command_line_names_the_rest() {
        let own = json!({ "sessionId": "s", "prompt": "hi" });
        let like =
            json!({ "session_id": "s", "prompt": "hi", "hook_event_name": "UserPromptSubmit" });
        for (hint, payload, native) in [
            (Some("userPromptSubmitted"), &own, "userPromptSubmitted"),
            (Some("UserPromptSubmit"), &own, "userPromptSubmitted"),
            (Some("preToolUse"), &like, "UserPromptSubmit"),
            (None, &like, "UserPromptSubmit"),
        ] {
            let event = parsed(hint, payload).unwrap();
            assert_eq!(event.kind(), EventKind::UserPromptSubmit);
            assert_eq!(event.native_name, native, "{hint:?}");
            assert_eq!(event.session.as_str(), "s");
        }
        let asked = json!({ "hookName": "permissionRequest", "toolName": "bash", "toolInput": {} });
        assert_eq!(
            parsed(Some("preToolUse"), &asked).unwrap().kind(),
            EventKind::PermissionRequest
        );
        assert_eq!(
            parsed(None, &own).unwrap_err().to_string(),
            "not a valid copilot payload: `hook_event_name` is missing"
        );
    }

    #[test]
    fn a_required_key_that_is_missing_or_of_another_type_is_named() {
        for (payload, expected) in [
            (json!({ "toolArgs": {} }), "`toolName` is missing"),
            (json!({ "toolName": "bash" }), "`toolArgs` is missing"),
            (
                json!({ "tool_name": "Bash", "tool_input": 7 }),
                "`tool_input` is a number, not an object",
            ),
            (
                json!({ "toolName": "bash", "toolArgs": r#"{"command": "ls", "command": "rm"}"# }),
                "`toolArgs` is text, but not a JSON object: the payload has the key `command` twice in one object, at line 1 column 27",
            ),
        ] {
            let error = parsed(Some("preToolUse"), &payload).unwrap_err();
            assert_eq!(error.message, expected);
        }
    }

    #[test]
    fn arguments_that_come_as_text_are_read_all_the_same() {
        let call = |arguments: &str| {
            let payload = json!({ "toolName": "apply_patch", "toolArgs": arguments });
            let event = parsed(Some("preToolUse"), &payload).unwrap();
            event.call().unwrap().clone()
        };
        assert_eq!(call(r#"{"command": "ls"}"#).command(), Some("ls"));
        let patch = "*** Begin Patch\n*** Delete File: a.rs\n*** End Patch\n";
        assert_eq!(call(patch).paths(), ["a.rs"]);
    }

    #[test]
    fn a_patch_under_the_name_edit_shows_the_files_it_touches() {
        let payload = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": { "input": "*** Begin Patch\n*** Update File: b.rs\n*** End Patch" },
        });
        let event = parsed(None, &payload).unwrap();
        assert_eq!(event.paths(), ["b.rs"]);
        assert_eq!(event.call().unwrap().names(), ["ApplyPatch", "Edit"]);
    }

    #[test]
    fn a_subagents_own_stop_is_not_the_agents() {
        let stop = json!({ "sessionId": "c", "agentId": "c", "agentType": "explore" });
        let event = parsed(Some("agentStop"), &stop).unwrap();
        assert_eq!(event.kind(), EventKind::Other("agentStop".into()));
        assert_eq!(event.subject(), Some("explore"));
        let last = parsed(Some("subagentStop"), &stop).unwrap();
        assert_eq!(last.kind(), EventKind::SubagentStop);
    }

    #[test]
    fn a_result_that_is_no_success_is_a_failure() {
        for (result, expected) in [
            (
                json!({ "resultType": "success", "textResultForLlm": "ok" }),
                None,
            ),
            (
                json!({ "result_type": "failure", "text_result_for_llm": "boom" }),
                Some("boom"),
            ),
            (json!({ "resultType": "rejected" }), Some("rejected")),
            (
                json!({ "resultType": "success", "textResultForLlm": "1 failed\n<shellId: 0 completed with exit code 1>" }),
                Some("Exit code 1\n1 failed"),
            ),
            (
                json!({ "resultType": "success", "textResultForLlm": "\n<shellId: 0 completed with exit code 0>" }),
                None,
            ),
            (
                json!({ "resultType": "success", "textResultForLlm": "<shellId: 0 completed with exit code 1>\nis what it said\n<shellId: 0 completed with exit code 0>" }),
                None,
            ),
            (json!("plain text"), None),
            (Value::Null, None),
        ] {
            let payload = json!({ "toolName": "bash", "toolArgs": {}, "toolResult": result });
            match parsed(Some("postToolUse"), &payload).unwrap().data {
                EventData::PostToolUseFailure { error, .. } => {
                    assert_eq!(Some(error.as_str()), expected);
                }
                data => assert_eq!(expected, None, "{data:?}"),
            }
        }
    }
}
