//! Gemini CLI's additions to Claude's payloads.
//!
//! Gemini sends no ids for calls or subagents.

use becket_model::{Event, EventData};
use serde_json::{Map, Value};

use super::GEMINI;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, as_text};
use crate::protocol::claude_payload::{self, reported_call};
use crate::protocol::tools::{KeyRow, ToolRow, UnmentionedKeys};
use crate::protocol::{AgentSpec, EventRow, ToolMap};

/// Gemini's placeholder for a turn without text.
const NO_RESPONSE: &str = "[no response text]";

/// Tools whose name or keys differ from the canonical ones; file tools already have `file_path`.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("read_many_files", "Read", &[KeyRow::same("include", "file_paths")]),
        ToolRow::new("list_directory",  "List", &[KeyRow::same("dir_path", "path")]),
        ToolRow::new("glob",            "Glob", &[KeyRow::same("dir_path", "path")]),
        ToolRow::new("grep_search",     "Grep", &[KeyRow::same("dir_path", "path")]),
        ToolRow::new("invoke_agent",    "Task", &[]),
    ],
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// Parses a payload. The name of a server's tool (`mcp_server_tool`) is ambiguous; the fields next to it are not.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let mut event = claude_payload::parse(spec, hint, raw)?;
    let name = mcp_name(PayloadFields::new(spec.id, &event.raw));
    if let (Some(name), Some(call)) = (name, event.data.call_mut()) {
        call.name = name;
    }
    Ok(event)
}

/// The events without Claude's shape.
pub(super) fn data(fields: PayloadFields<'_>, row: &EventRow) -> Option<EventData> {
    match row.native {
        "AfterTool" => failed_call(fields),
        "AfterAgent" => Some(EventData::Stop {
            active: fields.is("stop_hook_active"),
            last_message: fields
                .text("prompt_response")
                .filter(|text| text != NO_RESPONSE),
        }),
        "BeforeModel" => Some(EventData::PreModelRequest),
        "AfterModel" => Some(EventData::PostModelRequest),
        _ => None,
    }
}

fn mcp_name(fields: PayloadFields<'_>) -> Option<String> {
    let context = fields.inside("mcp_context");
    let server = context.filled("server_name")?;
    let tool = context.filled("tool_name")?;
    Some(format!("mcp__{server}__{tool}"))
}

/// `AfterTool` is for success and failure. A failed shell command has no `error`: its exit code is in the text
/// for the model.
fn failed_call(fields: PayloadFields<'_>) -> Option<EventData> {
    let call = reported_call(&GEMINI, fields).ok()?;
    let response = fields.get("tool_response")?;
    let error = match response.get("error") {
        None | Some(Value::Null) if call.native_name == "run_shell_command" => {
            ended_badly(response)?
        }
        None | Some(Value::Null) => return None,
        Some(error) => {
            let message = error.get("message").and_then(as_text);
            message.or_else(|| as_text(error)).unwrap_or_default()
        }
    };
    Some(EventData::PostToolUseFailure {
        call,
        error,
        interrupted: false,
        duration_ms: None,
    })
}

/// Lines that may follow the output of a command.
const BEHIND: [&str; 5] = [
    "Error: ",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
];

/// The output of a command with a non-zero exit code (`fixtures/gemini/AfterTool/shell`). Only the lines that Gemini
/// appended count: the output itself, which is repeated in `returnDisplay`, may contain anything.
fn ended_badly(response: &Value) -> Option<String> {
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    let (content, shown) = (text("llmContent")?.trim(), text("returnDisplay")?.trim());
    let content = content
        .strip_prefix("<untrusted_context>")
        .and_then(|content| content.strip_suffix("</untrusted_context>"))
        .unwrap_or(content);
    let output = content.trim().strip_prefix("Output: ")?;
    let behind = output
        .strip_prefix("(empty)")
        .or_else(|| output.strip_prefix(shown))?;
    let mut lines = behind
        .trim_start_matches([' ', '\r'])
        .strip_prefix('\n')?
        .lines();
    if !lines
        .clone()
        .all(|line| BEHIND.iter().any(|key| line.starts_with(key)))
    {
        return None;
    }
    let code = lines.find_map(|line| line.strip_prefix("Exit Code: "))?;
    let code: i32 = code.trim().parse().ok().filter(|code| *code != 0)?;
    Some(format!("Exit code {code}\n{shown}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use becket_model::EventKind;
    use serde_json::json;

    use super::*;
    use crate::adapter::Adapter;

    fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
        GEMINI.parse(hint, payload.as_object().unwrap().clone())
    }

    #[test]
    fn the_event_name_comes_from_the_payload_then_from_the_command_line() {
        let bare = json!({ "prompt": "hi" });
        let named = json!({ "prompt": "hi", "hook_event_name": "BeforeAgent" });
        for (hint, payload) in [
            (Some("BeforeAgent"), &bare),
            (Some("prompt-submit"), &bare),
            (Some("BeforeTool"), &named),
            (None, &named),
        ] {
            let event = parsed(hint, payload).unwrap();
            assert_eq!(event.kind(), EventKind::UserPromptSubmit, "{hint:?}");
            assert_eq!(event.native_name, "BeforeAgent");
        }
        assert_eq!(
            parsed(None, &bare).unwrap_err().to_string(),
            "not a valid gemini payload: `hook_event_name` is missing"
        );
    }

    #[test]
    fn a_required_key_that_is_missing_or_of_another_type_is_named() {
        for (payload, expected) in [
            (
                json!({ "hook_event_name": "BeforeTool", "tool_input": {} }),
                "`tool_name` is missing",
            ),
            (
                json!({ "hook_event_name": "BeforeTool", "tool_name": "glob", "tool_input": [] }),
                "`tool_input` is an array, not an object",
            ),
            (
                json!({ "hook_event_name": "AfterTool", "tool_name": "" }),
                "`tool_name` is empty",
            ),
            (
                json!({ "hook_event_name": "BeforeAgent" }),
                "`prompt` is missing",
            ),
        ] {
            assert_eq!(parsed(None, &payload).unwrap_err().message, expected);
        }
    }

    #[test]
    fn a_tool_of_a_server_is_named_by_what_stands_beside_its_name() {
        let payload = json!({
            "hook_event_name": "BeforeTool", "tool_name": "mcp_my_git_log_all", "tool_input": {},
            "mcp_context": { "server_name": "my_git", "tool_name": "log_all" },
        });
        let event = parsed(None, &payload).unwrap();
        let names = event.call().unwrap().names();
        assert_eq!(names, ["mcp__my_git__log_all", "mcp_my_git_log_all"]);
    }

    #[test]
    fn a_tool_has_failed_when_gemini_says_so_and_not_when_its_text_does() {
        let shell = |shown: &str, content: &str| {
            let content = format!("<untrusted_context>\n{content}\n</untrusted_context>");
            json!({ "llmContent": content, "returnDisplay": shown })
        };
        let post = |response: Value| {
            let payload = json!({
                "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_response": response,
            });
            parsed(None, &payload).unwrap().data
        };
        for (response, expected) in [
            (
                json!({ "error": { "message": "no such file", "type": "x" } }),
                Some("no such file"),
            ),
            (json!({ "error": "boom" }), Some("boom")),
            (json!({ "error": { "code": 7 } }), Some(r#"{"code":7}"#)),
            (json!({ "error": null, "llmContent": "Exit Code: 3" }), None),
            (Value::Null, None),
            (
                shell("ran", "Output: ran\nExit Code: 3\nProcess Group PGID: 1"),
                Some("Exit code 3\nran"),
            ),
            (
                shell(
                    "Command exited with code: 1",
                    "Output: (empty)\nExit Code: 1",
                ),
                Some("Exit code 1\nCommand exited with code: 1"),
            ),
            (
                shell("a\nb", "Output: a\nb\nExit Code: 0\nProcess Group PGID: 1"),
                None,
            ),
            // The output contains the line, Gemini did not append it.
            (
                shell(
                    "a\nExit Code: 3",
                    "Output: a\nExit Code: 3\nProcess Group PGID: 1",
                ),
                None,
            ),
            (
                shell(
                    "a",
                    "Output: a and more\nExit Code: 3\nProcess Group PGID: 1",
                ),
                None,
            ),
            (shell("a", "Exit Code: 3\nProcess Group PGID: 1"), None),
        ] {
            match post(response.clone()) {
                EventData::PostToolUseFailure { error, .. } => {
                    assert_eq!(Some(error.as_str()), expected, "{response}");
                }
                EventData::PostToolUse { .. } => assert_eq!(expected, None, "{response}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
