//! What a request tells, taken out of its body. Pure.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use becket::model::EventKind;
use serde_json::Value;

use super::body::{Body, said};

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

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// Empty if the body names none.
    pub(super) session: String,
    /// The caller, in its own word.
    pub(super) agent: String,
    pub(super) generation: Option<String>,
    pub(super) project: Option<String>,
    pub(super) transcript: Option<String>,
    pub(super) what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    SessionStart {
        source: Option<String>,
        parent: Option<String>,
    },
    Prompt(String),
    PreTool(Tool),
    PostTool {
        tool: Tool,
        output: Value,
    },
    ToolFailure {
        tool: Tool,
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
    /// The answer of a turn, told apart from its end.
    Response(String),
    Notice {
        kind: Option<String>,
        message: String,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) id: Option<String>,
}

/// What is told at an endpoint; `None` if there is no such endpoint. Any spelling of an event's
/// name will do, as everywhere.
pub(super) fn read(endpoint: &str, body: &Body) -> Option<Told> {
    let what = if endpoint == "notify" {
        notified(body)
    } else {
        happened(&EventKind::parse(endpoint), body)?
    };
    let session = body.id(&SESSION).or_else(|| body.id(&THREAD));
    Some(Told {
        session: session.unwrap_or_default(),
        agent: body.id(&["agent"]).unwrap_or_else(|| "unknown".into()),
        generation: body.id(&TURN),
        project: body.filled(&PROJECT).or_else(|| first_root(body)),
        transcript: body.filled(&["transcript_path", "transcriptPath"]),
        what,
    })
}

fn first_root(body: &Body) -> Option<String> {
    let roots = body.value(&["workspace_roots"])?.as_array()?;
    roots.first()?.as_str().map(str::to_owned)
}

fn happened(kind: &EventKind, body: &Body) -> Option<What> {
    Some(match kind {
        EventKind::SessionStart => What::SessionStart {
            source: body.filled(&["source"]),
            parent: body.id(&["parent_session_id", "parentSessionId"]),
        },
        EventKind::UserPromptSubmit => {
            What::Prompt(body.filled(&["prompt", "user_prompt"]).unwrap_or_default())
        }
        EventKind::PreToolUse => What::PreTool(tool(body)),
        EventKind::PostToolUse => {
            let tool = tool(body);
            let output = output(&tool.name, body);
            What::PostTool { tool, output }
        }
        EventKind::PostToolUseFailure => What::ToolFailure {
            tool: tool(body),
            error: error(body),
        },
        EventKind::Stop => What::Stop {
            response: body.filled(&RESPONSE),
        },
        EventKind::SessionEnd => What::SessionEnd {
            reason: body.filled(&["reason"]),
        },
        EventKind::SubagentStart => What::SubagentStart {
            id: subagent(body),
            kind: subagent_kind(body),
            description: body.filled(&["description", "task"]).unwrap_or_default(),
        },
        EventKind::SubagentStop => What::SubagentStop {
            id: subagent(body),
            kind: subagent_kind(body),
            response: body.filled(&RESPONSE),
            transcript: body.filled(&["agent_transcript_path"]),
        },
        EventKind::PreCompact => What::PreCompact {
            trigger: body.filled(&["trigger"]),
        },
        EventKind::AgentThought => {
            What::Thought(body.filled(&["text", "thought"]).unwrap_or_default())
        }
        EventKind::Notification => notified(body),
        _ => return None,
    })
}

/// Codex tells its `notify` program that a turn is complete, and with what answer.
fn notified(body: &Body) -> What {
    let kind = body.filled(&["type", "notification_type", "event"]);
    let answer = body.filled(&["last-assistant-message", "last_assistant_message"]);
    match (kind.as_deref(), answer) {
        (Some("agent-turn-complete"), Some(answer)) => What::Response(answer),
        _ => What::Notice {
            message: body.filled(&["message", "title"]).unwrap_or_default(),
            kind,
        },
    }
}

fn tool(body: &Body) -> Tool {
    let name = body.id(&["tool_name", "toolName", "tool"]);
    let input = body.value(&["tool_input", "toolInput", "tool_args", "toolArgs"]);
    Tool {
        name: name.unwrap_or_else(|| "unknown".into()),
        input: input.cloned().unwrap_or_default(),
        id: body.id(&["tool_use_id", "toolUseId", "tool_call_id", "call_id"]),
    }
}

/// What a tool gave back. A text that is an object is taken as one, because what went to standard
/// error and what became of a file stand in its fields; but what was read from a file is text.
fn output(tool: &str, body: &Body) -> Value {
    let plain = [
        "tool_output",
        "tool_response",
        "toolResponse",
        "tool_result",
    ];
    let given = match body
        .filled(&["tool_output_b64"])
        .and_then(|b64| decoded(&b64))
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

fn decoded(text: &str) -> Option<String> {
    let bytes = BASE64.decode(text.trim()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn error(body: &Body) -> String {
    let given = body.value(&["error_message", "errorMessage", "error"]);
    let given = given.map(said).filter(|text| !text.is_empty());
    given.unwrap_or_else(|| match output("Read", body) {
        Value::Null => "failed".into(),
        output => said(&output),
    })
}

fn subagent(body: &Body) -> String {
    let id = body.id(&["agent_id", "subagent_id", "agentId"]);
    id.unwrap_or_default()
}

fn subagent_kind(body: &Body) -> String {
    let kind = body.filled(&["agent_type", "subagent_type", "agentType"]);
    kind.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(endpoint: &str, body: Value) -> Told {
        let Value::Object(fields) = body else {
            panic!("an object")
        };
        read(endpoint, &Body::new(fields)).expect("an endpoint")
    }

    #[test]
    fn a_session_goes_by_many_names() {
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
            assert_eq!(told("stop", body.clone()).session, expected, "{body}");
        }
        let notified = told("notify", json!({ "thread-id": "t" }));
        assert_eq!(notified.session, "t");
    }

    #[test]
    fn an_endpoint_is_known_in_every_spelling() {
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
            assert_eq!(read(name, &Body::default()).is_some(), expected, "{name}");
        }
    }

    #[test]
    fn a_prompt_need_not_be_text() {
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
            let found = told("prompt-submit", body.clone()).what;
            assert_eq!(found, What::Prompt(expected.into()), "{body}");
        }
    }

    #[test]
    fn an_encoded_output_is_preferred_and_an_object_is_taken_as_one() {
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
            let What::PostTool { output, .. } = told("post-tool-use", body.clone()).what else {
                panic!("a tool")
            };
            assert_eq!(output, expected, "{body}");
        }
    }

    #[test]
    fn an_error_is_text_a_message_or_what_came_back() {
        for (body, expected) in [
            (json!({ "error_message": "no" }), "no"),
            (json!({ "error": { "message": "no" } }), "no"),
            (json!({ "error": "no" }), "no"),
            (json!({ "tool_output": "no" }), "no"),
            (json!({}), "failed"),
        ] {
            let What::ToolFailure { error, .. } = told("post-tool-use-failure", body.clone()).what
            else {
                panic!("a failure")
            };
            assert_eq!(error, expected, "{body}");
        }
    }

    #[test]
    fn a_complete_turn_brings_its_answer_and_other_notices_are_notices() {
        let body = json!({
            "type": "agent-turn-complete", "thread-id": "t", "turn-id": "4",
            "last-assistant-message": "All done.",
        });
        let complete = told("notify", body);
        assert_eq!(complete.what, What::Response("All done.".into()));
        assert_eq!(complete.generation.as_deref(), Some("4"));
        let other = told(
            "notify",
            json!({ "type": "approval-requested", "message": "?" }),
        );
        let notice = What::Notice {
            kind: Some("approval-requested".into()),
            message: "?".into(),
        };
        assert_eq!(other.what, notice);
    }
}
