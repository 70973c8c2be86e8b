//! Parses Cline's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, the prompt, and the input of a call whose tool
//! needs one: VS Code omits an input that is not an object, and a guard cannot judge a missing input. VS Code
//! also omits empty, zero and false values, so a tool without `success` has failed. An unknown event name
//! becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, EventKind, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::tools;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, other};
use crate::protocol::{AgentSpec, EventRow};
use crate::tool_failure::finished as outcome;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("hookName", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, data(spec, fields, row)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("taskId").unwrap_or_default()),
        cwd: fields.first_of("workspaceRoots"),
        native_name,
        subagent: subagent(fields),
        transcript: None,
        data,
        raw,
    })
}

fn data(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    row: &EventRow,
) -> Result<EventData, ParseError> {
    Ok(match row.kind {
        Some(EventKind::PreToolUse) => EventData::PreToolUse {
            call: announced(fields)?,
        },
        Some(EventKind::PostToolUse) => finished(spec, fields)?,
        Some(EventKind::UserPromptSubmit) => EventData::UserPromptSubmit {
            prompt: fields
                .required("userPromptSubmit")?
                .required_text("prompt")?,
        },
        Some(EventKind::SessionStart) => {
            let resumes = matches!(row.native, "agent_resume" | "TaskResume");
            let source = if resumes { "resume" } else { "startup" };
            EventData::SessionStart {
                source: Some(source.to_owned()),
            }
        }
        Some(EventKind::SessionEnd) => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        Some(EventKind::Stop) => EventData::Stop {
            active: false,
            last_message: last_message(fields),
        },
        Some(EventKind::SessionError) => error(fields),
        Some(EventKind::PreCompact) => EventData::PreCompact {
            trigger: fields
                .within("preCompact")
                .and_then(|data| data.filled("compactionStrategy")),
            instructions: None,
        },
        Some(EventKind::Notification) => notice(fields),
        _ => other(row.native, None),
    })
}

fn announced(fields: PayloadFields<'_>) -> Result<ToolCall, ParseError> {
    if let Some(call) = fields.within("tool_call") {
        let name = call.required_name("name")?;
        let input = call.get("input").filter(|input| !input.is_null());
        let input = needed(call, "input", &name, input.cloned())?;
        return Ok(tools::call(name, input).with_id(call.scalar("id")));
    }
    let call = fields.required("preToolUse")?;
    let name = call.required_name("toolName")?;
    let parameters = call.get("parameters").and_then(Value::as_object);
    let input = needed(call, "parameters", &name, parameters.map(tools::unstring))?;
    Ok(tools::call(name, input))
}

/// The input of a call; only an unknown tool may have none.
fn needed(
    call: PayloadFields<'_>,
    key: &'static str,
    name: &str,
    input: Option<Value>,
) -> Result<Value, ParseError> {
    match input {
        Some(input) => Ok(input),
        None if tools::is_known(name) => Err(call.unexpected_type(key, "an object")),
        None => Ok(Value::Object(Map::new())),
    }
}

fn finished(spec: &AgentSpec, fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    match fields.within("tool_result") {
        Some(result) => finished_cli(spec, fields, result),
        None => finished_code(fields.required("postToolUse")?),
    }
}

fn finished_cli(
    spec: &AgentSpec,
    fields: PayloadFields<'_>,
    result: PayloadFields<'_>,
) -> Result<EventData, ParseError> {
    let input = result.get("input").cloned().unwrap_or_default();
    let call = tools::call(result.required_name("name")?, input).with_id(result.scalar("id"));
    let response = result.get("output").cloned().unwrap_or_default();
    let said = fields
        .within("postToolUse")
        .and_then(|data| data.flag("success"));
    let unsaid = || (said == Some(false)).then(String::new);
    let error = result
        .scalar("error")
        .or_else(|| spec.failures.error(&response))
        .or_else(unsaid);
    Ok(outcome(call, response, error, result.number("durationMs")))
}

fn finished_code(result: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let parameters = result.get("parameters").and_then(Value::as_object);
    let input = parameters.map_or(Value::Null, tools::unstring);
    let call = tools::call(result.required_name("toolName")?, input);
    let response = result.get("result").cloned().unwrap_or_default();
    let failed = result.flag("success") != Some(true);
    let error = failed.then(|| result.scalar("result").unwrap_or_default());
    Ok(outcome(
        call,
        response,
        error,
        result.number("executionTimeMs"),
    ))
}

fn last_message(fields: PayloadFields<'_>) -> Option<String> {
    let turn = fields
        .within("turn")
        .and_then(|turn| turn.text("outputText"));
    turn.or_else(|| {
        metadata(fields, "taskComplete")?
            .get("result")?
            .as_str()
            .map(str::to_owned)
    })
}

/// The metadata of a task, as VS Code sends it.
fn metadata<'a>(fields: PayloadFields<'a>, key: &'static str) -> Option<&'a Map<String, Value>> {
    fields.within(key)?.get("taskMetadata")?.as_object()
}

/// A failed run reports its error, a cancelled one at most the reason.
fn error(fields: PayloadFields<'_>) -> EventData {
    let thrown = fields.within("error");
    let message = thrown.and_then(|error| error.filled("message"));
    let status = || {
        let status = metadata(fields, "taskCancel")?.get("completionStatus")?;
        status.as_str().map(str::to_owned)
    };
    EventData::SessionError {
        error: message
            .or_else(|| fields.filled("reason"))
            .or_else(status)
            .unwrap_or_default(),
        code: thrown.and_then(|error| error.filled("name")),
    }
}

fn notice(fields: PayloadFields<'_>) -> EventData {
    let data = fields.within("notification");
    EventData::Notification {
        kind: data.and_then(|data| data.filled("event")),
        message: data
            .and_then(|data| data.text("message"))
            .unwrap_or_default(),
    }
}

/// Only an agent with a parent is a subagent.
fn subagent(fields: PayloadFields<'_>) -> Option<Subagent> {
    fields.filled("parent_agent_id")?;
    let id = fields.filled("agent_id")?;
    Some(Subagent { id, kind: None })
}
