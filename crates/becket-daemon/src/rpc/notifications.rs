//! Converts a record to the notifications for editors: Autohand's documented methods and parameters, for every agent.
//! Pure.
//!
//! Becket adds the members `eventId`, `agent`, `event`, `sessionId`, `project`, `verdict` and `verdictReason`. An unknown
//! number is zero.

use becket_base::text::prefix_chars;
use becket_model::tool::canonical_name;
use becket_model::{Event, EventData, ToolCall};
use becket_store::event_of_record;
use serde_json::{Map, Value, json};

/// The methods that Autohand documents.
pub const AUTOHAND_METHODS: [&str; 13] = [
    "autohand.hook.preTool",
    "autohand.hook.postTool",
    "autohand.hook.fileModified",
    "autohand.hook.prePrompt",
    "autohand.hook.stop",
    POST_RESPONSE,
    "autohand.hook.sessionStart",
    "autohand.hook.sessionEnd",
    "autohand.hook.sessionError",
    RATE_LIMIT,
    "autohand.hook.subagentStop",
    "autohand.hook.permissionRequest",
    "autohand.hook.notification",
];

/// An alias for the end of a turn.
pub(super) const POST_RESPONSE: &str = "autohand.hook.postResponse";

/// A provider's rate limit ended a turn; sent instead of a session error.
pub(super) const RATE_LIMIT: &str = "autohand.hook.rateLimit";

/// The method for events without a documented method. Only sent to clients that subscribe to such an event by name.
pub const EVENT_METHOD: &str = "becket.event";

/// The longest tool output that is sent.
const MAX_OUTPUT_CHARS: usize = 32_000;

/// A notification for an editor.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcNotification {
    /// One of [`AUTOHAND_METHODS`], or [`EVENT_METHOD`].
    pub method: &'static str,
    /// The parameters.
    pub params: Value,
}

/// Metrics from the store. Values in the event itself take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventMetrics {
    /// The duration of the call, the turn, the subagent or the session, in milliseconds.
    pub duration: Option<u64>,
    /// The number of tool calls in the turn.
    pub tool_calls: Option<u64>,
    /// The tokens of the turn.
    pub tokens: Option<u64>,
}

/// Converts a record to notifications; empty if it cannot be parsed.
pub fn notifications(record: &Value, metrics: &EventMetrics) -> Vec<RpcNotification> {
    let Some(event) = event_of_record(record) else {
        return Vec::new();
    };
    let builder = NotificationBuilder {
        record,
        event: &event,
        metrics,
    };
    builder.all()
}

struct NotificationBuilder<'r> {
    record: &'r Value,
    event: &'r Event,
    metrics: &'r EventMetrics,
}

impl NotificationBuilder<'_> {
    fn all(&self) -> Vec<RpcNotification> {
        match &self.event.data {
            EventData::PreToolUse { call } => {
                vec![self.notification("preTool", self.pre_tool_params(call))]
            }
            EventData::PermissionRequest { call } => {
                vec![self.notification(
                    "permissionRequest",
                    permission_params(call, &self.event.raw),
                )]
            }
            EventData::PostToolUse {
                call,
                response,
                duration_ms,
            } => {
                let text = output(response);
                let mut all = vec![self.post_tool(call, true, *duration_ms, text)];
                all.extend(self.changed_files(call, response));
                all
            }
            EventData::PostToolUseFailure {
                call,
                error,
                duration_ms,
                ..
            } => {
                vec![self.post_tool(call, false, *duration_ms, Some(error.clone()))]
            }
            EventData::FileModified { path, change } => self.file_event(path, change.as_deref()),
            EventData::UserPromptSubmit { prompt } => {
                let files = self.event.raw.get("mentioned_files");
                let files = files.filter(|files| is_string_list(files)).cloned();
                vec![self.notification(
                    "prePrompt",
                    json!({
                        "instruction": prompt, "mentionedFiles": files.unwrap_or_else(|| json!([])),
                    }),
                )]
            }
            EventData::Stop { .. } => {
                let params = self.turn_params();
                vec![
                    self.notification("stop", params.clone()),
                    self.notification("postResponse", params),
                ]
            }
            EventData::SessionStart { source } => vec![self.notification(
                "sessionStart",
                json!({
                    "sessionType": session_type(source.as_deref()), "source": source,
                }),
            )],
            EventData::SessionEnd { reason } => vec![self.notification("sessionEnd", json!({
                "reason": end_reason(reason.as_deref()), "duration": self.duration(&["duration"]),
                "nativeReason": reason,
            }))],
            EventData::SessionError { error, code } if self.event.native_name == "rate-limit" => {
                vec![self.notification("rateLimit", self.rate_limit_params(error, code.as_deref()))]
            }
            EventData::SessionError { error, code } => {
                vec![self.notification(
                    "sessionError",
                    error_params(error, code.as_deref(), &self.event.raw),
                )]
            }
            EventData::StopFailure { error, details } => {
                let text = details.as_deref().unwrap_or(error);
                vec![self.notification(
                    "sessionError",
                    error_params(text, Some(error), &self.event.raw),
                )]
            }
            EventData::SubagentStop {
                id,
                kind,
                success,
                error,
                ..
            } => {
                vec![self.notification(
                    "subagentStop",
                    self.subagent_params(id, kind, *success, error.as_deref()),
                )]
            }
            EventData::Notification { kind, message } => vec![self.notification(
                "notification",
                json!({
                    "notificationType": kind.as_deref().unwrap_or_default(), "message": message,
                }),
            )],
            // A record derived from a tool call; only its name identifies it.
            EventData::Other { name, .. } if &**name == "FileModified" => {
                let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
                self.file_event(text("file_path").unwrap_or_default(), text("change_type"))
            }
            _ => vec![self.other()],
        }
    }

    fn notification(&self, name: &str, params: Value) -> RpcNotification {
        let method = AUTOHAND_METHODS
            .into_iter()
            .find(|method| method.strip_prefix("autohand.hook.") == Some(name))
            .unwrap_or(EVENT_METHOD);
        RpcNotification {
            method,
            params: self.with_common_params(params),
        }
    }

    fn other(&self) -> RpcNotification {
        RpcNotification {
            method: EVENT_METHOD,
            params: self.with_common_params(json!({ "data": self.event.to_json() })),
        }
    }

    /// Adds the members that all notifications have, if they are known.
    fn with_common_params(&self, params: Value) -> Value {
        let Value::Object(mut params) = params else {
            return params;
        };
        params.retain(|_, value| !value.is_null());
        let of_record = |key: &str| self.record.get(key).cloned();
        let of_decision = |key: &str| self.record.get("decision")?.get(key).cloned();
        for (name, value) in [
            ("timestamp", of_record("ts").or_else(|| Some(json!("")))),
            ("eventId", of_record("id")),
            ("event", Some(json!(self.event.kind().name()))),
            ("agent", of_record("agent")),
            ("sessionId", of_record("session")),
            ("project", of_record("project")),
            ("verdict", of_decision("verdict")),
            ("verdictReason", of_decision("reason")),
        ] {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                params.insert(name.to_owned(), value);
            }
        }
        Value::Object(params)
    }

    fn pre_tool_params(&self, call: &ToolCall) -> Value {
        json!({
            "toolId": call.id.as_deref().unwrap_or_default(),
            "toolName": call.native_name,
            "args": arguments(call, &self.event.raw),
            "tool": call.name,
        })
    }

    fn post_tool(
        &self,
        call: &ToolCall,
        success: bool,
        took: Option<u64>,
        text: Option<String>,
    ) -> RpcNotification {
        self.notification(
            "postTool",
            json!({
                "toolId": call.id.as_deref().unwrap_or_default(),
                "toolName": call.native_name,
                "success": success,
                "duration": took.or(self.metrics.duration).unwrap_or(0),
                "output": text.map(|text| prefix_chars(&text, MAX_OUTPUT_CHARS).to_owned()),
                "tool": call.name,
            }),
        )
    }

    /// The files that a call changed, unless the agent reports them itself.
    fn changed_files(&self, call: &ToolCall, response: &Value) -> Vec<RpcNotification> {
        if self.reports_changes(&call.name) {
            return Vec::new();
        }
        let written = response.get("type").and_then(Value::as_str);
        let id = call.id.as_deref().unwrap_or_default();
        let changes = call.changes().into_iter();
        changes
            .map(|(path, change)| self.file_modified(path, change.or(written), id))
            .collect()
    }

    fn reports_changes(&self, tool: &str) -> bool {
        let adapter = becket_agents::adapter(self.event.agent.as_str());
        adapter.is_some_and(|adapter| adapter.reports_file_changes(tool))
    }

    fn file_event(&self, path: &str, change: Option<&str>) -> Vec<RpcNotification> {
        let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
        // A change derived from a tool call was sent with that call.
        let is_reported =
            text("tool_name").is_some_and(|tool| !self.reports_changes(canonical_name(tool)));
        if is_reported || path.is_empty() {
            return Vec::new();
        }
        vec![self.file_modified(path, change, text("tool_use_id").unwrap_or_default())]
    }

    fn file_modified(&self, path: &str, change: Option<&str>, id: &str) -> RpcNotification {
        let change = match change {
            Some("create" | "created" | "add" | "added") => "create",
            Some("delete" | "deleted" | "remove" | "removed" | "unlink") => "delete",
            _ => "modify",
        };
        self.notification(
            "fileModified",
            json!({ "filePath": path, "changeType": change, "toolId": id }),
        )
    }

    fn rate_limit_params(&self, error: &str, code: Option<&str>) -> Value {
        let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
        json!({
            "error": error,
            "code": code,
            "retryAfterMs": self.number(&["retry_after_ms", "retryAfterMs"]),
            "httpStatus": self.number(&["http_status", "httpStatus"]),
            "model": text("model"),
            "provider": text("provider"),
        })
    }

    fn turn_params(&self) -> Value {
        let reported = self.number(&["tokens_used"]).or_else(|| {
            let parts = [
                self.number(&["input_tokens"]),
                self.number(&["output_tokens"]),
            ];
            parts[1]?;
            Some(parts.iter().flatten().sum())
        });
        let calls = self.number(&["tool_calls_count", "turn_tool_calls"]);
        json!({
            "tokensUsed": reported.or(self.metrics.tokens).unwrap_or(0),
            "toolCallsCount": calls.or(self.metrics.tool_calls).unwrap_or(0),
            "duration": self.duration(&["turn_duration", "duration", "duration_ms"]),
        })
    }

    fn subagent_params(&self, id: &str, kind: &str, success: bool, error: Option<&str>) -> Value {
        let name = ["subagent_name", "agent_name"]
            .iter()
            .find_map(|key| self.event.raw.get(*key)?.as_str());
        json!({
            "subagentId": id,
            "subagentName": name.unwrap_or(kind),
            "subagentType": kind,
            "success": success,
            "duration": self.duration(&["subagent_duration", "duration", "duration_ms"]),
            "error": error,
        })
    }

    fn duration(&self, keys: &[&str]) -> u64 {
        self.number(keys).or(self.metrics.duration).unwrap_or(0)
    }

    fn number(&self, keys: &[&str]) -> Option<u64> {
        let mut found = keys.iter().filter_map(|key| self.event.raw.get(*key));
        found.find_map(as_count)
    }
}

/// A count; some agents write fractions of milliseconds.
fn as_count(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast to an integer saturates"
    )]
    value
        .as_u64()
        .or_else(|| value.as_f64().map(|number| number as u64))
}

/// The input as the agent sent it, or else the parsed one.
fn arguments(call: &ToolCall, raw: &Map<String, Value>) -> Value {
    let written = raw.get("tool_input").filter(|input| input.is_object());
    match written.unwrap_or(&call.input) {
        input @ Value::Object(_) => input.clone(),
        Value::Null => json!({}),
        other => json!({ "input": other }),
    }
}

fn permission_params(call: &ToolCall, raw: &Map<String, Value>) -> Value {
    json!({
        "tool": call.native_name,
        "path": call.file_path(),
        "command": call.command(),
        "args": arguments(call, raw),
        "toolId": call.id,
    })
}

fn error_params(error: &str, code: Option<&str>, raw: &Map<String, Value>) -> Value {
    let context = raw.get("context").filter(|context| context.is_object());
    json!({ "error": error, "code": code, "context": context })
}

fn output(response: &Value) -> Option<String> {
    let text = |key: &str| response.get(key)?.as_str().map(str::to_owned);
    match response {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        response => Some(text("stdout").unwrap_or_else(|| response.to_string())),
    }
}

fn is_string_list(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|all| all.iter().all(Value::is_string))
}

/// A session that continues after a compaction or as a branch counts as resumed.
fn session_type(source: Option<&str>) -> &'static str {
    match source {
        Some("clear") => "clear",
        Some("resume" | "compact" | "fork" | "branch" | "continue") => "resume",
        _ => "startup",
    }
}

fn end_reason(reason: Option<&str>) -> &'static str {
    match reason {
        Some("clear") => "clear",
        Some("error" | "aborted" | "crash" | "timeout") => "error",
        Some(
            "quit" | "logout" | "prompt_input_exit" | "user_exit" | "user_close" | "window_close",
        ) => "quit",
        _ => "exit",
    }
}
