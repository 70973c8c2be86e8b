//! The events that have the same shape in every agent of the family: Claude Code's.

use becket_model::EventData;
use serde_json::Value;

use super::{FAILURES, Tools};
use crate::adapter::ParseError;
use crate::fields::PayloadFields;

/// What an event of that native name says; `None` if the family has no common shape for it.
pub(crate) fn claudes(
    fields: PayloadFields<'_>,
    name: &str,
    tools: &Tools,
) -> Result<Option<EventData>, ParseError> {
    Ok(Some(match name {
        "PreToolUse" => EventData::PreToolUse {
            call: fields.announced_call(tools)?,
        },
        "PermissionRequest" => EventData::PermissionRequest {
            call: fields.announced_call(tools)?,
        },
        "PermissionDenied" => EventData::PermissionDenied {
            call: fields.reported_call(tools)?,
            reason: fields.text("reason"),
        },
        "PostToolUse" => finished_call(fields, tools)?,
        "PostToolUseFailure" => EventData::PostToolUseFailure {
            call: fields.reported_call(tools)?,
            error: fields.scalar("error").unwrap_or_default(),
            interrupted: fields.is("is_interrupt"),
            duration_ms: fields.number("duration_ms"),
        },
        "UserPromptSubmit" => EventData::UserPromptSubmit {
            prompt: fields.required_text("prompt")?,
        },
        "SessionStart" => EventData::SessionStart {
            source: fields.text("source"),
        },
        "Setup" => EventData::Setup {
            trigger: fields.text("trigger"),
        },
        "SessionEnd" => EventData::SessionEnd {
            reason: fields.text("reason"),
        },
        "Stop" => EventData::Stop {
            active: fields.is("stop_hook_active"),
            last_message: fields.text("last_assistant_message"),
        },
        "StopFailure" => EventData::StopFailure {
            // The agents' own word for an error without a class.
            error: fields.scalar("error").unwrap_or_else(|| "unknown".into()),
            details: fields.scalar("error_details"),
        },
        "SubagentStart" => EventData::SubagentStart {
            id: fields.scalar("agent_id").unwrap_or_default(),
            kind: fields.text("agent_type").unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
        },
        // Compaction ends a subagent that has an empty type and never started.
        "SubagentStop" => EventData::SubagentStop {
            id: fields.scalar("agent_id").unwrap_or_default(),
            kind: fields.text("agent_type").unwrap_or_default(),
            active: fields.is("stop_hook_active"),
            success: true,
            error: None,
            last_message: fields.text("last_assistant_message"),
        },
        "PreCompact" => EventData::PreCompact {
            trigger: fields.text("trigger"),
            instructions: fields.filled("custom_instructions"),
        },
        "PostCompact" => EventData::PostCompact {
            trigger: fields.text("trigger"),
            summary: fields.text("compact_summary"),
        },
        "Notification" => EventData::Notification {
            kind: fields.text("notification_type"),
            message: fields.text("message").unwrap_or_default(),
        },
        _ => return Ok(None),
    }))
}

/// `PostToolUse` is for success, but a tool may say in its response that it failed.
fn finished_call(fields: PayloadFields<'_>, tools: &Tools) -> Result<EventData, ParseError> {
    let call = fields.reported_call(tools)?;
    let response = fields.raw("tool_response").cloned();
    let response = response.unwrap_or(Value::Null);
    let duration_ms = fields.number("duration_ms");
    let interrupted = response.get("interrupted").and_then(Value::as_bool);
    Ok(match FAILURES.error(&response) {
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
