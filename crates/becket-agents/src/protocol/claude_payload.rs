//! Claude Code's payloads, which several agents took over.
//!
//! Lenient for informative fields: they may be missing or have another type, and the raw payload is kept.
//! Strict for fields that a decision depends on: the tool's name, the input of a pending call, and the
//! prompt. An unknown event name becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, EventKind, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::{AgentSpec, EventRow};
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(crate) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("hook_event_name", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, data(spec, fields, row)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("session_id").unwrap_or_default()),
        cwd: fields.filled("cwd"),
        native_name,
        subagent: subagent(fields),
        transcript: fields.filled("transcript_path"),
        data,
        raw,
    })
}

/// A session may have an `agent_type` of its own (`--agent`); only an id means a subagent.
fn subagent(fields: PayloadFields<'_>) -> Option<Subagent> {
    let id = fields.scalar("agent_id").filter(|id| !id.is_empty())?;
    Some(Subagent {
        id,
        kind: fields.filled("agent_type"),
    })
}

fn data(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    row: &EventRow,
) -> Result<EventData, ParseError> {
    if let Some(data) = (spec.exceptions.data)(fields, row) {
        return Ok(data);
    }
    let shared = shared_data(spec, fields, row)?;
    let subject = || row.subject.iter().find_map(|key| fields.text(*key));
    Ok(shared.unwrap_or_else(|| other(row.native, subject())))
}

/// A call that is about to happen: a guard has to see what it will do.
fn announced_call(spec: &AgentSpec, fields: PayloadFields<'_>) -> Result<ToolCall, ParseError> {
    fields.required_object("tool_input")?;
    reported_call(spec, fields)
}

/// A call that is over.
pub(crate) fn reported_call(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
) -> Result<ToolCall, ParseError> {
    let name = fields.required_name("tool_name")?;
    let input = fields.raw("tool_input").cloned();
    let input = input.unwrap_or_else(|| Value::Object(Map::new()));
    Ok(spec
        .tools
        .call(name, input)
        .with_id(fields.scalar("tool_use_id")))
}

/// The data of an event of that kind; `None` if the family has no common shape for it.
fn shared_data(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    row: &EventRow,
) -> Result<Option<EventData>, ParseError> {
    let Some(kind) = row.kind else {
        return Ok(None);
    };
    Ok(Some(match kind {
        EventKind::PreToolUse => EventData::PreToolUse {
            call: announced_call(spec, fields)?,
        },
        EventKind::PermissionRequest => EventData::PermissionRequest {
            call: announced_call(spec, fields)?,
        },
        EventKind::PermissionDenied => EventData::PermissionDenied {
            call: reported_call(spec, fields)?,
            reason: fields.text("reason"),
        },
        EventKind::PostToolUse => finished_call(spec, fields)?,
        EventKind::PostToolUseFailure => EventData::PostToolUseFailure {
            call: reported_call(spec, fields)?,
            error: fields.scalar("error").unwrap_or_default(),
            interrupted: fields.is("is_interrupt"),
            duration_ms: fields.number("duration_ms"),
        },
        EventKind::UserPromptSubmit => EventData::UserPromptSubmit {
            prompt: fields.required_text("prompt")?,
        },
        _ => return Ok(session_data(fields, kind)),
    }))
}

/// The events about a session, a turn or a task.
fn session_data(fields: PayloadFields<'_>, kind: &EventKind) -> Option<EventData> {
    Some(match kind {
        EventKind::SessionStart => EventData::SessionStart {
            source: fields.text("source"),
        },
        EventKind::Setup => EventData::Setup {
            trigger: fields.text("trigger"),
        },
        EventKind::SessionEnd => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        EventKind::Stop => EventData::Stop {
            active: fields.is("stop_hook_active"),
            last_message: fields.text("last_assistant_message"),
        },
        EventKind::StopFailure => EventData::StopFailure {
            // The agents' own word for an error without a class.
            error: fields.scalar("error").unwrap_or_else(|| "unknown".into()),
            details: fields.scalar("error_details"),
        },
        EventKind::SubagentStart => EventData::SubagentStart {
            id: fields.scalar("agent_id").unwrap_or_default(),
            kind: fields.text("agent_type").unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
        },
        // Compaction ends a subagent that has an empty type and never started.
        EventKind::SubagentStop => EventData::SubagentStop {
            id: fields.scalar("agent_id").unwrap_or_default(),
            kind: fields.text("agent_type").unwrap_or_default(),
            active: fields.is("stop_hook_active"),
            success: true,
            error: None,
            last_message: fields.text("last_assistant_message"),
        },
        EventKind::PreCompact => EventData::PreCompact {
            trigger: fields.text("trigger"),
            instructions: fields.filled("custom_instructions"),
        },
        EventKind::PostCompact => EventData::PostCompact {
            trigger: fields.text("trigger"),
            summary: fields.text("compact_summary"),
        },
        EventKind::Notification => EventData::Notification {
            kind: fields.text("notification_type"),
            message: fields.text("message").unwrap_or_default(),
        },
        EventKind::TaskCreated => EventData::TaskCreated {
            id: fields.scalar("task_id").unwrap_or_default(),
            subject: fields.text("task_subject").unwrap_or_default(),
        },
        EventKind::TaskCompleted => EventData::TaskCompleted {
            id: fields.scalar("task_id").unwrap_or_default(),
            subject: fields.text("task_subject").unwrap_or_default(),
        },
        _ => return None,
    })
}

/// `PostToolUse` is for success, but a tool may say in its response that it failed.
fn finished_call(spec: &AgentSpec, fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let call = reported_call(spec, fields)?;
    let response = fields.raw("tool_response").cloned();
    let response = response.unwrap_or(Value::Null);
    let duration_ms = fields.number("duration_ms");
    let interrupted = response.get("interrupted").and_then(Value::as_bool);
    Ok(match spec.failures.error(&response) {
        Some(error) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: interrupted.unwrap_or(false),
            duration_ms,
        },
        None => EventData::PostToolUse {
            call,
            response,
            duration_ms,
        },
    })
}
