//! Claude Code's payloads as events.
//!
//! Lenient where leniency costs nothing: a field that only informs may be missing or of another type,
//! and the payload is kept whole anyway. Strict where a decision hangs on it: the tool's name, the
//! input of a call that is about to happen, and the prompt. A name that is not in the table is an
//! [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::{self, Native};
use crate::adapter::ParseError;
use crate::payload::{article, clip};

/// How much of a structured error is repeated as text.
const ERROR_SHOWN: usize = 2000;

/// Reads a payload; its own event name wins over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = Fields(&raw);
    let name = fields.event_name(hint)?;
    let (native_name, data) = match events::find(name) {
        Some(native) => (native.name, fields.data(native)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name,
        subagent: fields.subagent(),
        transcript: fields.filled("transcript_path"),
        data,
        raw,
    })
}

fn error(message: String) -> ParseError {
    ParseError { agent: ID, message }
}

/// A payload, asked for one key at a time.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn event_name(self, hint: Option<&'a str>) -> Result<&'a str, ParseError> {
        let own = match self.0.get("hook_event_name") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(other) => return Err(wrong_type("hook_event_name", "a string", other)),
        };
        own.into_iter()
            .chain(hint)
            .find(|name| !name.trim().is_empty())
            .ok_or_else(|| missing("hook_event_name"))
    }

    fn data(self, native: &Native) -> Result<EventData, ParseError> {
        Ok(match native.name {
            "PreToolUse" => EventData::PreToolUse {
                call: self.announced_call()?,
            },
            "PermissionRequest" => EventData::PermissionRequest {
                call: self.announced_call()?,
            },
            "PermissionDenied" => EventData::PermissionDenied {
                call: self.reported_call()?,
                reason: self.text("reason"),
            },
            "PostToolUse" => self.finished_call()?,
            "PostToolUseFailure" => EventData::PostToolUseFailure {
                call: self.reported_call()?,
                error: self.scalar("error").unwrap_or_default(),
                interrupted: self.flag("is_interrupt"),
                duration_ms: self.number("duration_ms"),
            },
            "UserPromptSubmit" => EventData::UserPromptSubmit {
                prompt: self.required_text("prompt")?,
            },
            "SessionStart" => EventData::SessionStart {
                source: self.text("source"),
            },
            "Setup" => EventData::Setup {
                trigger: self.text("trigger"),
            },
            "SessionEnd" => EventData::SessionEnd {
                reason: self.text("reason"),
            },
            "Stop" => EventData::Stop {
                active: self.flag("stop_hook_active"),
                last_message: self.text("last_assistant_message"),
            },
            "StopFailure" => EventData::StopFailure {
                // Claude's own word for an error without a class.
                error: self.scalar("error").unwrap_or_else(|| "unknown".into()),
                details: self.scalar("error_details"),
            },
            "SubagentStart" => EventData::SubagentStart {
                id: self.scalar("agent_id").unwrap_or_default(),
                kind: self.text("agent_type").unwrap_or_default(),
                description: self.text("description").unwrap_or_default(),
            },
            // Compaction ends a subagent that has an empty type and never started.
            "SubagentStop" => EventData::SubagentStop {
                id: self.scalar("agent_id").unwrap_or_default(),
                kind: self.text("agent_type").unwrap_or_default(),
                active: self.flag("stop_hook_active"),
                success: true,
                error: None,
                last_message: self.text("last_assistant_message"),
            },
            "PreCompact" => EventData::PreCompact {
                trigger: self.text("trigger"),
                instructions: self.filled("custom_instructions"),
            },
            "PostCompact" => EventData::PostCompact {
                trigger: self.text("trigger"),
                summary: self.text("compact_summary"),
            },
            "Notification" => EventData::Notification {
                kind: self.text("notification_type"),
                message: self.text("message").unwrap_or_default(),
            },
            "TaskCreated" => EventData::TaskCreated {
                id: self.scalar("task_id").unwrap_or_default(),
                subject: self.text("task_subject").unwrap_or_default(),
            },
            "TaskCompleted" => EventData::TaskCompleted {
                id: self.scalar("task_id").unwrap_or_default(),
                subject: self.text("task_subject").unwrap_or_default(),
            },
            "FileChanged" => other(native.name, self.text("file_path").map(base_name)),
            name => other(name, native.subject.and_then(|key| self.text(key))),
        })
    }

    /// A call that is about to happen: a guard has to see what it will do.
    fn announced_call(self) -> Result<ToolCall, ParseError> {
        match self.0.get("tool_input") {
            Some(Value::Object(_)) => self.reported_call(),
            Some(other) => Err(wrong_type("tool_input", "an object", other)),
            None => Err(missing("tool_input")),
        }
    }

    /// A call that is over.
    fn reported_call(self) -> Result<ToolCall, ParseError> {
        let name = self.required_text("tool_name")?;
        if name.is_empty() {
            return Err(error("`tool_name` is empty".into()));
        }
        let input = self.0.get("tool_input").cloned();
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        Ok(ToolCall::new(name, input).with_id(self.scalar("tool_use_id")))
    }

    /// `PostToolUse` is for success, but a tool may say in its response that it failed.
    fn finished_call(self) -> Result<EventData, ParseError> {
        let call = self.reported_call()?;
        let response = self.0.get("tool_response").cloned().unwrap_or(Value::Null);
        let duration_ms = self.number("duration_ms");
        Ok(match reported_failure(&response) {
            Some(error) => EventData::PostToolUseFailure {
                call,
                error,
                interrupted: Fields::of(&response).is_some_and(|r| r.flag("interrupted")),
                duration_ms,
            },
            None => EventData::PostToolUse {
                call,
                response,
                duration_ms,
            },
        })
    }

    /// A session may have an `agent_type` of its own (`--agent`); only an id means a subagent.
    fn subagent(self) -> Option<Subagent> {
        let id = self.scalar("agent_id").filter(|id| !id.is_empty())?;
        Some(Subagent {
            id,
            kind: self.filled("agent_type"),
        })
    }

    fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Fields)
    }

    fn required_text(self, key: &'static str) -> Result<String, ParseError> {
        match self.0.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(wrong_type(key, "a string", other)),
            None => Err(missing(key)),
        }
    }

    fn text(self, key: &str) -> Option<String> {
        self.0.get(key)?.as_str().map(str::to_owned)
    }

    fn filled(self, key: &str) -> Option<String> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Text, or a value that has an obvious text.
    fn scalar(self, key: &str) -> Option<String> {
        match self.0.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(clip(&other.to_string(), ERROR_SHOWN).into_owned()),
        }
    }

    fn flag(self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn number(self, key: &str) -> Option<u64> {
        let value = self.0.get(key)?;
        value.as_u64().or_else(|| whole(value.as_f64()?))
    }
}

fn other(name: &str, subject: Option<String>) -> EventData {
    EventData::Other {
        name: name.into(),
        subject,
    }
}

/// Milliseconds come as fractions too when the client measured them.
fn whole(number: f64) -> Option<u64> {
    let fits = number.is_finite() && (0.0..9e15).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked, and the fraction is not wanted"
    )]
    fits.then_some(number as u64)
}

/// The error of a response that says in so many words that the tool failed.
///
/// `interrupted` alone does not: a command that was cut short has still run and has its output.
fn reported_failure(response: &Value) -> Option<String> {
    let fields = Fields::of(response)?;
    let said = |key| response.get(key).and_then(Value::as_bool);
    let failed = said("is_error") == Some(true)
        || said("isError") == Some(true)
        || said("success") == Some(false);
    let text = || {
        ["error", "message", "stderr", "content"]
            .into_iter()
            .find_map(|key| fields.filled(key))
            .unwrap_or_else(|| clip(&response.to_string(), ERROR_SHOWN).into_owned())
    };
    failed.then(text)
}

fn base_name(path: String) -> String {
    match path.rsplit(['/', '\\']).next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => path,
    }
}

fn missing(key: &str) -> ParseError {
    error(format!("`{key}` is missing"))
}

fn wrong_type(key: &str, wanted: &str, found: &Value) -> ParseError {
    error(format!("`{key}` is {}, not {wanted}", article(found)))
}

#[cfg(test)]
mod tests {
    use becket_model::EventKind;
    use serde_json::json;

    use super::*;

    fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
        parse(hint, payload.as_object().unwrap().clone())
    }

    fn message(hint: Option<&str>, payload: &Value) -> String {
        parsed(hint, payload).unwrap_err().to_string()
    }

    #[test]
    fn the_event_name_comes_from_the_payload_then_from_the_command_line() {
        let bare = json!({ "prompt": "hi" });
        let named = json!({ "prompt": "hi", "hook_event_name": "UserPromptSubmit" });
        for (hint, payload) in [
            (Some("UserPromptSubmit"), &bare),
            (Some("prompt-submit"), &bare),
            (None, &named),
            (Some("PreToolUse"), &named),
        ] {
            let event = parsed(hint, payload).unwrap();
            assert_eq!(event.kind(), EventKind::UserPromptSubmit, "{hint:?}");
            assert_eq!(event.native_name, "UserPromptSubmit");
        }
        assert_eq!(
            message(None, &bare),
            "not a payload of claude: `hook_event_name` is missing"
        );
        assert_eq!(
            message(Some("Stop"), &json!({ "hook_event_name": 7 })),
            "not a payload of claude: `hook_event_name` is a number, not a string"
        );
    }

    #[test]
    fn a_required_key_that_is_missing_or_of_another_type_is_named() {
        for (payload, expected) in [
            (
                json!({ "hook_event_name": "PreToolUse", "tool_input": {} }),
                "`tool_name` is missing",
            ),
            (
                json!({ "hook_event_name": "PreToolUse", "tool_name": "", "tool_input": {} }),
                "`tool_name` is empty",
            ),
            (
                json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" }),
                "`tool_input` is missing",
            ),
            (
                json!({ "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": "ls" }),
                "`tool_input` is a string, not an object",
            ),
            (
                json!({ "hook_event_name": "PostToolUse", "tool_name": ["Bash"] }),
                "`tool_name` is an array, not a string",
            ),
            (
                json!({ "hook_event_name": "UserPromptSubmit", "prompt": null }),
                "`prompt` is null, not a string",
            ),
        ] {
            assert_eq!(parsed(None, &payload).unwrap_err().message, expected);
        }
    }

    #[test]
    fn every_event_without_a_required_key_is_read_from_its_name_alone() {
        let required = [
            "PreToolUse",
            "PermissionRequest",
            "PermissionDenied",
            "PostToolUse",
            "PostToolUseFailure",
            "UserPromptSubmit",
        ];
        for native in &events::EVENTS {
            let event = parsed(None, &json!({ "hook_event_name": native.name }));
            assert_eq!(
                event.is_err(),
                required.contains(&native.name),
                "{}",
                native.name
            );
            if let Ok(event) = event {
                assert_eq!(event.kind().name(), native.name);
                assert_eq!(event.session.as_str(), "");
            }
        }
    }

    #[test]
    fn an_unknown_event_is_carried_whole() {
        let payload = json!({ "hook_event_name": "MoonPhase", "phase": "full", "cwd": "" });
        let event = parsed(Some("PreToolUse"), &payload).unwrap();
        assert_eq!(event.kind(), EventKind::Other("MoonPhase".into()));
        assert_eq!(event.native_name, "MoonPhase");
        assert_eq!(event.cwd, None);
        assert_eq!(Value::Object(event.raw), payload);
    }

    #[test]
    fn a_tool_that_reports_failure_has_failed_and_one_that_was_interrupted_has_not() {
        let post = |response: Value| {
            let payload = json!({
                "hook_event_name": "PostToolUse", "tool_name": "X", "tool_input": {},
                "tool_response": response, "duration_ms": 2.7,
            });
            parsed(None, &payload).unwrap()
        };
        for (response, expected) in [
            (json!({ "is_error": true, "content": "boom" }), Some("boom")),
            (
                json!({ "isError": true, "content": [] }),
                Some(r#"{"isError":true,"content":[]}"#),
            ),
            (
                json!({ "success": false, "error": "no such task" }),
                Some("no such task"),
            ),
            (json!({ "success": true, "error": "" }), None),
            (json!({ "success": "false" }), None),
            (json!({ "stdout": "", "interrupted": true }), None),
            (json!("is_error"), None),
            (Value::Null, None),
        ] {
            let event = post(response.clone());
            assert_eq!(event.native_name, "PostToolUse");
            match event.data {
                EventData::PostToolUseFailure {
                    error, duration_ms, ..
                } => {
                    assert_eq!(Some(error.as_str()), expected, "{response}");
                    assert_eq!(duration_ms, Some(2));
                }
                EventData::PostToolUse { .. } => assert_eq!(expected, None, "{response}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_subagent_needs_an_id() {
        let event = |extra: Value| {
            let mut payload = json!({ "hook_event_name": "Stop" });
            for (key, value) in extra.as_object().unwrap() {
                payload[key] = value.clone();
            }
            parsed(None, &payload).unwrap().subagent
        };
        assert_eq!(event(json!({ "agent_type": "reviewer" })), None);
        assert_eq!(event(json!({ "agent_id": "", "agent_type": "x" })), None);
        assert_eq!(
            event(json!({ "agent_id": "a1", "agent_type": "" })),
            Some(Subagent {
                id: "a1".into(),
                kind: None
            })
        );
    }

    #[test]
    fn a_changed_file_is_matched_by_its_base_name() {
        for (path, expected) in [
            ("/home/dev/app/.env", ".env"),
            (r"C:\app\.env", ".env"),
            (".env", ".env"),
            ("/", "/"),
        ] {
            let payload = json!({ "hook_event_name": "FileChanged", "file_path": path });
            let event = parsed(None, &payload).unwrap();
            assert_eq!(event.subject(), Some(expected));
        }
    }
}
