//! Parses Cline's payloads into events.
//!
//! Lenient for informative fields; strict for the tool's name, the prompt, and the input of a call whose tool
//! needs one: VS Code omits an input that is not an object, and a guard cannot judge a missing input. VS Code
//! also omits empty, zero and false values, so a tool without `success` has failed. An unknown event name
//! becomes [`EventData::Other`], never an error. Start at [`parse`].

use becket_model::{AgentId, Event, EventData, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::CLINE;
use super::tools;
use crate::adapter::ParseError;
use crate::exchange::FAILURES;
use crate::exchange::events::{ExchangeNative, Reads};
use crate::fields::{PayloadFields, other};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(hint: Option<&str>, raw: Map<String, Value>) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(ID, &raw);
    let name = fields.event_name("hookName", hint)?;
    let (native_name, data) = match CLINE.find(name) {
        Some(native) => (native.name(), data(fields, native)?),
        None => (name, other(name, None)),
    };
    let native_name = native_name.to_owned();
    Ok(Event {
        agent: AgentId::new(ID),
        session: SessionId::new(fields.scalar("taskId").unwrap_or_default()),
        cwd: fields.first_of("workspaceRoots"),
        native_name,
        subagent: subagent(fields),
        transcript: None,
        data,
        raw,
    })
}

fn data(fields: PayloadFields<'_>, native: &ExchangeNative) -> Result<EventData, ParseError> {
    Ok(match native.reads {
        Reads::PreTool => EventData::PreToolUse {
            call: announced(fields)?,
        },
        Reads::PostTool => finished(fields)?,
        Reads::Prompt => EventData::UserPromptSubmit {
            prompt: fields
                .required("userPromptSubmit")?
                .required_text("prompt")?,
        },
        Reads::Start(source) => EventData::SessionStart {
            source: source.map(str::to_owned),
        },
        Reads::End => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        Reads::Rest => EventData::Stop {
            active: false,
            last_message: last_message(fields),
        },
        Reads::Error => error(fields),
        Reads::Compaction => EventData::PreCompact {
            trigger: fields
                .within("preCompact")
                .and_then(|data| data.filled("compactionStrategy")),
            instructions: None,
        },
        Reads::Notice => notice(fields),
        _ => other(native.name(), None),
    })
}

fn announced(fields: PayloadFields<'_>) -> Result<ToolCall, ParseError> {
    if let Some(call) = fields.within("tool_call") {
        let name = call.required_name("name")?;
        let input = call.get("input").filter(|input| !input.is_null());
        let input = needed(call, "input", &name, input.cloned())?;
        return Ok(tools::call(&name, &input).with_id(call.scalar("id")));
    }
    let call = fields.required("preToolUse")?;
    let name = call.required_name("toolName")?;
    let parameters = call.get("parameters").and_then(Value::as_object);
    let input = needed(call, "parameters", &name, parameters.map(tools::unstring))?;
    Ok(tools::call(&name, &input))
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

fn finished(fields: PayloadFields<'_>) -> Result<EventData, ParseError> {
    match fields.within("tool_result") {
        Some(result) => finished_cli(fields, result),
        None => finished_code(fields.required("postToolUse")?),
    }
}

fn finished_cli(
    fields: PayloadFields<'_>,
    result: PayloadFields<'_>,
) -> Result<EventData, ParseError> {
    let input = result.get("input").unwrap_or(&Value::Null);
    let call = tools::call(&result.required_name("name")?, input).with_id(result.scalar("id"));
    let response = result.get("output").cloned().unwrap_or_default();
    let said = fields
        .within("postToolUse")
        .and_then(|data| data.flag("success"));
    let unsaid = || (said == Some(false)).then(String::new);
    let error = result
        .scalar("error")
        .or_else(|| FAILURES.error(&response))
        .or_else(unsaid);
    Ok(outcome(call, response, error, result.number("durationMs")))
}

fn finished_code(result: PayloadFields<'_>) -> Result<EventData, ParseError> {
    let parameters = result.get("parameters").and_then(Value::as_object);
    let input = parameters.map_or(Value::Null, tools::unstring);
    let call = tools::call(&result.required_name("toolName")?, &input);
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

fn outcome(
    call: ToolCall,
    response: Value,
    error: Option<String>,
    duration_ms: Option<u64>,
) -> EventData {
    match error {
        Some(error) => EventData::PostToolUseFailure {
            call,
            error,
            interrupted: false,
            duration_ms,
        },
        None => EventData::PostToolUse {
            call,
            response,
            duration_ms,
        },
    }
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
    let told = thrown.and_then(|error| error.filled("message"));
    let status = || {
        let status = metadata(fields, "taskCancel")?.get("completionStatus")?;
        status.as_str().map(str::to_owned)
    };
    EventData::SessionError {
        error: told
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
