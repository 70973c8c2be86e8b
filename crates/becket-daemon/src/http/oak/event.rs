//! Parses a request into an event. Pure.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use becket_model::EventKind;
use serde_json::Value;

use super::body::{OakBody, value_text};

const SESSION: [&str; 5] = [
    "session_id",
    "sessionId",
    "conversation_id",
    "conversationId",
    "trajectory_id",
];
const THREAD: [&str; 2] = ["thread-id", "thread_id"];
const TURN: [&str; 6] = [
    "generation_id",
    "generationId",
    "execution_id",
    "turn_id",
    "turn-id",
    "prompt_id",
];
const PROJECT: [&str; 5] = [
    "project_root",
    "project",
    "cwd",
    "workspace",
    "workspace_root",
];
const RESPONSE: [&str; 5] = [
    "response_summary",
    "prompt_response",
    "response",
    "last_assistant_message",
    "last-assistant-message",
];

/// An event of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OakEvent {
    /// The session's id; empty if the body has none.
    pub(super) session: String,
    /// The calling agent, as it names itself.
    pub(super) agent: String,
    pub(super) generation: Option<String>,
    pub(super) project: Option<String>,
    pub(super) transcript: Option<String>,
    pub(super) kind: OakEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OakEventKind {
    SessionStart {
        source: Option<String>,
        parent: Option<String>,
    },
    Prompt(String),
    PreTool(OakTool),
    PostTool {
        tool: OakTool,
        output: Value,
    },
    ToolFailure {
        tool: OakTool,
        error: String,
    },
    Stop {
        response: Option<String>,
    },
    SessionEnd {
        reason: Option<String>,
    },
    SubagentStart {
        id: String,
        kind: String,
        description: String,
    },
    SubagentStop {
        id: String,
        kind: String,
        response: Option<String>,
        transcript: Option<String>,
    },
    PreCompact {
        trigger: Option<String>,
    },
    Thought(String),
    /// The answer of a turn, reported separately from its end.
    Response(String),
    Notice {
        kind: Option<String>,
        message: String,
    },
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OakTool {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) id: Option<String>,
}

/// Parses a request; `None` for an unknown endpoint. Event names are accepted in any spelling.
pub(super) fn parse(endpoint: &str, body: &OakBody) -> Option<OakEvent> {
    let kind = if endpoint == "notify" {
        parse_notification(body)
    } else {
        parse_kind(&EventKind::parse(endpoint), body)?
    };
    let session = body.id(&SESSION).or_else(|| body.id(&THREAD));
    Some(OakEvent {
        session: session.unwrap_or_default(),
        agent: body.id(&["agent"]).unwrap_or_else(|| "unknown".into()),
        generation: body.id(&TURN),
        project: body.text(&PROJECT).or_else(|| first_root(body)),
        transcript: body.text(&["transcript_path", "transcriptPath"]),
        kind,
    })
}

fn first_root(body: &OakBody) -> Option<String> {
    let roots = body.value(&["workspace_roots"])?.as_array()?;
    roots.first()?.as_str().map(str::to_owned)
}

fn parse_kind(kind: &EventKind, body: &OakBody) -> Option<OakEventKind> {
    Some(match kind {
        EventKind::SessionStart => OakEventKind::SessionStart {
            source: body.text(&["source"]),
            parent: body.id(&["parent_session_id", "parentSessionId"]),
        },
        EventKind::UserPromptSubmit => {
            OakEventKind::Prompt(body.text(&["prompt", "user_prompt"]).unwrap_or_default())
        }
        EventKind::PreToolUse => OakEventKind::PreTool(tool(body)),
        EventKind::PostToolUse => {
            let tool = tool(body);
            let output = output(&tool.name, body);
            OakEventKind::PostTool { tool, output }
        }
        EventKind::PostToolUseFailure => OakEventKind::ToolFailure {
            tool: tool(body),
            error: error(body),
        },
        EventKind::Stop => OakEventKind::Stop {
            response: body.text(&RESPONSE),
        },
        EventKind::SessionEnd => OakEventKind::SessionEnd {
            reason: body.text(&["reason"]),
        },
        EventKind::SubagentStart => OakEventKind::SubagentStart {
            id: subagent_id(body),
            kind: subagent_kind(body),
            description: body.text(&["description", "task"]).unwrap_or_default(),
        },
        EventKind::SubagentStop => OakEventKind::SubagentStop {
            id: subagent_id(body),
            kind: subagent_kind(body),
            response: body.text(&RESPONSE),
            transcript: body.text(&["agent_transcript_path"]),
        },
        EventKind::PreCompact => OakEventKind::PreCompact {
            trigger: body.text(&["trigger"]),
        },
        EventKind::AgentThought => {
            OakEventKind::Thought(body.text(&["text", "thought"]).unwrap_or_default())
        }
        EventKind::Notification => parse_notification(body),
        _ => return None,
    })
}

/// Codex reports a completed turn with its answer to its `notify` program.
fn parse_notification(body: &OakBody) -> OakEventKind {
    let kind = body.text(&["type", "notification_type", "event"]);
    let answer = body.text(&["last-assistant-message", "last_assistant_message"]);
    match (kind.as_deref(), answer) {
        (Some("agent-turn-complete"), Some(answer)) => OakEventKind::Response(answer),
        _ => OakEventKind::Notice {
            message: body.text(&["message", "title"]).unwrap_or_default(),
            kind,
        },
    }
}

fn tool(body: &OakBody) -> OakTool {
    let name = body.id(&["tool_name", "toolName", "tool"]);
    let input = body.value(&["tool_input", "toolInput", "tool_args", "toolArgs"]);
    OakTool {
        name: name.unwrap_or_else(|| "unknown".into()),
        input: input.cloned().unwrap_or_default(),
        id: body.id(&["tool_use_id", "toolUseId", "tool_call_id", "call_id"]),
    }
}

/// The output of a tool. JSON text is parsed, because it has separate fields for standard error and changed files; but
/// the content of a file that was read stays text.
fn output(tool: &str, body: &OakBody) -> Value {
    let plain = [
        "tool_output",
        "tool_response",
        "toolResponse",
        "tool_result",
    ];
    let given = match body
        .text(&["tool_output_b64"])
        .and_then(|b64| decode_base64(&b64))
    {
        Some(text) => Value::String(text),
        None => body.value(&plain).cloned().unwrap_or_default(),
    };
    match &given {
        Value::String(text) if tool != "Read" && text.trim_start().starts_with('{') => {
            match serde_json::from_str(text) {
                Ok(Value::Object(fields)) => Value::Object(fields),
                _ => given,
            }
        }
        _ => given,
    }
}

/// With or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn decode_base64(text: &str) -> Option<String> {
    let bytes = BASE64.decode(text.trim()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn error(body: &OakBody) -> String {
    let given = body.value(&["error_message", "errorMessage", "error"]);
    let given = given.map(value_text).filter(|text| !text.is_empty());
    given.unwrap_or_else(|| match output("Read", body) {
        Value::Null => "failed".into(),
        output => value_text(&output),
    })
}

fn subagent_id(body: &OakBody) -> String {
    let id = body.id(&["agent_id", "subagent_id", "agentId"]);
    id.unwrap_or_default()
}

fn subagent_kind(body: &OakBody) -> String {
    let kind = body.text(&["agent_type", "subagent_type", "agentType"]);
    kind.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(endpoint: &str, body: Value) -> OakEvent {
        let Value::Object(fields) = body else {
            panic!("an object")
        };
        parse(endpoint, &OakBody::new(fields)).expect("an endpoint")
    }

    #[test]
    fn session_id_is_read_from_all_known_fields() {
        for (body, expected) in [
            (json!({ "session_id": "a", "conversation_id": "b" }), "a"),
            (json!({ "session_id": "", "conversation_id": "b" }), "b"),
            (json!({ "sessionId": "a" }), "a"),
            (json!({ "conversationId": "a" }), "a"),
            (json!({ "trajectory_id": "a" }), "a"),
            (json!({ "session_id": 7 }), "7"),
            (json!({ "session_id": "x".repeat(257) }), ""),
            (json!({ "session_id": { "a": 1 } }), ""),
            (json!({}), ""),
        ] {
            assert_eq!(event("stop", body.clone()).session, expected, "{body}");
        }
        let notified = event("notify", json!({ "thread-id": "t" }));
        assert_eq!(notified.session, "t");
    }

    #[test]
    fn endpoints_are_accepted_in_every_spelling() {
        for (name, expected) in [
            ("session-start", true),
            ("SessionStart", true),
            ("prompt-submit", true),
            ("beforeSubmitPrompt", true),
            ("PreCompress", true),
            ("agent-thought", true),
            ("notify", true),
            ("before-prompt", false),
            ("", false),
        ] {
            assert_eq!(
                parse(name, &OakBody::default()).is_some(),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn prompts_that_are_not_strings_are_accepted() {
        for (body, expected) in [
            (json!({ "prompt": "fix it" }), "fix it"),
            (json!({ "user_prompt": "fix it" }), "fix it"),
            (
                json!({ "tool_info": { "user_prompt": "fix it" } }),
                "fix it",
            ),
            (json!({ "prompt": ["a"] }), r#"["a"]"#),
            (json!({ "prompt": null }), ""),
        ] {
            let found = event("prompt-submit", body.clone()).kind;
            assert_eq!(found, OakEventKind::Prompt(expected.into()), "{body}");
        }
    }

    #[test]
    fn base64_output_wins_and_json_output_is_parsed() {
        let b64 = |text: &str| BASE64.encode(text);
        for (body, expected) in [
            (json!({ "tool_output": "plain" }), json!("plain")),
            (
                json!({ "tool_output": "plain", "tool_output_b64": b64("über") }),
                json!("über"),
            ),
            (
                json!({ "tool_output_b64": b64("ab").trim_end_matches('=') }),
                json!("ab"),
            ),
            (
                json!({ "tool_output": "plain", "tool_output_b64": "%%%" }),
                json!("plain"),
            ),
            (
                json!({ "tool_output_b64": b64(r#"{"stdout":"","stderr":"no"}"#) }),
                json!({ "stdout": "", "stderr": "no" }),
            ),
            (json!({ "tool_output": "{ not json" }), json!("{ not json")),
            (
                json!({ "tool_response": { "type": "update" } }),
                json!({ "type": "update" }),
            ),
            (
                json!({ "tool_name": "Read", "tool_output": "{\"a\":1}" }),
                json!("{\"a\":1}"),
            ),
            (json!({}), Value::Null),
        ] {
            let OakEventKind::PostTool { output, .. } = event("post-tool-use", body.clone()).kind
            else {
                panic!("a tool")
            };
            assert_eq!(output, expected, "{body}");
        }
    }

    #[test]
    fn tool_error_is_read_from_text_message_or_output() {
        for (body, expected) in [
            (json!({ "error_message": "no" }), "no"),
            (json!({ "error": { "message": "no" } }), "no"),
            (json!({ "error": "no" }), "no"),
            (json!({ "tool_output": "no" }), "no"),
            (json!({}), "failed"),
        ] {
            let OakEventKind::ToolFailure { error, .. } =
                event("post-tool-use-failure", body.clone()).kind
            else {
                panic!("a failure")
            };
            assert_eq!(error, expected, "{body}");
        }
    }

    #[test]
    fn completed_turn_notification_carries_the_answer() {
        let body = json!({
            "type": "agent-turn-complete", "thread-id": "t", "turn-id": "4",
            "last-assistant-message": "All done.",
        });
        let complete = event("notify", body);
        assert_eq!(complete.kind, OakEventKind::Response("All done.".into()));
        assert_eq!(complete.generation.as_deref(), Some("4"));
        let other = event(
            "notify",
            json!({ "type": "approval-requested", "message": "?" }),
        );
        let notice = OakEventKind::Notice {
            kind: Some("approval-requested".into()),
            message: "?".into(),
        };
        assert_eq!(other.kind, notice);
    }
}
