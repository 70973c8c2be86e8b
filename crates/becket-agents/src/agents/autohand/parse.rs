//! Parses Autohand's payloads into events.
//!
//! Lenient for informative fields, strict for fields that a decision depends on. The documentation shows
//! every key in every payload, most of them `null`; the program omits those; both are parsed the same. Tool
//! events have no session: `SessionId` is empty there, and only a caller that knows the calling process can
//! assign them. An unknown event name becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::tools;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::{AgentSpec, EventRow};
use crate::tool_failure::finished;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let payload = AutohandPayload(PayloadFields::new(spec.id, &raw));
    let name = payload.0.event_name("hook_event_name", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, payload.data(row)?),
        None => (name, other(name, None)),
    };
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(payload.0.scalar("session_id").unwrap_or_default()),
        cwd: payload.0.filled("cwd"),
        native_name: native_name.to_owned(),
        subagent: payload.subagent(),
        transcript: None,
        data,
        raw,
    })
}

#[derive(Clone, Copy)]
struct AutohandPayload<'a>(PayloadFields<'a>);

impl AutohandPayload<'_> {
    fn data(self, row: &EventRow) -> Result<EventData, ParseError> {
        let fields = self.0;
        Ok(match row.native {
            "pre-tool" => EventData::PreToolUse {
                call: self.announced_call()?,
            },
            "permission-request" => EventData::PermissionRequest {
                call: self.asked_call()?,
            },
            "post-tool" => self.finished_call()?,
            "file-modified" => EventData::FileModified {
                path: fields.required_text("file_path")?,
                change: fields.text("change_type"),
            },
            "pre-prompt" => EventData::UserPromptSubmit {
                prompt: fields.required_text("instruction")?,
            },
            "stop" | "post-response" => EventData::Stop {
                active: false,
                last_message: None,
            },
            "session-start" => EventData::SessionStart {
                source: fields.text("session_type"),
            },
            "session-end" => EventData::SessionEnd {
                reason: fields.text("session_end_reason"),
            },
            "session-error" | "rate-limit" => EventData::SessionError {
                error: fields.scalar("error").unwrap_or_default(),
                code: fields.scalar("error_code"),
            },
            "subagent-stop" => EventData::SubagentStop {
                id: fields.scalar("subagent_id").unwrap_or_default(),
                kind: fields.text("subagent_type").unwrap_or_default(),
                active: false,
                success: fields.flag("subagent_success").unwrap_or(true),
                error: fields.scalar("subagent_error"),
                last_message: None,
            },
            "notification" => EventData::Notification {
                kind: fields.text("notification_type"),
                message: fields.text("notification_message").unwrap_or_default(),
            },
            "context:compact" | "context:overflow" => EventData::PostCompact {
                trigger: self.context_trigger(row.native),
                summary: fields.text("summary"),
            },
            "context:warning" | "context:critical" => EventData::PreCompact {
                trigger: self.context_trigger(row.native),
                instructions: None,
            },
            "task-completed" => EventData::TaskCompleted {
                id: fields.scalar("team_task_id").unwrap_or_default(),
                subject: fields.scalar("team_task_result").unwrap_or_default(),
            },
            name => other(name, self.subject(row.subject)),
        })
    }

    /// A pending call: a guard must see what it will do.
    fn announced_call(self) -> Result<ToolCall, ParseError> {
        self.call(self.0.required_input("tool_input")?.clone())
    }

    /// A permission request may contain only a path.
    fn asked_call(self) -> Result<ToolCall, ParseError> {
        if self.0.get("tool_input").is_some() {
            return self.announced_call();
        }
        let path = self.0.filled("file_path").map(Value::String);
        let input = path.map(|path| ("file_path".to_owned(), path));
        self.call(Value::Object(input.into_iter().collect()))
    }

    fn call(self, input: Value) -> Result<ToolCall, ParseError> {
        let name = self.0.required_name("tool_name")?;
        Ok(tools::call(name, input).with_id(self.0.scalar("tool_use_id")))
    }

    /// One event for success and failure.
    fn finished_call(self) -> Result<EventData, ParseError> {
        let input = self.0.get("tool_input").filter(|input| input.is_object());
        let call = self.call(input.cloned().unwrap_or_else(|| Map::new().into()))?;
        let duration_ms = self.0.number("duration");
        let response = self.0.get("tool_response").cloned().unwrap_or(Value::Null);
        let failed = self.0.flag("tool_success") == Some(false);
        let error = failed.then(|| {
            self.0
                .scalar(&["error", "tool_response"])
                .unwrap_or_default()
        });
        Ok(finished(call, response, error, duration_ms))
    }

    /// The reason for the compaction, else the event's name.
    fn context_trigger(self, name: &str) -> Option<String> {
        self.0
            .filled("context_reason")
            .or_else(|| Some(name.split_once(':')?.1.to_owned()))
    }

    fn subject(self, keys: &[&str]) -> Option<String> {
        let parts: Vec<String> = keys.iter().filter_map(|key| self.0.scalar(*key)).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    fn subagent(self) -> Option<Subagent> {
        let id = self.0.filled("subagent_id")?;
        let kind = self.0.filled("subagent_type");
        Some(Subagent { id, kind })
    }
}
